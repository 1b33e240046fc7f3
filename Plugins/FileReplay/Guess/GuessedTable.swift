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
  /// How the other lines behind the header begin: a footer, comments.
  let others: [String]

  /// How many lines are looked at.
  private static let limit = 400

  /// A table without rows.
  init() { (delimiter, skipped, header, rows, others) = (.comma, 0, nil, [], []) }

  init?(_ bytes: [UInt8]) {
    var best: (delimiter: Delimiter, width: Int, count: Int, records: [Record])?
    for delimiter in Delimiter.allCases {
      let records = Self.records(bytes, delimiter.rawValue)
      let widths = Dictionary(grouping: records.filter { $0.fields.count > 1 }, by: \.fields.count).mapValues(\.count)
      guard let (width, count) = widths.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { continue }
      // Of two that fit nearly as many lines, the one with more columns: a decimal comma is in every line too.
      if best.map({ count * 10 >= $0.count * 9 ? (width, count) > ($0.width, $0.count) : count > $0.count }) ?? true {
        best = (delimiter, width, count, records)
      }
    }
    guard let best, let first = best.records.firstIndex(where: { $0.fields.count == best.width }) else { return nil }
    delimiter = best.delimiter
    let isHeader = !best.records[first].fields.contains(where: Self.isValue)
    header = isHeader ? best.records[first].fields : nil
    skipped = best.records[..<first].contains { !$0.fields.isEmpty } ? best.records[first].line : 0
    let records = best.records[(isHeader ? first + 1 : first)...]
    rows = records.map(\.fields).filter { $0.count == best.width }
    let starts = records.filter { $0.fields.count == best.width }.map(\.start)
    let areNumbers = starts.allSatisfy { $0.first?.isNumber == true }
    // A damaged row begins as the others do, and leaving out all lines that begin like it would leave out good ones.
    let others = records.filter { $0.fields.count != best.width && !$0.fields.isEmpty && !$0.start.isEmpty }.map(\.start).filter { start in
      !(areNumbers && start.first?.isNumber == true) && !starts.contains { $0.hasPrefix(start) }
    }
    self.others = Set(others).count <= 5 ? others.reduce(into: []) { if !$0.contains($1) { $0.append($1) } } : []
  }

  private struct Record {
    /// Counted from 0.
    let line: Int
    /// How its line begins.
    let start: String
    /// None for a blank line.
    let fields: [String]
  }

  private static func records(_ bytes: [UInt8], _ delimiter: UInt8) -> [Record] {
    var records: [Record] = []
    var at = 0
    var line = 0
    while at < bytes.count, records.count < limit {
      var record = QuotedRecord()
      let first = line
      var end = at
      var step = QuotedRecord.Step.unfinished
      while step == .unfinished, end < bytes.count, line - first < 20 {
        end = bytes[end...].firstIndex(of: 10) ?? bytes.count
        let last = end > at && bytes[end - 1] == 13 ? end - 1 : end
        step = bytes[at..<last].withUnsafeBufferPointer { record.step($0, delimiter: delimiter) }
        end += 1
        line += 1
      }
      let text = bytes[at..<max(at, end - 1)].prefix { $0 != 10 && $0 != 13 }
      let fields = step != .complete ? [String(decoding: text, as: UTF8.self)] : text.isEmpty ? [] : CSVRows.names(in: record)
      // Not half of a character.
      let start = String(decoding: text.prefix { $0 != delimiter }.prefix(24), as: UTF8.self).prefix { $0 != "\u{fffd}" }
      records.append(Record(line: first, start: String(start), fields: fields))
      at = end
    }
    return records
  }

  /// The values of a column that has some.
  func values(_ column: Int) -> [String] { rows.prefix(200).map { $0[column] }.filter { !$0.isEmpty } }

  /// True for a number or a time, which name no column.
  private static func isValue(_ text: String) -> Bool { isNumber(text) || !TimePattern.guesses(text).isEmpty }

  /// True for a number in any notation.
  static func isNumber(_ text: String) -> Bool {
    var text = text
    guard text.utf8.contains(where: { $0 &- 48 < 10 }) else { return false }
    return text.withUTF8 { text in NumberForm.allCases.contains { $0.number(text) != nil } }
  }
}
