/// The cells of a whole screen. A program draws into a frame, which is then compared with the one on the terminal.
///
/// Anything outside the frame is cut. A wide character is never drawn in half, and no half of one is left over.
package struct CellFrame: Hashable, Sendable {
  package let size: TerminalSize
  /// Row by row.
  var cells: ContiguousArray<Cell>

  /// A blank frame in one style.
  package init(size: TerminalSize, style: Style = .plain) {
    self.size = size
    cells = ContiguousArray(repeating: Cell(" ", style), count: size.columns * size.rows)
  }

  package var columns: Int { size.columns }
  package var rows: Int { size.rows }

  /// The cell at a place inside the frame.
  package subscript(row: Int, column: Int) -> Cell { cells[row * size.columns + column] }

  /// Draws text at a position, at most `width` columns of it; returns the column after it.
  ///
  /// Control characters and the like are removed as in `StyledLine`.
  @discardableResult
  package mutating func put(_ text: String, row: Int, column: Int, _ style: Style = .plain, width: Int = .max) -> Int {
    let end = width >= columns - column ? columns : column + max(0, width)
    guard row >= 0, row < rows, column < end else { return column }
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return putASCII(text, row: row, column: column, style, end: end) }
    var at = column
    for character in text.terminalSafe {
      let width = character.displayWidth
      if width == 0 {
        // Such a character has no column of its own; after another one, Swift has already combined them.
        continue
      }
      if at + width > end { break }
      if at >= 0 {
        set(row, at, Cell(String(character), style))
        if width == 2 { set(row, at + 1, Cell("", style), isHalf: true) }
      }
      at += width
    }
    return at
  }

  private mutating func putASCII(_ text: String, row: Int, column: Int, _ style: Style, end: Int) -> Int {
    var at = column
    for byte in text.utf8 {
      if at >= end { break }
      if at >= 0 { set(row, at, Cell(Cell.ascii[Int(byte)], style)) }
      at += 1
    }
    return at
  }

  /// Draws a line of several styles; a piece without a foreground or background gets that of `style`.
  @discardableResult
  package mutating func put(_ line: StyledLine, row: Int, column: Int, over style: Style = .plain, width: Int = .max) -> Int {
    let end = width >= columns - column ? columns : column + max(0, width)
    var at = column
    for run in line.runs {
      var look = run.style
      if look.background == nil { look.background = style.background }
      if look.foreground == nil { look.foreground = style.foreground }
      at = put(run.text, row: row, column: at, look, width: end - at)
    }
    return at
  }

  /// Clears columns of a row in one style.
  package mutating func clear(row: Int, from column: Int = 0, to end: Int = .max, _ style: Style) {
    guard row >= 0, row < rows else { return }
    let range = max(0, column)..<max(max(0, column), min(end, columns))
    for at in range { set(row, at, Cell(" ", style)) }
  }

  /// Changes the style of columns of a row.
  package mutating func restyle(row: Int, from column: Int = 0, to end: Int = .max, _ change: (inout Style) -> Void) {
    guard row >= 0, row < rows else { return }
    let begin = max(0, column)
    for at in begin..<max(begin, min(end, columns)) { change(&cells[row * columns + at].style) }
  }

  private mutating func set(_ row: Int, _ column: Int, _ cell: Cell, isHalf: Bool = false) {
    let at = row * columns + column
    // Overwriting one half of a wide character removes the other half.
    if !isHalf, cells[at].isContinuation, column > 0 { cells[at - 1].text = " " }
    if column + 1 < columns, cells[at + 1].isContinuation { cells[at + 1].text = " " }
    cells[at] = cell
  }

  /// The text of a row without trailing blanks.
  package func text(row: Int) -> String {
    var text = ""
    for column in 0..<columns { text += self[row, column].text }
    while text.last == " " { text.removeLast() }
    return text
  }

  /// The text of all rows.
  package var text: [String] { (0..<rows).map { text(row: $0) } }

  /// A row in pieces of one style each, without trailing blanks.
  package func line(row: Int) -> StyledLine {
    var end = columns
    while end > 0, self[row, end - 1].text == " " { end -= 1 }
    var line = StyledLine()
    var at = 0
    while at < end {
      let style = self[row, at].style
      var text = ""
      while at < end, self[row, at].style == style {
        text += self[row, at].text
        at += 1
      }
      line.append(text, style)
    }
    return line
  }
}
