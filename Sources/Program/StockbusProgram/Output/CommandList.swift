/// Names or commands with their descriptions, for people.
enum CommandList {
  /// The widest usage of commands with descriptions beside it.
  private static let widest = 36
  /// The fewest characters for descriptions beside the names; if fewer are left, they are under the names.
  private static let narrowest = 38

  /// Two columns; the description of a command with a long usage is under it.
  ///
  /// - Parameters:
  ///   - rows: usage and description.
  ///   - column: the least width of the first column, where several lists stand under each other.
  static func lines(_ rows: [[String]], width: Int, column: Int = 0) -> [String] {
    let short = max(column, rows.map { $0[0].count }.filter { $0 <= widest }.max() ?? 0)
    let rest = width - short - 2
    if rest < narrowest {
      return rows.flatMap { row in wrapped(row[0], width: width) + wrapped(row[1], width: width - 4).map { "    " + $0 } }
    }
    let margin = String(repeating: " ", count: short + 2)
    return rows.flatMap { row -> [String] in
      let description = wrapped(row[1], width: rest)
      guard row[0].count <= short else { return wrapped(row[0], width: width) + description.map { margin + $0 } }
      let head = row[0] + String(repeating: " ", count: short + 2 - row[0].count)
      return description.enumerated().map { ($0 == 0 ? head : margin) + $1 }
    }
  }
}

/// A title and names with their descriptions under it.
struct NameList {
  let title: String
  /// Name and description.
  let rows: [[String]]

  /// - Parameters:
  ///   - width: nil for descriptions on one line.
  ///   - column: the least width of the names' column.
  func text(width: Int?, column: Int) -> String {
    ([title] + indented(CommandList.lines(rows, width: (width ?? 100_000) - 2, column: column))).joined(separator: "\n")
  }
}
