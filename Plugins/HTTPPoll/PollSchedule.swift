internal import StockbusPlugin

/// When the document is fetched next: at the interval after a success, after growing pauses following failures.
struct PollSchedule: Sendable {
  enum Outcome: Hashable, Sendable {
    /// The server has sent a document, or the response that it has not changed.
    case done
    /// The fetch has failed; the server may have asked for a pause.
    case failed(pause: Duration?)
  }

  /// The longest pause, even if a server asks for a longer one.
  static let longestPause = Duration.seconds(86_400)

  private let interval: Duration
  private var backoff: Backoff
  private var due = Duration.zero

  init(interval: Duration, backoff: Backoff) {
    self.interval = interval
    self.backoff = backoff
  }

  /// Makes the first fetch due.
  mutating func begin(at now: Duration) { due = now }

  /// When the next fetch is due. If a fetch took longer than the interval, the missed ones are not made up for.
  mutating func next(after outcome: Outcome, at now: Duration) -> Duration {
    switch outcome {
    case .done:
      backoff.reset()
      due += interval
      if due < now { due = now }
    case .failed(let pause):
      due = now + max(backoff.next(), min(pause ?? .zero, Self.longestPause))
    }
    return due
  }
}
