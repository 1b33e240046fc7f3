internal import StockbusPlugin

/// Where a column comes from: a field of an event, or the age of the event.
struct ColumnSource: Sendable {
  /// How a value is read; `offset` is that of the field.
  enum Reading: Sendable, BitwiseCopyable {
    case age
    /// 64 bits in the unit of the column.
    case value(offset: Int)
    /// Whole numbers.
    case wide(offset: Int)
    case narrow(offset: Int)
  }

  let info: ColumnInfo
  let reading: Reading

  /// The source of a field of an event type; an error in words if it cannot become a column.
  static func of<E: Event>(_ field: String, _ column: String, in _: E.Type) -> Result<ColumnSource, Fault> {
    if field == "age" {
      return .success(ColumnSource(info: ColumnInfo(column, .duration, "how long before its values were received"), reading: .age))
    }
    let schema = E.schema
    guard let found = schema.fields.first(where: { $0.name == field }) else {
      let names = schema.fields.compactMap { kind(of: $0) == nil ? nil : $0.name } + ["age"]
      return .failure(Fault(words: "\(schema.name) has no field \(shown(field))\(didYouMean(field, among: names, else: names))"))
    }
    guard let (kind, reading) = kind(of: found) else {
      return .failure(Fault(words: "the field '\(field)' of \(schema.name) is no number, duration or time, and cannot become a column"))
    }
    return .success(ColumnSource(info: ColumnInfo(column, kind, "\(field) of the last \(schema.name) before"), reading: reading))
  }

  struct Fault: Error {
    let words: String
  }

  private static func kind<E: Event>(of field: Field<E>) -> (ColumnKind, Reading)? {
    switch field.layout {
    case .fixedPoint: (field.type == Percent.self ? .percent : .number, .value(offset: field.offset))
    case .time: (.time, .value(offset: field.offset))
    case .int64: (.number, .wide(offset: field.offset))
    case .uint32: (.number, .narrow(offset: field.offset))
    case .other where field.type == BarLength.self: (.duration, .value(offset: field.offset))
    case .symbol, .text, .other: nil
    }
  }
}

extension ColumnSource.Reading {
  @inline(__always)
  var isAge: Bool { if case .age = self { true } else { false } }

  /// The value in the event that begins at `event`; a whole number beyond nine billion has none.
  @inline(__always)
  func value(of event: UnsafeRawPointer) -> Int64 {
    switch self {
    case .age: return 0
    case .value(let offset): return event.load(fromByteOffset: offset, as: Int64.self)
    case .wide(let offset):
      let (value, isOver) = event.load(fromByteOffset: offset, as: Int64.self).multipliedReportingOverflow(by: 1_000_000_000)
      return isOver ? ColumnLayout.missing : value
    case .narrow(let offset): return Int64(event.load(fromByteOffset: offset, as: UInt32.self)) * 1_000_000_000
    }
  }
}

private func didYouMean(_ word: String, among names: [String], else all: [String]) -> String {
  let near = StockbusPlugin.didYouMean(word, among: names)
  return near.isEmpty ? "; there are \(all.joined(separator: ", "))" : near
}
