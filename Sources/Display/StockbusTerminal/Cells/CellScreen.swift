/// The contents of a terminal in full-screen mode, and the bytes that change it to the next frame.
///
/// A value without I/O: every method returns the bytes of one frame, to be written at once and in order.
package struct CellScreen: Sendable {
  private var shown: CellFrame?
  private let colors: ColorDepth
  private let isUTF8: Bool
  /// Escape sequences by style, cached because finding the nearest of 256 colours takes longer than drawing.
  private var sequences: [Style: [UInt8]] = [:]

  package init(colors: ColorDepth, isUTF8: Bool) {
    self.colors = colors
    self.isUTF8 = isUTF8
  }

  /// To be called when the contents of the screen are unknown: the next frame is drawn completely.
  package mutating func invalidate() { shown = nil }

  /// The bytes that show `frame`; empty if it is already shown. With `synchronized` the frame appears at once on terminals that support it.
  package mutating func show(_ frame: CellFrame, synchronized: Bool) -> [UInt8] {
    var out: [UInt8] = []
    if let shown, shown.size == frame.size {
      if shown == frame { return [] }
      change(shown, frame, &out)
    } else {
      out += Self.clearAll
      change(nil, frame, &out)
    }
    shown = frame
    if out.isEmpty { return out }
    return (synchronized ? Sequences.syncBegin : []) + out + Style.reset + (synchronized ? Sequences.syncEnd : [])
  }

  /// Resets the style and clears the screen; the cursor does not move.
  private static let clearAll = Array("\u{1b}[0m\u{1b}[2J".utf8)

  private mutating func change(_ old: CellFrame?, _ new: CellFrame, _ out: inout [UInt8]) {
    var style: Style?
    for row in 0..<new.rows {
      /// The cursor's column, if it is in this row.
      var cursor: Int?
      var column = 0
      while column < new.columns {
        let at = row * new.columns + column
        let cell = new.cells[at]
        let width = column + 1 < new.columns && new.cells[at + 1].isContinuation ? 2 : 1
        defer { column += width }
        if let old, old.cells[at] == cell, width == 1 || old.cells[at + 1] == new.cells[at + 1] { continue }
        if cursor != column { move(row, column, &out) }
        if style != cell.style {
          out += sequence(cell.style)
          style = cell.style
        }
        let isPlain = append(cell, width, &out)
        // A terminal may draw such a character wider or narrower than expected, so the cursor is positioned before the next one.
        cursor = isPlain ? column + width : nil
      }
    }
  }

  private func move(_ row: Int, _ column: Int, _ out: inout [UInt8]) {
    out += [0x1b, 0x5b]
    append(row + 1, &out)
    out.append(0x3b)
    append(column + 1, &out)
    out.append(0x48)
  }

  private func append(_ number: Int, _ out: inout [UInt8]) {
    if number >= 10 { append(number / 10, &out) }
    out.append(UInt8(48 + number % 10))
  }

  /// Returns true if all terminals agree about the character's width.
  private func append(_ cell: Cell, _ width: Int, _ out: inout [UInt8]) -> Bool {
    if cell.isContinuation {
      out.append(32)
      return true
    }
    let utf8 = cell.text.utf8
    if utf8.count == 1 || isUTF8 {
      out += utf8
      return utf8.count == 1 || (width == 1 && cell.text.unicodeScalars.count == 1)
    }
    for _ in 0..<width { out.append(Self.substitute(cell.text)) }
    return true
  }

  /// A substitute for a character if only ASCII is safe.
  private static func substitute(_ text: String) -> UInt8 {
    guard let scalar = text.unicodeScalars.first else { return 32 }
    switch scalar {
    case "─", "━", "→", "–", "—": return UInt8(ascii: "-")
    case "│", "┃": return UInt8(ascii: "|")
    case "┌", "┐", "└", "┘", "├", "┤", "┬", "┴", "┼", "╭", "╮", "╰", "╯": return UInt8(ascii: "+")
    case "▲": return UInt8(ascii: "^")
    case "▼": return UInt8(ascii: "v")
    case "▸", "▶", "›": return UInt8(ascii: ">")
    case "·", "…": return UInt8(ascii: ".")
    case "●", "★", "◆": return UInt8(ascii: "*")
    case "○", "◌": return UInt8(ascii: "o")
    case "▁", "▂": return UInt8(ascii: "_")
    case "▃", "▄": return UInt8(ascii: "-")
    case "▅", "▆": return UInt8(ascii: "=")
    case "▇", "█": return UInt8(ascii: "#")
    case "\u{2800}": return 32
    case "\u{2801}"..."\u{28ff}": return UInt8(ascii: "*")
    default: return UInt8(ascii: "?")
    }
  }

  private mutating func sequence(_ style: Style) -> [UInt8] {
    if let known = sequences[style] { return known }
    if sequences.count > 4096 { sequences.removeAll() }
    let fresh = Style.reset + style.sgr(colors)
    sequences[style] = fresh
    return fresh
  }
}
