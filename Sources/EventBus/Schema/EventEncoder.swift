public import MarketData

/// Writes events as JSON or CSV, with all fields or some of them in a chosen order.
public struct EventEncoder<E: Event>: Sendable {
  @usableFromInline let codec: EventCodec
  @usableFromInline let times: TimeStyle
  /// The names of the fields, in the order in which they are written.
  public let fields: [String]
  /// In CSV, puts an apostrophe before texts that a spreadsheet would take for formulas: those that begin with `=`, `+`, `-` or `@`.
  /// Numbers stay as they are.
  public var defusesFormulas = false

  /// An encoder for all fields of the declaration.
  public init(times: TimeStyle = .iso8601(.shortest)) {
    codec = E.schema.codec
    self.times = times
    fields = E.schema.fields.map(\.name)
  }

  /// An encoder for `fields` only; nil if one of them is not declared.
  public init?(fields: [String], times: TimeStyle = .iso8601(.shortest)) {
    let chosen = fields.compactMap { name in E.schema.fields.first { $0.name == name } }
    guard chosen.count == fields.count, !fields.isEmpty else { return nil }
    codec = EventCodec(chosen.map(\.raw))
    self.times = times
    self.fields = fields
  }

  /// Writes one JSON object without a line end.
  @inlinable
  public func encodeJSON(_ event: E, to out: inout ByteWriter) { withUnsafePointer(to: event) { codec.encodeJSON($0, times, to: &out) } }

  /// Writes one CSV record without a line end.
  @inlinable
  public func encodeCSV(_ event: E, to out: inout ByteWriter) {
    withUnsafePointer(to: event) {
      if defusesFormulas { codec.encodeCSV(defusing: $0, times, to: &out) } else { codec.encodeCSV($0, times, to: &out) }
    }
  }

  /// The field names, separated by commas, without a line end.
  public var csvHeader: String { fields.joined(separator: ",") }
}
