public import MarketData

/// Decodes a venue's messages into events of one type, according to a spec.
///
/// ```swift
/// var decoder = try MessageDecoder<Trade>(VenuePreset.binance.spec, symbols: ["BTCUSDT"])
/// let verdict = decoder.decode(bytes, received: now) { output.send($0) }
/// for gap in decoder.gaps { context.gap(in: gap.stream, expected: gap.expected, got: gap.got) }
/// ```
package struct MessageDecoder<E: DecodedEvent>: ~Copyable {
  @usableFromInline let box: MessageReaderBox

  /// Like `MessageReader.init`, for the kind of the event type.
  package init(
    _ spec: DecodingSpec, symbols: [Symbol] = [], limit: Int = MessageReader.messageLimit, intake: SymbolIntake = .open
  ) throws(DecodingSpecError) {
    box = MessageReaderBox(try MessageReader(spec, event: E.decodedKind, symbols: symbols, limit: limit, intake: intake))
  }

  /// Decodes one message that was received at `received`; calls `body` with its events in order.
  @inlinable @inline(__always)
  package mutating func decode(_ message: UnsafeBufferPointer<UInt8>, received: Timestamp, into body: (E) -> Void) -> MessageOutcome {
    box.read(message, received) { body(E($0)) }
  }

  /// Decodes a message given as a string.
  package mutating func decode(_ message: String, received: Timestamp, into body: (E) -> Void) -> MessageOutcome {
    var message = message
    return message.withUTF8 { decode($0, received: received, into: body) }
  }

  /// The breaks in sequence numbers that the last message revealed.
  package var gaps: [SequenceGap] { box.reader.gaps }
  /// The values since the last call that did not fit into events that were kept: see `MessageReader.takeKept`.
  package mutating func takeKept() -> (counts: KeptValues, remarks: [String])? { box.reader.takeKept() }
  /// Counts since the decoder was created.
  package var tally: MessageTally { box.reader.tally }

  /// Resets the state of a connection. To be called after each new connection.
  package mutating func reconnected() { box.reader.reconnected() }
}

/// Keeps the reader out of code that is inlined into other modules, because Swift 6.3.1 crashes when it inlines a setter with a
/// deinitialiser.
@usableFromInline
final class MessageReaderBox {
  fileprivate(set) var reader: MessageReader

  init(_ reader: consuming MessageReader) { self.reader = reader }

  @usableFromInline
  func read(
    _ message: UnsafeBufferPointer<UInt8>, _ received: Timestamp, into body: (borrowing DecodedValues) -> Void
  ) -> MessageOutcome {
    reader.read(message, received: received, into: body)
  }
}
