internal import StockbusDecoding
internal import StockbusPlugin

/// An event type that the feed can emit.
protocol FeedEvent: Event {
  /// The kind of event that is decoded; nil for raw messages.
  static var kind: EventKind? { get }
  /// Reads one message and passes its events to `body`. Returns nil if there is no verdict to report.
  static func read(
    _ message: UnsafeBufferPointer<UInt8>, _ reader: inout MessageReader?, by component: String, at received: Timestamp,
    into body: (Self) -> Void
  ) -> MessageOutcome?
}

extension FeedEvent where Self: DecodedEvent {
  static var kind: EventKind? { decodedKind }

  static func read(
    _ message: UnsafeBufferPointer<UInt8>, _ reader: inout MessageReader?, by component: String, at received: Timestamp,
    into body: (Self) -> Void
  ) -> MessageOutcome? {
    reader?.read(message, received: received) { body(Self($0)) }
  }
}

extension Trade: FeedEvent {}
extension Quote: FeedEvent {}
extension Bar: FeedEvent {}

extension RawMessage: FeedEvent {
  static var kind: EventKind? { nil }

  /// Passes every message on, also those without events, because a recording must contain all messages.
  static func read(
    _ message: UnsafeBufferPointer<UInt8>, _ reader: inout MessageReader?, by component: String, at received: Timestamp,
    into body: (RawMessage) -> Void
  ) -> MessageOutcome? {
    body(RawMessage(component: component, received: received, text: String(decoding: message, as: UTF8.self)))
    return reader?.read(message, received: received) { _ in }
  }
}
