import StockbusPlugin

/// What a component has answered to a line of `--commands`: a line or several, each behind its name, so that whoever reads them knows
/// whose they are. Tabs part the fields of a line; nothing else that a terminal would obey goes through.
struct ReplyText {
  private let id: String
  private let rows: [[String]]

  /// A longer answer ends with how many lines there were beyond these, a longer field with `…`.
  static let mostLines = 1000
  private static let mostCharacters = 1000

  init(_ reply: String, from id: String) {
    self.id = id
    let lines = reply.split(separator: "\n", omittingEmptySubsequences: false)
    let kept = lines.prefix(Self.mostLines)
    var rows = kept.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { visible(String($0), limit: Self.mostCharacters) }
    }
    if lines.count > kept.count { rows.append(["… and \(lines.count - kept.count) more lines"]) }
    self.rows = reply.isEmpty ? [["nothing"]] : rows
  }

  /// For a program: fields with tabs between.
  var lines: [String] { rows.map { "\(id): " + $0.joined(separator: "\t") } }

  /// For people: fields in columns, where all lines have as many.
  var columns: [String] {
    let isTable = rows.allSatisfy { $0.count == rows[0].count }
    let lines = isTable ? Table(rows: rows).lines(width: nil) : rows.map { $0.joined(separator: "  ") }
    return lines.map { "\(id): " + $0 }
  }
}
