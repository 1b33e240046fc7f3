internal import MarketData

/// The lines of a file as a table: what separates its fields, and where it begins.
struct GuessedTable {
  let delimiter: Delimiter
  /// Lines before the header, or before the first row.
  let skipped: Int
  /// The names of the columns; nil if the first row has values.
  let header: [String]?
  /// Rows with as many fields as most have.
  let rows: [[String]]

  /// How many lines are looked at.
  private static let limit = 400

  init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 10, maxSplits: Self.limit, omittingEmptySubsequences: false).prefix(Self.limit).map { line in
      Array(line.last == 13 ? line.dropLast() : line)
    }
    var best: (delimiter: Delimiter, width: Int, count: Int, rows: [[String]])?
    for delimiter in Delimiter.allCases {
      let rows = lines.map { Self.fields($0, delimiter.rawValue) }
      let widths = Dictionary(grouping: rows.filter { $0.count > 1 }, by: \.count).mapValues(\.count)
      guard let (width, count) = widths.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { continue }
      if best.map({ (count, width) > ($0.count, $0.width) }) ?? true { best = (delimiter, width, count, rows) }
    }
    guard let best, let first = best.rows.firstIndex(where: { $0.count == best.width }) else { return nil }
    delimiter = best.delimiter
    let isHeader = !best.rows[first].contains(where: Self.isValue)
    header = isHeader ? best.rows[first] : nil
    skipped = lines[..<first].allSatisfy(\.isEmpty) ? 0 : first
    rows = best.rows[(isHeader ? first + 1 : first)...].filter { $0.count == best.width }
  }

  /// The values of a column that has some.
  func values(_ column: Int) -> [String] { rows.prefix(200).map { $0[column] }.filter { !$0.isEmpty } }

  private static func fields(_ line: [UInt8], _ delimiter: UInt8) -> [String] {
    var record = QuotedRecord()
    guard !line.isEmpty, line.withUnsafeBufferPointer({ record.step($0, delimiter: delimiter) }) == .complete else { return [] }
    return CSVRows.names(in: record)
  }

  /// True for a number or a time, which name no column.
  static func isValue(_ text: String) -> Bool { isNumber(text) || !TimePattern.guesses(text).isEmpty }

  /// True for a number in any notation.
  static func isNumber(_ text: String) -> Bool {
    var text = text
    guard text.utf8.contains(where: { $0 &- 48 < 10 }) else { return false }
    return text.withUTF8 { text in NumberForm.allCases.contains { $0.number(text) != nil } }
  }
}
