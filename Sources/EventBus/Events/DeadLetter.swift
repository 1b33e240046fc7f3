public import MarketData

/// An event, or a piece of outside input, that could not be worked with, and why.
public struct DeadLetter: Hashable, Sendable {
  /// The component that could not work with it.
  public var component: String
  /// Where it came from: the input's name, or a place in a file such as `ticks.csv:17`.
  public var origin: String
  /// The event's number on its topic; 0 where it came from outside.
  public var sequence: Int64
  public var reason: String
  /// The event as JSON, or the input's text as it was, cut to a length worth keeping.
  public var payload: String
  public var time: Timestamp

  /// At most so many bytes of each text are kept: what could not be worked with may be of any size.
  public static var textLimit: Int { 512 }

  public init(component: String, origin: String, sequence: Int64, reason: String, payload: String, time: Timestamp) {
    self.component = component
    self.origin = origin.cut(toBytes: Self.textLimit)
    self.sequence = sequence
    self.reason = reason.cut(toBytes: Self.textLimit)
    self.payload = payload.cut(toBytes: Self.textLimit)
    self.time = time
  }
}

extension DeadLetter: Event {
  public static let schema = EventSchema<DeadLetter>(
    "dead_letter", "An event or a piece of input that could not be worked with, and why.", time: \.time,
    example: DeadLetter(
      component: "prices", origin: "ticks.csv:17", sequence: 0, reason: "price: unexpected text at byte 6", payload: "AAPL,abc,100",
      time: Timestamp(ns: 1_381_239_000_012_000_000)),
    fields: [
      .init("component", \.component, "The component that could not work with it."),
      .init("origin", \.origin, "The input, or the place in a file."),
      .init("sequence", \.sequence, "The event's number on its topic; 0 where it came from outside."),
      .init("reason", \.reason, "Why."),
      .init("payload", \.payload, "The event as JSON, or the input's text."),
      .init("time", \.time, "When it was set aside."),
    ])
}
