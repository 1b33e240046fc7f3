import StockbusTerminal

/// Rows of text in columns. With a width, the cells of all columns except the first are wrapped.
package struct TextTable {
  var rows: [[String]]

  /// The least width of the last column, if the others can shrink.
  private static let least = 32

  package init(rows: [[String]]) { self.rows = rows }

  /// The lines without trailing blanks, no longer than `width` as far as the longest words allow.
  package func lines(width: Int?) -> [String] {
    let widths = columns(width)
    return rows.flatMap { row in
      let cells = row.enumerated().map { i, cell in wrapped(cell, width: i == 0 || width == nil ? nil : widths[i]) }
      return (0..<(cells.map(\.count).max() ?? 0)).map { line in
        var text = ""
        for (i, cell) in cells.enumerated() {
          let part = line < cell.count ? cell[line] : ""
          text += part + String(repeating: " ", count: max(0, widths[i] - part.count) + 2)
        }
        while text.last == " " { text.removeLast() }
        return text
      }
    }
  }

  /// The width of each column, which is that of its widest cell; the columns between the first and the last shrink, at most to their
  /// longest word.
  private func columns(_ width: Int?) -> [Int] {
    let count = rows.map(\.count).max() ?? 0
    func column(_ i: Int) -> [String] { rows.filter { i < $0.count }.map { $0[i] } }
    var widths = (0..<count).map { i in column(i).map(\.count).max() ?? 0 }
    guard let width, count > 0 else { return widths }
    let longest = (0..<count).map { i in column(i).flatMap { $0.split(separator: " ").map(\.count) }.max() ?? 0 }
    func rest() -> Int { width - widths.dropLast().reduce(0) { $0 + $1 + 2 } }
    while rest() < min(Self.least, widths[count - 1]) {
      guard let widest = (1..<max(1, count - 1)).filter({ widths[$0] > longest[$0] }).max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
    }
    widths[count - 1] = min(widths[count - 1], max(longest[count - 1], rest()))
    return widths
  }
}

/// The words of `text` in lines of at most `width` characters, with longer words on lines of their own; one line without a width.
package func wrapped(_ text: String, width: Int?) -> [String] {
  width.map { text.wrapped(columns: $0) } ?? [text]
}

/// The non-empty lines indented by two blanks.
package func indented(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? "" : "  " + $0 } }

/// The width of texts for people.
package enum PageWidth {
  /// The terminal's columns; nil if standard output is not a terminal, so that lines stay whole for the next program.
  package static var ofTerminal: Int? {
    columns(of: .standardOutput)
  }

  /// The same for standard error, where replies to commands go.
  static var ofStandardError: Int? { columns(of: .standardError) }

  private static func columns(of stream: OutputStream) -> Int? {
    let capabilities = TerminalCapabilities.detect(stream)
    return capabilities.isTerminal ? capabilities.size.columns : nil
  }
}
