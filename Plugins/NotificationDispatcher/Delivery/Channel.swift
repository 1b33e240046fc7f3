internal import MarketData
internal import StockbusFiles
internal import StockbusNetwork

/// A way to deliver notifications.
protocol Channel: Sendable {
  var retries: RetryPolicy { get }
  /// Makes one attempt; ends soon after its task is cancelled.
  func deliver(_ notification: Notification) async throws(DeliveryError)
  /// Checks that its path still leads to its file; returns the path if the file was recreated.
  func renew() async -> String?
  /// For a channel that another run can set back: where it is now, on any thread.
  var place: ChannelPlace? { get }
  /// Called once, after the last delivery.
  func close() async
}

/// Where a channel is that writes to a file.
struct ChannelPlace: Sendable, Codable {
  /// The last notification in the file, if this run has written it.
  let delivery: String?
  let end: FileMark
}

extension Channel {
  var place: ChannelPlace? { nil }
  func renew() async -> String? { nil }
  func close() async {}
}

/// How often a channel tries a delivery.
struct RetryPolicy: Hashable, Sendable {
  var attempts = 1
  /// The upper limit of the first pause; it doubles each time, up to five minutes.
  var first = Duration.seconds(1)

  static let most = Duration.seconds(300)
}

/// Why an attempt failed, as a text without secrets.
struct DeliveryError: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  /// True if another attempt may succeed.
  let isTransient: Bool
  /// The pause that the receiver requests.
  let asked: RetryAfter?

  init(_ description: String, isTransient: Bool, asked: RetryAfter? = nil) {
    self.description = description
    self.isTransient = isTransient
    self.asked = asked
  }
}
