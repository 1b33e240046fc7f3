public import MarketData

/// Turns a venue's messages into events of one type, by a spec.
///
/// ```swift
/// var decoder = try MessageDecoder<Trade>(VenuePreset.binance.spec, symbols: ["BTCUSDT"])
/// let verdict = decoder.decode(bytes, received: now) { output.send($0) }
/// for gap in decoder.gaps { context.gap(in: gap.stream, expected: gap.expected, got: gap.got) }
/// ```
public struct MessageDecoder<E: DecodedEvent>: ~Copyable {
  @usableFromInline let box: MessageReaderBox

  /// As `MessageReader.init`, with the event's type as what is wanted.
  public init(
    _ spec: DecodingSpec, symbols: [Symbol] = [], limit: Int = MessageReader.messageLimit, intake: SymbolIntake = .open
  ) throws(DecodingSpecError) {
    box = MessageReaderBox(try MessageReader(spec, event: E.decodedKind, symbols: symbols, limit: limit, intake: intake))
  }

  /// Reads one message that came at `received`; `body` gets its events in their order.
  @inlinable
  public mutating func decode(_ message: UnsafeBufferPointer<UInt8>, received: Timestamp, into body: (E) -> Void) -> Verdict {
    box.read(message, received) { body(E($0)) }
  }

  /// The same for a text.
  public mutating func decode(_ message: String, received: Timestamp, into body: (E) -> Void) -> Verdict {
    var message = message
    return message.withUTF8 { decode($0, received: received, into: body) }
  }

  /// The breaks in sequence numbers that the last message showed.
  public var gaps: [SequenceGap] { box.reader.gaps }
  /// Counts since it was made.
  public var tally: MessageTally { box.reader.tally }

  /// Forgets what belongs to a connection: say so when there is a new one.
  public mutating func reconnected() { box.reader.reconnected() }
}

/// Keeps the reader out of what is inlined into other modules: Swift 6.3.1 crashes where it inlines a setter with a deinitialiser.
@usableFromInline
final class MessageReaderBox {
  fileprivate(set) var reader: MessageReader

  init(_ reader: consuming MessageReader) { self.reader = reader }

  @usableFromInline
  func read(
    _ message: UnsafeBufferPointer<UInt8>, _ received: Timestamp, into body: (borrowing DecodedValues) -> Void
  ) -> Verdict {
    reader.read(message, received: received, into: body)
  }
}
