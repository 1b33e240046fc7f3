internal import StockbusPlugin

/// When the document is fetched next: at a steady pace while that works, after growing pauses while it does not.
struct PollSchedule: Sendable {
  enum Outcome: Hashable, Sendable {
    /// The server has answered with a document, or that it is the same.
    case done
    /// It has not; it may have asked to be left alone for so long.
    case failed(pause: Duration?)
  }

  /// A server that asks for more is asked again after this.
  static let longestPause = Duration.seconds(86_400)

  private let interval: Duration
  private var backoff: Backoff
  private var due = Duration.zero

  init(interval: Duration, backoff: Backoff) {
    self.interval = interval
    self.backoff = backoff
  }

  /// The first fetch is due.
  mutating func begin(at now: Duration) { due = now }

  /// When the next one is due. One that took longer than the interval is not made up for.
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
