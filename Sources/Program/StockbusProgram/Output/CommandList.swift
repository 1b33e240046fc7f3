/// Commands with their descriptions, for people.
enum CommandList {
  /// The widest usage of commands with descriptions beside it.
  private static let widest = 36

  /// Two columns; the description of a command with a long usage is under it.
  ///
  /// - Parameter rows: usage and description.
  static func lines(_ rows: [[String]], width: Int) -> [String] {
    let short = rows.map { $0[0].count }.filter { $0 <= widest }.max() ?? 0
    return rows.flatMap { row -> [String] in
      let isShort = row[0].count <= short
      let margin = String(repeating: " ", count: short + 2)
      let description = wrapped(row[1], width: max(20, width - short - 2))
      guard isShort else { return wrapped(row[0], width: width) + description.map { margin + $0 } }
      let head = row[0] + String(repeating: " ", count: short + 2 - row[0].count)
      return description.enumerated().map { ($0 == 0 ? head : margin) + $1 }
    }
  }
}
