public import MarketData

/// An event type's declaration, and everything that is derived from it.
public final class EventSchema<E: Event>: Sendable {
  /// The event's name in configurations and documentation: snake_case.
  public let name: String
  /// What it is, in one sentence.
  public let doc: String
  public let fields: [Field<E>]
  /// Shown in the documentation. Decoding starts from a copy of it.
  public let example: E
  /// Bytes from the event's start to its symbol; nil if the event is not about an instrument.
  @usableFromInline let keyOffset: Int?
  @usableFromInline let timeOffset: Int
  /// Bytes from the event's start to when it was received: its field `received`, or else its time.
  @usableFromInline package let receivedOffset: Int
  @usableFromInline let codec: EventCodec

  /// Declares an event about one instrument.
  public init(
    _ name: String, _ doc: String, key: any KeyPath<E, Symbol> & Sendable, time: any KeyPath<E, Timestamp> & Sendable, example: E,
    fields: [Field<E>]
  ) where E: SymbolEvent {
    self.name = name
    self.doc = doc
    self.fields = fields
    self.example = example
    keyOffset = Self.stored(key, "key")
    timeOffset = Self.stored(time, "time")
    receivedOffset = Self.received(fields) ?? timeOffset
    codec = EventCodec(fields.map(\.raw))
  }

  /// Declares an event that is about no instrument.
  public init(
    _ name: String, _ doc: String, time: any KeyPath<E, Timestamp> & Sendable, example: E, fields: [Field<E>]
  ) {
    self.name = name
    self.doc = doc
    self.fields = fields
    self.example = example
    keyOffset = nil
    timeOffset = Self.stored(time, "time")
    receivedOffset = Self.received(fields) ?? timeOffset
    codec = EventCodec(fields.map(\.raw))
  }

  private static func stored<V>(_ path: KeyPath<E, V>, _ what: String) -> Int {
    guard let offset = MemoryLayout<E>.offset(of: path) else { preconditionFailure("the \(what) of \(E.self) is no stored property") }
    return offset
  }

  private static func received(_ fields: [Field<E>]) -> Int? {
    fields.first { $0.name == "received" && $0.layout == .time }?.offset
  }

  /// When it happened.
  public func time(of event: E) -> Timestamp {
    withUnsafePointer(to: event) { UnsafeRawPointer($0).load(fromByteOffset: timeOffset, as: Timestamp.self) }
  }

  /// When it was received: its field `received`, or its time if it has none.
  @inlinable
  public func receipt(of event: E) -> Timestamp {
    withUnsafePointer(to: event) { UnsafeRawPointer($0).load(fromByteOffset: receivedOffset, as: Timestamp.self) }
  }

  /// The event's instrument; nil if it is not about one.
  public func symbol(of event: E) -> Symbol? {
    guard let keyOffset else { return nil }
    return withUnsafePointer(to: event) { UnsafeRawPointer($0).load(fromByteOffset: keyOffset, as: Symbol.self) }
  }

  /// The field names, separated by commas, without a line end.
  public var csvHeader: String { fields.map(\.name).joined(separator: ",") }

  /// Writes one JSON object without a line end; keys in the declared order.
  @inlinable
  public func encodeJSON(_ event: E, times: TimeStyle = .iso8601(.shortest), to out: inout ByteWriter) {
    withUnsafePointer(to: event) { codec.encodeJSON($0, times, to: &out) }
  }

  /// Writes one CSV record without a line end; fields in the declared order.
  @inlinable
  public func encodeCSV(_ event: E, times: TimeStyle = .iso8601(.shortest), to out: inout ByteWriter) {
    withUnsafePointer(to: event) { codec.encodeCSV($0, times, to: &out) }
  }

  /// Reads one JSON object with every declared key, in any order. Unknown, doubled and missing keys are errors that name the field.
  @inlinable
  public func decodeJSON(_ text: inout ByteReader) throws(TextError) -> E {
    var event = example
    try withUnsafeMutablePointer(to: &event) { at throws(TextError) in try codec.decodeJSON(at, &text) }
    return event
  }

  /// Reads one CSV record with every declared field in the declared order, up to the end of the line or of the text.
  @inlinable
  public func decodeCSV(_ text: inout ByteReader) throws(TextError) -> E {
    var event = example
    try withUnsafeMutablePointer(to: &event) { at throws(TextError) in try codec.decodeCSV(at, &text) }
    return event
  }

  /// The event as JSON text.
  public func json(_ event: E) -> String {
    var out = ByteWriter(capacity: 512)
    encodeJSON(event, to: &out)
    return out.string
  }

  /// The stored properties that are missing from the declaration; empty for a correct one.
  public func undeclaredProperties() -> [String] {
    let decimals = Set(fields.compactMap(\.decimalsProperty))
    let declared = decimals.union(fields.map(\.raw.offset))
    let stored = Mirror(reflecting: example).children.compactMap(\.label)
    if stored.count == declared.count { return [] }
    let names = Set(fields.map { $0.name.filter { $0 != "_" }.lowercased() })
    // A decimals property belongs to its field only by position, so if one is missing, all of them are reported.
    let isDecimals = { (name: String) in name.hasSuffix("Decimals") }
    let areForgotten = stored.count(where: isDecimals) > decimals.count
    return stored.filter { !names.contains($0.lowercased()) && (areForgotten || !isDecimals($0)) }
  }
}

/// How a time is written.
public enum TimeStyle: BitwiseCopyable, Hashable, Sendable {
  case iso8601(ByteWriter.TimeForm)
  /// A whole number of units since the epoch, rounded towards the past.
  case epoch(Unit)

  public enum Unit: Int64, BitwiseCopyable, Hashable, Sendable {
    case nanoseconds = 1
    case microseconds = 1000
    case milliseconds = 1_000_000
    case seconds = 1_000_000_000
  }
}
