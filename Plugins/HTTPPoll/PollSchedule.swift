internal import StockbusNetwork
internal import StockbusPlugin

/// When the document is fetched next: at the interval after a success, after growing pauses following failures.
struct PollSchedule: Sendable {
  enum Outcome: Hashable, Sendable {
    /// The server has sent a document, or the response that it has not changed.
    case done
    /// The fetch has failed; the server may have requested a pause.
    case failed(RetryAfter?)
  }

  private let interval: Duration
  private var pauses: RetryPauses
  private var due = Duration.zero

  init(interval: Duration, pauses: RetryPauses) {
    self.interval = interval
    self.pauses = pauses
  }

  /// Makes the first fetch due.
  mutating func begin(at now: Duration) { due = now }

  /// When the next fetch is due. If a fetch took longer than the interval, the missed fetches are skipped.
  mutating func next(after outcome: Outcome, at now: Duration) -> Duration {
    switch outcome {
    case .done:
      pauses.succeeded()
      due += interval
      if due < now { due = now }
    case .failed(let asked): due = now + pauses.next(asked: asked)
    }
    return due
  }
}
