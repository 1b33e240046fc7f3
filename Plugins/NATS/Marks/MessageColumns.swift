internal import StockbusPlugin

/// The columns of JSON messages: which a message has, in the header `Stockbus-Columns` as `vwap:number,away:percent`, and which a reader
/// wants.
struct MessageColumns {
  static let header: StaticString = "Stockbus-Columns"

  private let wanted: ColumnLayout
  /// The text of the last header, and what it says.
  private var text: [UInt8] = []
  /// The columns that the next message may have; the wanted ones first.
  private(set) var layout: ColumnLayout
  private var values: [Int64] = []
  private var fault: String?

  init(_ wanted: ColumnLayout) {
    self.wanted = wanted
    layout = wanted
  }

  static func text(of layout: ColumnLayout) -> String {
    layout.columns.map { "\($0.name):\($0.kind.rawValue)" }.joined(separator: ",")
  }

  /// Nil if the text is malformed.
  private static func layout(_ text: String) -> ColumnLayout? {
    var layout = ColumnLayout()
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    for part in parts {
      let words = part.split(separator: ":", omittingEmptySubsequences: false)
      guard words.count == 2, !words[0].isEmpty, let kind = ColumnKind(rawValue: String(words[1])) else { return nil }
      layout.add(ColumnInfo(String(words[0]), kind))
    }
    return layout.columns.count == parts.count && parts.count <= ColumnLayout.limit ? layout : nil
  }

  /// Prepares for a message; returns why it cannot be read. One without the header may have the wanted columns.
  mutating func expect(_ message: NATSMessage) -> String? {
    let isKnown = message.withHeader(Self.header) { [text] in $0.elementsEqual(text) } ?? text.isEmpty
    if isKnown { return fault }
    text = message.withHeader(Self.header) { Array($0) } ?? []
    let found = text.isEmpty ? ColumnLayout() : Self.layout(String(decoding: text, as: UTF8.self))
    fault =
      found == nil ? "its columns are not known: '\(visible(String(decoding: text, as: UTF8.self), limit: 128))'" : found?.misfit(wanted)
    layout = .union([wanted, found ?? ColumnLayout()])
    return fault
  }

  /// Reads an event with its columns.
  mutating func read<E: Event>(_ text: inout ByteReader) throws(TextError) -> E {
    try E.schema.decodeJSON(&text, columns: layout, row: &values)
  }

  /// The values of the wanted columns in the last message.
  var row: [Int64] { Array(values.prefix(wanted.columns.count)) }
}
