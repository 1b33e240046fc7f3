internal import StockbusPlugin

/// One notification on one channel, with all its attempts.
struct Delivery: Sendable {
  enum Outcome: Hashable, Sendable {
    case delivered(attempts: Int)
    case failed(attempts: Int, reason: String)
    /// The task was cancelled before a result.
    case cancelled
  }

  let channel: any Channel
  let clock: any Timekeeper
  let random: RandomStream

  /// The longest pause, even if a receiver asks for a longer one.
  static let longestPause = Duration.seconds(3600)

  @concurrent
  func attempt(_ notification: Notification, onRetry: @Sendable (DeliveryError, Duration) -> Void) async -> Outcome {
    let retries = channel.retries
    var backoff = Backoff(first: retries.first, most: RetryPolicy.most, random: random)
    var attempts = 0
    while true {
      attempts += 1
      do throws(DeliveryError) {
        try await channel.deliver(notification)
        return .delivered(attempts: attempts)
      } catch {
        if Task.isCancelled { return .cancelled }
        guard error.isTransient, attempts < retries.attempts else { return .failed(attempts: attempts, reason: error.description) }
        let pause = max(backoff.next(), min(error.pause ?? .zero, Self.longestPause))
        onRetry(error, pause)
        do { try await clock.sleep(for: pause) } catch { return .cancelled }
      }
    }
  }
}
