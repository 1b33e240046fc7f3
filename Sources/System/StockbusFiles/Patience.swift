package import StockbusPlugin

/// Repeats a failing attempt to write, because a full disk may have room later.
package struct Patience: Sendable {
  private let limit: Duration
  private let longestPause: Duration
  private let context: Context

  /// - Parameters:
  ///   - limit: how long an attempt is repeated; after a request to stop, at most half of the time to the deadline.
  ///   - longestPause: the longest pause before the next attempt.
  package init(_ limit: Duration, longestPause: Duration = .seconds(5), _ context: Context) {
    self.limit = limit
    self.longestPause = longestPause
    self.context = context
  }

  /// Repeats `attempt` with growing pauses until it succeeds. Throws its last error when the time is over, or at once if `mayPass` is
  /// false, because waiting cannot help. `failed` is called with each error. The caller reports the success, by `recovered`.
  ///
  /// - Parameters:
  ///   - since: when the first attempt failed, by the run's clock, if that was before the call; the time counts from then.
  ///   - known: the reason that `failed` has logged.
  package func insist<Failure: Error>(
    since: Duration? = nil, known: String? = nil, taken: Int = 0, mayPass: (Failure) -> Bool, failed: (Failure) -> Void = { _ in },
    _ attempt: () async throws(Failure) -> Void
  ) async throws(EnvironmentFailure) {
    do throws(Failure) { return try await attempt() } catch {
      try await insist(
        after: error, since: since ?? context.clock.uptime, known: known, taken: taken, mayPass: mayPass, failed: failed, attempt)
    }
  }

  private func insist<Failure: Error>(
    after first: Failure, since: Duration, known: String?, taken: Int, mayPass: (Failure) -> Bool, failed: (Failure) -> Void,
    _ attempt: () async throws(Failure) -> Void
  ) async throws(EnvironmentFailure) {
    var failure = first
    var reported = known
    var end = since + limit
    var isStopping = false
    var pause = Duration.milliseconds(100)
    while true {
      failed(failure)
      let now = context.clock.uptime
      if !isStopping, let cutOff = context.run.cutOff {
        isStopping = true
        // The other half of the time is for the components upstream that wait for this sink.
        end = min(end, now + (cutOff - now) / 2)
      }
      if !mayPass(failure) || now >= end { throw EnvironmentFailure("\(failure)", isPermanent: true, taken: taken) }
      let reason = "\(failure)"
      context.report(trouble: reason)
      if reason != reported { warn(reason, end - now) }
      reported = reason
      let next = min(pause, end - now)
      do { try await sleep(for: next, unlessStopped: !isStopping) } catch {
        throw EnvironmentFailure("\(failure)", isPermanent: true, taken: taken)
      }
      pause = min(pause * 2, longestPause)
      do throws(Failure) {
        return try await attempt()
      } catch { failure = error }
    }
  }

  /// Reports a failed attempt while no event waits for it.
  ///
  /// - Parameters:
  ///   - mayPass: false if waiting cannot help.
  ///   - known: the reason that has already been logged.
  package func failed(_ reason: String, mayPass: Bool, known: String?) {
    if reason != known { warn(reason, mayPass ? limit : .zero) }
    context.report(trouble: reason)
  }

  /// Reports that writing, which had failed since then by the run's clock, succeeds again.
  package func recovered(since: Duration) {
    context.report(trouble: nil)
    context.logger.notice("writing works again, after \((context.clock.uptime - since).roughText)")
  }

  private func warn(_ reason: String, _ time: Duration) {
    context.logger.warning(time > .zero ? "\(reason); retrying for \(time.roughText)" : "\(reason)")
  }

  /// Sleeps; ends early if a stop is requested.
  private func sleep(for pause: Duration, unlessStopped: Bool) async throws {
    guard unlessStopped else { return try await context.clock.sleep(for: pause) }
    let (clock, run) = (context.clock, context.run)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await clock.sleep(for: pause) }
      group.addTask { await run.waitForStop() }
      try await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }
}
