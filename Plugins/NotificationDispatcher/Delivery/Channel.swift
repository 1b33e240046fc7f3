internal import MarketData

/// A way out of the program.
protocol Channel: Sendable {
  var retries: RetryPolicy { get }
  /// One attempt; ends soon after its task is cancelled.
  func deliver(_ notification: Notification) async throws(DeliveryError)
  /// Called once, when nothing more is delivered.
  func close() async
}

extension Channel {
  func close() async {}
}

/// How often a channel tries.
struct RetryPolicy: Hashable, Sendable {
  var attempts = 1
  /// The bound of the first pause; the others double, up to five minutes.
  var first = Duration.seconds(1)

  static let most = Duration.seconds(300)
}

/// Why an attempt failed, in words that hold no secret.
struct DeliveryError: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  /// True where another attempt may succeed.
  let isTransient: Bool
  /// How long the receiver asks to be left alone.
  var pause: Duration?

  init(_ description: String, isTransient: Bool, pause: Duration? = nil) {
    self.description = description
    self.isTransient = isTransient
    self.pause = pause
  }
}
