/// A break in the numbers by which a venue counts its messages: something was not received, or came twice or out of order.
public struct Gap: Hashable, Sendable {
  /// The component that found it.
  public var component: String
  /// What is counted by itself, such as `trades BTCUSDT`.
  public var stream: String
  /// The number that should have come.
  public var expected: Int64
  /// The number that came; below `expected` where the stream went back.
  public var got: Int64
  /// When it was found.
  public var time: Timestamp

  public init(component: String, stream: String, expected: Int64, got: Int64, time: Timestamp) {
    self.component = component
    self.stream = stream
    self.expected = expected
    self.got = got
    self.time = time
  }
}
