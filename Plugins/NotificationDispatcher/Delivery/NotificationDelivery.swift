internal import StockbusNetwork
internal import StockbusPlugin

/// One notification on one channel, with all its attempts.
struct NotificationDelivery: Sendable {
  enum Outcome: Hashable, Sendable {
    case delivered(attempts: Int)
    /// The receiver may have requested a pause, which also concerns the next notification.
    case failed(attempts: Int, reason: String, pause: Duration? = nil)
    /// The task was cancelled before a result.
    case cancelled
  }

  let channel: any Channel
  let clock: any Timekeeper
  let random: RandomStream
  /// Called at once when a notification is delivered.
  var confirmed: @Sendable (Notification) -> Void = { _ in }

  @concurrent
  func attempt(_ notification: Notification, onRetry: @Sendable (DeliveryError, Duration) async -> Void) async -> Outcome {
    let retries = channel.retries
    var pauses = RetryPauses(first: retries.first, most: RetryPolicy.most, random: random)
    var attempts = 0
    while true {
      attempts += 1
      do throws(DeliveryError) {
        try await channel.deliver(notification)
        confirmed(notification)
        return .delivered(attempts: attempts)
      } catch {
        if Task.isCancelled { return .cancelled }
        guard error.isTransient, attempts < retries.attempts else {
          return .failed(attempts: attempts, reason: error.description, pause: error.asked?.pause)
        }
        let pause = pauses.next(asked: error.asked)
        await onRetry(error, pause)
        do { try await clock.sleep(for: pause) } catch { return .cancelled }
      }
    }
  }
}
