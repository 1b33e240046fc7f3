package import StockbusPlugin

/// The writing of a component that keeps what it is given in a place that may refuse it for a while: a database on a full disk, or one that
/// another program has locked.
///
/// Owned by one actor. While the last attempt has failed, the component is degraded, with the reason; a reason is logged once.
package final class PatientWriting {
  private let patience: Patience
  private let context: Context
  /// Since when writing has failed, by the run's clock; nil if the last attempt has succeeded.
  private var failingSince: Duration?
  /// Why the last attempt has failed; nil if it has succeeded.
  package private(set) var trouble: String?
  /// True while a batch, or the end, waits for a write that fails.
  package private(set) var isWaiting = false

  /// - Parameter limit: how long an attempt is repeated, as `Patience` says.
  package init(_ limit: Duration, _ context: Context) {
    self.context = context
    // Another program's lock may end at any time.
    patience = Patience(limit, longestPause: .seconds(1), context)
  }

  /// Repeats `attempt` until it succeeds, as `Patience` says.
  ///
  /// - Parameter isLate: whether the time counts from the first failure that was reported, because what is written waits since then.
  package func insist<Failure: Error>(
    isLate: Bool = false, mayPass: (Failure) -> Bool, _ attempt: () throws(Failure) -> Void
  ) async throws(EnvironmentFailure) {
    isWaiting = true
    defer { isWaiting = false }
    try await patience.insist(since: isLate ? failingSince : nil, known: trouble, mayPass: mayPass, failed: { note("\($0)") }, attempt)
    succeeded()
  }

  /// Reports an attempt that has failed while nothing waits for it.
  package func failed(_ reason: String, mayPass: Bool) {
    patience.failed(reason, mayPass: mayPass, known: trouble)
    note(reason)
  }

  private func note(_ reason: String) {
    trouble = reason
    failingSince = failingSince ?? context.clock.uptime
  }

  /// Reports an attempt that has succeeded.
  package func succeeded() {
    guard let since = failingSince else { return }
    (trouble, failingSince) = (nil, nil)
    patience.recovered(since: since)
  }
}
