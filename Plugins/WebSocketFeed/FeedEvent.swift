internal import EventBus
internal import MarketData
internal import StockbusDecoding
internal import StockbusPlugin

/// What a venue's messages can become.
protocol FeedEvent: Event {
  /// What is decoded; nil for the messages themselves.
  static var kind: EventKind? { get }
  /// Reads one message; `body` gets its events. Nil where there is nothing to say about it.
  static func read(
    _ message: UnsafeBufferPointer<UInt8>, _ reader: inout MessageReader?, by component: String, at received: Timestamp,
    into body: (Self) -> Void
  ) -> Verdict?
}

extension FeedEvent where Self: DecodedEvent {
  static var kind: EventKind? { decodedKind }

  static func read(
    _ message: UnsafeBufferPointer<UInt8>, _ reader: inout MessageReader?, by component: String, at received: Timestamp,
    into body: (Self) -> Void
  ) -> Verdict? {
    reader?.read(message, received: received) { body(Self($0)) }
  }
}

extension Trade: FeedEvent {}
extension Quote: FeedEvent {}
extension Bar: FeedEvent {}

extension RawMessage: FeedEvent {
  static var kind: EventKind? { nil }

  /// Also what is no event is handed on: a recording holds everything that was said.
  static func read(
    _ message: UnsafeBufferPointer<UInt8>, _ reader: inout MessageReader?, by component: String, at received: Timestamp,
    into body: (RawMessage) -> Void
  ) -> Verdict? {
    body(RawMessage(component: component, received: received, text: String(decoding: message, as: UTF8.self)))
    return reader?.read(message, received: received) { _ in }
  }
}
