package import EventBus
package import MarketData

/// A message as a venue sent it, before it is parsed.
package struct RawMessage: Hashable, Sendable {
  /// The component whose connection received the message.
  package var component: String
  /// When the program received the message.
  package var received: Timestamp
  /// The whole message.
  package var text: String

  package init(component: String, received: Timestamp, text: String) {
    self.component = component
    self.received = received
    self.text = text
  }
}

extension RawMessage: Event {
  package static let schema = EventSchema<RawMessage>(
    "raw_message", "A message exactly as the venue sent it.", time: \.received,
    example: RawMessage(
      component: "live", received: Timestamp(ns: 1_723_161_600_164_378_285), text: #"{"e":"trade","s":"BTCUSDT","p":"61685.99000000"}"#),
    fields: [
      .init("component", \.component, "The component whose connection received it."),
      .init("received", \.received, "When stockbus received it."),
      .init("text", \.text, "The whole message."),
    ])
}
