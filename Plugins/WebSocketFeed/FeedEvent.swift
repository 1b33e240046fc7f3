internal import StockbusDecoding
internal import StockbusPlugin

/// The number that a venue gives a trade.
struct EventNumber: BitwiseCopyable {
  /// The index of the series in the reader's `series`; -1 if the event has no number.
  var series: Int32
  var value: Int64
  var symbol: Symbol
  var time: Timestamp

  static let none = EventNumber(series: -1, value: 0, symbol: Symbol(id: 0), time: Timestamp(ns: 0))
}

/// An event type that the feed can emit.
protocol FeedEvent: Event {
  /// The kind of event that is decoded; nil for raw messages.
  static var kind: EventKind? { get }
  /// Reads one message and passes its events to `body`. Returns nil if there is no verdict to report.
  static func read(
    _ message: UnsafeBufferPointer<UInt8>, _ reader: inout MessageReader?, by component: String, at received: Timestamp,
    into body: (Self, EventNumber) -> Void
  ) -> MessageOutcome?
}

extension FeedEvent where Self: DecodedEvent {
  static var kind: EventKind? { decodedKind }

  static func read(
    _ message: UnsafeBufferPointer<UInt8>, _ reader: inout MessageReader?, by component: String, at received: Timestamp,
    into body: (Self, EventNumber) -> Void
  ) -> MessageOutcome? {
    reader?.read(message, received: received) { values in
      body(Self(values), EventNumber(series: values.series, value: values.number, symbol: values.symbol, time: values.time))
    }
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
    into body: (RawMessage, EventNumber) -> Void
  ) -> MessageOutcome? {
    body(RawMessage(component: component, received: received, text: String(decoding: message, as: UTF8.self)), .none)
    return reader?.read(message, received: received) { _ in }
  }
}
