package import StockbusTerminal

/// A slow, obvious model of a terminal: rows of cells with styles, a cursor, the alternate screen, and the few sequences that this library
/// sends; any other sequence is reported as an error. When half of a wide character is overwritten, the other half becomes a blank, as on
/// real terminals.
package struct ScreenModel: Sendable {
  package struct Row: Equatable, Sendable {
    /// A cell without text is the right half of a wide character; after the last cell the row is blank.
    package internal(set) var cells: [Cell] = []
    /// True if the line continues in the next row.
    var continues = false

    /// Without the blanks at its end.
    package var text: String {
      let text = cells.map(\.text).joined()
      return String(text.reversed().drop { $0 == " " }.reversed())
    }

    /// In pieces of one style, without the blanks at its end.
    package var runs: [StyledLine.Run] {
      var runs: [StyledLine.Run] = []
      for cell in cells.reversed().drop(while: { $0.text == " " }).reversed() {
        if let last = runs.last, last.style == cell.style {
          runs[runs.count - 1] = .init(last.text + cell.text, cell.style)
        } else {
          runs.append(.init(cell.text, cell.style))
        }
      }
      return runs
    }

    mutating func cut(to column: Int) {
      cells = Array(cells.prefix(column))
      continues = false
    }

    /// Erases a column, and the other half if it has half of a wide character.
    fileprivate mutating func erase(_ column: Int) {
      if column < cells.count, cells[column].text.isEmpty, column > 0 { cells[column - 1].text = " " }
      if column + 1 < cells.count, cells[column + 1].text.isEmpty { cells[column + 1].text = " " }
    }
  }

  package private(set) var columns: Int
  package private(set) var rows: Int
  /// The rows that have left the screen at the top.
  package private(set) var scrollback: [Row] = []
  package private(set) var screen: [Row]
  package private(set) var row = 0
  package private(set) var column = 0
  package private(set) var isCursorVisible = true
  package private(set) var wraps = true
  package private(set) var hasMouse = false
  package private(set) var isSynchronizing = false
  /// The number of times the bell has rung.
  package private(set) var rings = 0
  package private(set) var complaints: [String] = []
  private var wrapPending = false
  private var lastWritten = 0
  private var style = Style.plain
  /// The main screen, while the alternate screen is shown.
  private var covered: [ScreenModel] = []
  private let reflows: Bool
  /// Characters that this terminal shows one column wider or narrower than the library assumes.
  private let disagrees: Set<Character>

  package init(columns: Int, rows: Int, reflows: Bool = true, disagrees: Set<Character> = []) {
    self.columns = columns
    self.rows = rows
    self.reflows = reflows
    self.disagrees = disagrees
    screen = Array(repeating: Row(), count: rows)
  }

  /// True while the alternate screen is shown.
  package var isFullScreen: Bool { !covered.isEmpty }

  /// All rows including the scrollback, without the empty rows at the end.
  package var text: [String] {
    var lines = (scrollback + screen).map(\.text)
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// The same with wrapped lines joined.
  package var logicalLines: [String] {
    var lines: [String] = []
    var line = ""
    for row in scrollback + screen {
      line += row.continues ? row.cells.map(\.text).joined() : row.text
      if !row.continues {
        lines.append(line)
        line = ""
      }
    }
    return lines
  }

  /// The cell at a position of the screen.
  package func cell(row: Int, column: Int) -> Cell {
    column < screen[row].cells.count ? screen[row].cells[column] : Cell()
  }

  package mutating func feed(_ bytes: [UInt8]) {
    let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    var at = 0
    while at < scalars.count {
      let scalar = scalars[at]
      switch scalar {
      case "\r":
        at += 1
        column = 0
        wrapPending = false
      case "\n":
        at += 1
        lineFeed()
      case "\u{7}":
        at += 1
        rings += 1
      case "\u{1b}":
        at += 1
        var sequence = ""
        while at < scalars.count, sequence.count < 2 || !scalars[at - 1].properties.isAlphabetic {
          sequence.unicodeScalars.append(scalars[at])
          at += 1
        }
        obey(sequence)
      case _ where Self.isControl(scalar):
        at += 1
        complaints.append("control \(scalar.value)")
      default:
        // Characters in Swift's sense, of any number of scalars.
        var text = ""
        while at < scalars.count, !Self.isControl(scalars[at]) {
          text.unicodeScalars.append(scalars[at])
          at += 1
        }
        for character in text { put(character) }
      }
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 32 || (0x7f..<0xa0).contains(scalar.value) }

  private mutating func obey(_ sequence: String) {
    let body = sequence.dropFirst().dropLast()
    let numbers = body.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    let number = Int(body)
    switch (sequence, sequence.last) {
    case ("[?25h", _): isCursorVisible = true
    case ("[?25l", _): isCursorVisible = false
    case ("[?7h", _): wraps = true
    case ("[?7l", _): wraps = false
    case ("[?1000h", _), ("[?1006h", _): hasMouse = true
    case ("[?1000l", _), ("[?1006l", _): hasMouse = false
    case ("[?2026h", _): isSynchronizing = true
    case ("[?2026l", _): isSynchronizing = false
    // A query that this terminal does not reply to.
    case ("[?2026$p", _): break
    case ("[?1049h", _): cover()
    case ("[?1049l", _): uncover()
    case ("[K", _): screen[row].cut(to: column)
    case ("[J", _):
      screen[row].cut(to: column)
      for below in (row + 1)..<max(row + 1, rows) { screen[below] = Row() }
    case ("[2J", _):
      let blank = Row(cells: Array(repeating: Cell(" ", style), count: columns))
      screen = Array(repeating: style == .plain ? Row() : blank, count: rows)
    case (_, "A") where number != nil: row = max(0, row - number!)
    case (_, "B") where number != nil: row = min(rows - 1, row + number!)
    case (_, "H") where numbers.count == 2:
      row = min(rows, max(1, numbers[0])) - 1
      column = min(columns, max(1, numbers[1])) - 1
    case (_, "m"): return look(numbers)
    default: complaints.append("sequence ESC\(sequence)")
    }
    wrapPending = false
  }

  /// Selects styles (SGR).
  private mutating func look(_ numbers: [Int]) {
    var rest = numbers[...]
    while let number = rest.popFirst() {
      switch number {
      case 0: style = .plain
      case 1: style.isBold = true
      case 2: style.isDim = true
      case 3: style.isItalic = true
      case 4: style.isUnderlined = true
      case 7: style.isInverse = true
      case 30...37: style.foreground = .ansi(UInt8(number - 30))
      case 40...47: style.background = .ansi(UInt8(number - 40))
      case 90...97: style.foreground = .ansi(UInt8(number - 82))
      case 100...107: style.background = .ansi(UInt8(number - 92))
      case 38, 48:
        let kind = rest.popFirst() ?? 0
        let values = (0..<(kind == 2 ? 3 : 1)).map { _ in UInt8(rest.popFirst() ?? 0) }
        let color: Color = kind == 2 ? .rgb(values[0], values[1], values[2]) : .palette(values[0])
        if number == 38 { style.foreground = color } else { style.background = color }
      default: complaints.append("SGR \(number)")
      }
    }
  }

  private mutating func put(_ character: Character) {
    let width = character.displayWidth
    if width == 0 {
      if lastWritten < screen[row].cells.count { screen[row].cells[lastWritten].text += String(character) }
      return
    }
    if wrapPending || column + width > columns {
      if wraps {
        screen[row].continues = true
        column = 0
        lineFeed()
      } else {
        column = max(0, columns - width)
      }
    }
    while screen[row].cells.count < column + width { screen[row].cells.append(Cell()) }
    for at in column..<column + width { screen[row].erase(at) }
    screen[row].cells[column] = Cell(String(character), style)
    lastWritten = column
    if width == 2 { screen[row].cells[column + 1] = Cell("", style) }
    column += disagrees.contains(character) ? (width == 2 ? 1 : 2) : width
    wrapPending = false
    if column >= columns {
      column = columns - 1
      wrapPending = wraps
    }
  }

  private mutating func lineFeed() {
    wrapPending = false
    if row < rows - 1 {
      row += 1
    } else {
      // The alternate screen has no scrollback.
      let first = screen.removeFirst()
      if covered.isEmpty { scrollback.append(first) }
      screen.append(Row())
    }
  }

  private mutating func cover() {
    if isFullScreen { return }
    covered = [self]
    scrollback = []
    screen = Array(repeating: Row(), count: rows)
    (row, column) = (0, 0)
  }

  private mutating func uncover() {
    guard let under = covered.popLast() else { return }
    (scrollback, screen, row, column) = (under.scrollback, under.screen, under.row, under.column)
  }

  /// Resizes the window: lines are wrapped again or cut, rows that no longer fit leave at the top, and the cursor stays at its text. The
  /// alternate screen is only cut.
  package mutating func resize(columns: Int, rows: Int) {
    if var under = covered.popLast() {
      under.resize(columns: columns, rows: rows)
      covered = [under]
      screen = Array((screen + Array(repeating: Row(), count: rows)).prefix(rows))
      for index in screen.indices { screen[index].cut(to: columns) }
      (row, column) = (min(row, rows - 1), min(column, columns - 1))
      (self.columns, self.rows) = (columns, rows)
      return
    }
    var all = scrollback + screen
    var cursor = scrollback.count + row
    while all.count > cursor + 1, all.last!.cells.isEmpty { all.removeLast() }
    if reflows {
      var fresh: [Row] = []
      var line: [Cell] = []
      var freshCursor = 0
      for (index, row) in all.enumerated() {
        if index == cursor { freshCursor = fresh.count + Self.broken(line, columns).count - (line.isEmpty ? 1 : 0) }
        line += row.cells
        if row.continues { continue }
        fresh += Self.broken(line, columns)
        line = []
      }
      all = fresh
      cursor = freshCursor
    } else {
      for index in all.indices { all[index].cut(to: columns) }
    }
    while all.count < rows { all.append(Row()) }
    // The last rows stay at the bottom of the window, as long as the cursor is visible.
    let first = min(max(all.count - rows, cursor - rows + 1, 0), cursor)
    scrollback = Array(all[..<first])
    screen = Array(all[first...].prefix(rows))
    while screen.count < rows { screen.append(Row()) }
    row = cursor - first
    column = min(column, columns - 1)
    wrapPending = false
    self.columns = columns
    self.rows = rows
  }

  private static func broken(_ cells: [Cell], _ columns: Int) -> [Row] {
    var rows = [Row()]
    var index = 0
    while index < cells.count {
      let width = index + 1 < cells.count && cells[index + 1].text.isEmpty ? 2 : 1
      if rows[rows.count - 1].cells.count + width > columns, !rows[rows.count - 1].cells.isEmpty {
        rows[rows.count - 1].continues = true
        rows.append(Row())
      }
      rows[rows.count - 1].cells += cells[index..<index + width]
      index += width
    }
    return rows
  }
}
