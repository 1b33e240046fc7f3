import StockbusPlugin

/// A component's reply: one or more lines, each preceded by the component's id where several components may reply.
///
/// Tabs separate the fields of a line; all other characters that control a terminal are removed.
package struct ReplyText {
  private let prefix: String
  private let rows: [[String]]

  /// The most lines of a reply; a longer one ends with the number of further lines. A field that is too long ends with `…`.
  static let mostLines = 1000
  private static let mostCharacters = 1000

  package init(_ reply: String, from id: String?) {
    prefix = id.map { "\($0): " } ?? ""
    let lines = reply.split(separator: "\n", omittingEmptySubsequences: false)
    let kept = lines.prefix(Self.mostLines)
    var rows = kept.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { visible(String($0), limit: Self.mostCharacters) }
    }
    if lines.count > kept.count { rows.append(["… and \(lines.count - kept.count) more lines"]) }
    self.rows = reply.isEmpty ? [["nothing"]] : rows
  }

  /// For programs: fields separated by tabs.
  package var lines: [String] { rows.map { prefix + $0.joined(separator: "\t") } }

  /// For people: the fields of lines in columns, as far as the lines that follow each other have the same number of fields.
  package var columns: [String] {
    var tables: [[[String]]] = []
    for row in rows {
      if let last = tables.last?.last, last.count == row.count { tables[tables.count - 1].append(row) } else { tables.append([row]) }
    }
    return tables.flatMap { TextTable(rows: $0).lines(width: nil) }.map { prefix + $0 }
  }
}
