package import MarketData

/// What the numbers of a column are.
public enum ColumnKind: String, Sendable, Hashable, Codable, CaseIterable {
  /// In billionths, as in `Price` and `Quantity`.
  case number
  /// In billionths of a per cent, as in `Percent`.
  case percent
  /// In nanoseconds.
  case duration
  /// In nanoseconds since 1970, UTC.
  case time
  /// 1 is true, 0 is false.
  case flag
}

/// A named number beside the events of a topic. Two with one name and one kind are equal.
public struct ColumnInfo: Sendable, Hashable, Codable {
  /// Letters, digits and underscores, as of a field.
  public let name: String
  public let kind: ColumnKind
  /// What it is, in one sentence.
  public let doc: String

  public init(_ name: String, _ kind: ColumnKind, _ doc: String = "") {
    self.name = name
    self.kind = kind
    self.doc = doc
  }

  // Columns are the same whatever is said of them, so that an output stays the same when only what is computed for it changes.

  public static func == (a: ColumnInfo, b: ColumnInfo) -> Bool { a.name == b.name && a.kind == b.kind }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(kind)
  }
}

extension ColumnInfo {
  /// Why a column beside events of a type cannot have this name, without a full stop; nil if it can.
  package static func nameFault<E: Event>(_ name: String, beside _: E.Type) -> String? {
    func isLetter(_ byte: UInt8) -> Bool { byte == 95 || (97...122).contains(byte) || (65...90).contains(byte) }
    if name.utf8.first.map(isLetter) != true || !name.utf8.allSatisfy({ isLetter($0) || (48...57).contains($0) }) {
      return "the name of a column is made of letters, digits and underscores, which \(shown(name)) is not"
    }
    let isField = E.schema.fields.contains { $0.name == name }
    return isField ? "a \(E.schema.name) has a field '\(name)'; a column needs another name" : nil
  }
}

/// The columns of a topic, in the order in which they are in a row. They are fixed when a configuration is checked.
public struct ColumnLayout: Sendable, Hashable, Codable {
  public private(set) var columns: [ColumnInfo] = []

  /// The most columns of a topic.
  package static let limit = 64
  /// Stands in a row for no value.
  public static let missing = Int64.min

  public init() {}

  /// The columns of different names.
  public init(_ columns: [ColumnInfo]) { for column in columns { add(column) } }

  public var isEmpty: Bool { columns.isEmpty }
  public var names: [String] { columns.map(\.name) }

  /// The place of a column in a row; nil if there is none of this name.
  public func place(of name: String) -> Int? { columns.firstIndex { $0.name == name } }

  /// Adds a column, in place of one of the same name.
  package mutating func add(_ column: ColumnInfo) {
    if let place = place(of: column.name) { columns[place] = column } else { columns.append(column) }
  }

  /// Why these columns are not those of the same names that a reader expects, without a full stop; nil if they are, or are not there.
  package func misfit(_ wanted: ColumnLayout) -> String? {
    for column in wanted.columns {
      guard let place = place(of: column.name), columns[place].kind != column.kind else { continue }
      return "the column '\(column.name)' is a \(columns[place].kind.rawValue), but a \(column.kind.rawValue) is expected"
    }
    return nil
  }

  /// The columns of several inputs: those of the first in their order, then those that the others have besides. A column keeps its place
  /// along a chain of components.
  package static func union(_ layouts: some Sequence<ColumnLayout>) -> ColumnLayout {
    var all = ColumnLayout()
    for column in layouts.lazy.flatMap(\.columns) where all.place(of: column.name) == nil { all.columns.append(column) }
    return all
  }
}

extension ColumnKind {
  /// Writes a value of a column, bare, as a field of its kind would be: a duration in seconds.
  package func write(_ value: Int64, _ times: TimeStyle, to out: inout ByteWriter) {
    out.reserve(40)
    switch self {
    case .number, .percent, .duration: out.put(fixedPoint: value)
    case .time:
      switch times {
      case .iso8601(let form): out.put(iso8601: Timestamp(ns: value), form: form)
      case .epoch(let unit):
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: unit.rawValue)
        out.put(integer: rest < 0 ? quotient - 1 : quotient)
      }
    case .flag: (value == 0 ? "false" : "true").write(to: &out)
    }
  }

  /// True if JSON writes the kind between quotation marks.
  package func isQuoted(_ times: TimeStyle) -> Bool { if case .iso8601 = times { self == .time } else { false } }
}

extension ColumnKind {
  /// Reads a bare value of a column, as `write` wrote it: a duration in seconds, a time in ISO 8601.
  package func read(_ text: inout ByteReader) throws(TextError) -> Int64 {
    switch self {
    case .number, .percent, .duration:
      var decimals: UInt8 = 0
      return try text.fixedPoint(decimals: &decimals)
    case .time: return try text.iso8601().ns
    case .flag:
      let first = text.offset
      let word = text.rest()
      if word.elementsEqual("true".utf8) { return 1 }
      if word.elementsEqual("false".utf8) { return 0 }
      throw TextError(.unexpected, at: first)
    }
  }
}
