public import MarketData

/// Turns a venue's messages into events of one type, by a spec.
///
/// ```swift
/// var decoder = try MessageDecoder<Trade>(VenuePreset.binance.spec, symbols: ["BTCUSDT"])
/// let verdict = decoder.decode(bytes, received: now) { output.send($0) }
/// for gap in decoder.gaps { context.gap(in: gap.stream, expected: gap.expected, got: gap.got) }
/// ```
public struct MessageDecoder<E: DecodedEvent>: ~Copyable {
  /// What knows no event type: tallies, gaps, limits.
  public var reader: MessageReader

  /// As `MessageReader.init`, with the event's type as what is wanted.
  public init(
    _ spec: DecodingSpec, symbols: [Symbol] = [], limit: Int = MessageReader.messageLimit
  ) throws(DecodingSpecError) {
    reader = try MessageReader(spec, event: E.decodedKind, symbols: symbols, limit: limit)
  }

  /// Reads one message that came at `received`; `body` gets its events in their order.
  @inlinable
  public mutating func decode(_ message: UnsafeBufferPointer<UInt8>, received: Timestamp, into body: (E) -> Void) -> Verdict {
    reader.read(message, received: received) { body(E($0)) }
  }

  /// The same for a text.
  public mutating func decode(_ message: String, received: Timestamp, into body: (E) -> Void) -> Verdict {
    var message = message
    return message.withUTF8 { decode($0, received: received, into: body) }
  }

  /// The breaks in sequence numbers that the last message showed.
  @inlinable public var gaps: [SequenceGap] { reader.gaps }
  /// Counts since it was made.
  @inlinable public var tally: MessageTally { reader.tally }

  /// Forgets what belongs to a connection: say so when there is a new one.
  public mutating func reconnected() { reader.reconnected() }
}
