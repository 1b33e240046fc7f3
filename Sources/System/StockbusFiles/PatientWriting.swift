package import StockbusPlugin

/// The writing of a component whose storage may refuse data for a while: a database on a full disk, or one that another program has locked.
///
/// Owned by one actor. After a failed attempt the component is degraded, with the reason, until an attempt succeeds; a reason is logged
/// once.
package final class PatientWriting {
  private let patience: Patience
  private let context: Context
  /// The time since which writing has failed, by the run's clock; nil if the last attempt succeeded.
  private var failingSince: Duration?
  private var failures = 0
  /// Why the last attempt failed; nil if it succeeded.
  package private(set) var trouble: String?
  /// True while a batch, or the end, waits for a failing write.
  package private(set) var isWaiting = false

  /// - Parameter limit: how long an attempt is repeated, as in `Patience`.
  package init(_ limit: Duration, _ context: Context) {
    self.context = context
    // Another program's lock may end at any time.
    patience = Patience(limit, longestPause: .seconds(1), context)
  }

  /// Repeats `attempt` until it succeeds, as in `Patience`.
  ///
  /// - Parameter isLate: whether the time counts from the first failure that was reported, because the data have waited since then.
  package func insist<Failure: Error>(
    isLate: Bool = false, mayPass: (Failure) -> Bool, _ attempt: () async throws(Failure) -> Void
  ) async throws(EnvironmentFailure) {
    isWaiting = true
    defer { isWaiting = false }
    try await patience.insist(
      since: isLate ? failingSince : nil, known: trouble, mayPass: mayPass, failed: { note("\($0)") }
    ) { () async throws(Failure) in
      let before = failures
      try await attempt()
      // Another attempt may fail before the actor goes on here, and that is the newer of the two.
      if failures == before { succeeded() }
    }
  }

  /// Reports a failed attempt while no event waits for it.
  package func failed(_ reason: String, mayPass: Bool) {
    patience.failed(reason, mayPass: mayPass, known: trouble)
    note(reason)
  }

  private func note(_ reason: String) {
    trouble = reason
    failures += 1
    failingSince = failingSince ?? context.clock.uptime
  }

  /// Reports a successful attempt, which has written something if writing had failed.
  package func succeeded() {
    guard let since = failingSince else { return }
    (trouble, failingSince) = (nil, nil)
    patience.recovered(since: since)
  }
}
