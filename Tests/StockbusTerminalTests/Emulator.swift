import StockbusTerminal

/// A terminal as a slow, obvious model: rows of cells, a cursor, the few sequences this library sends; anything else is a complaint.
struct Emulator {
  struct Row: Equatable {
    var cells: [String] = []  // "" is the right half of a wide character
    var continues = false  // whether the line goes on in the next row

    var text: String {
      let text = cells.joined()
      return String(text.reversed().drop { $0 == " " }.reversed())
    }
  }

  private(set) var columns: Int
  private(set) var rows: Int
  private(set) var scrollback: [Row] = []
  private(set) var screen: [Row]
  private(set) var row = 0
  private(set) var column = 0
  private var wrapPending = false
  private var lastWritten = 0
  private(set) var isCursorVisible = true
  private(set) var wraps = true
  private(set) var complaints: [String] = []
  let reflows: Bool

  init(columns: Int, rows: Int, reflows: Bool = true) {
    self.columns = columns
    self.rows = rows
    self.reflows = reflows
    screen = Array(repeating: Row(), count: rows)
  }

  /// Everything ever shown that is still there, without the empty rows at the end.
  var text: [String] {
    var lines = (scrollback + screen).map(\.text)
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// The same with broken lines put together.
  var logicalLines: [String] {
    var lines: [String] = []
    var line = ""
    for row in scrollback + screen {
      line += row.continues ? row.cells.joined() : row.text
      if !row.continues {
        lines.append(line)
        line = ""
      }
    }
    return lines
  }

  mutating func feed(_ bytes: [UInt8]) {
    let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    var at = 0
    while at < scalars.count {
      let scalar = scalars[at]
      at += 1
      switch scalar {
      case "\r":
        column = 0
        wrapPending = false
      case "\n": lineFeed()
      case "\u{1b}":
        var sequence = ""
        while at < scalars.count, sequence.count < 2 || !scalars[at - 1].properties.isAlphabetic {
          sequence.unicodeScalars.append(scalars[at])
          at += 1
        }
        obey(sequence)
      default:
        if scalar.value < 32 || (0x7f..<0xa0).contains(scalar.value) { complaints.append("control \(scalar.value)") }
        put(String(Character(scalar)), width: Character(scalar).displayWidth)
      }
    }
  }

  private mutating func obey(_ sequence: String) {
    let number = Int(sequence.dropFirst().dropLast())
    switch (sequence, sequence.last) {
    case ("[?25h", _): isCursorVisible = true
    case ("[?25l", _): isCursorVisible = false
    case ("[?7h", _): wraps = true
    case ("[?7l", _): wraps = false
    case ("[?2026h", _), ("[?2026l", _): break
    case ("[K", _): screen[row].cut(to: column)
    case ("[J", _):
      screen[row].cut(to: column)
      for below in (row + 1)..<max(row + 1, rows) { screen[below] = Row() }
    case (_, "A") where number != nil: row = max(0, row - number!)
    case (_, "B") where number != nil: row = min(rows - 1, row + number!)
    case (_, "m"): return
    default: complaints.append("sequence ESC\(sequence)")
    }
    wrapPending = false
  }

  private mutating func put(_ text: String, width: Int) {
    if width == 0 {
      if lastWritten < screen[row].cells.count { screen[row].cells[lastWritten] += text }
      return
    }
    if wrapPending || column + width > columns {
      if wraps {
        screen[row].continues = true
        column = 0
        lineFeed()
      } else {
        column = columns - width
      }
    }
    while screen[row].cells.count < column + width { screen[row].cells.append(" ") }
    screen[row].cells[column] = text
    lastWritten = column
    if width == 2 { screen[row].cells[column + 1] = "" }
    column += width
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
      scrollback.append(screen.removeFirst())
      screen.append(Row())
    }
  }

  /// A new window: narrower lines are broken anew or cut, rows that no longer fit go off at the top, and the cursor keeps its text.
  mutating func resize(columns: Int, rows: Int) {
    var all = scrollback + screen
    var cursor = scrollback.count + row
    while all.count > cursor + 1, all.last!.cells.isEmpty { all.removeLast() }
    if reflows {
      var fresh: [Row] = []
      var line: [String] = []
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
    // The bottom of what there is stays at the bottom of the window, as long as the cursor is in it.
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

  private static func broken(_ cells: [String], _ columns: Int) -> [Row] {
    var rows = [Row()]
    var index = 0
    while index < cells.count {
      let width = index + 1 < cells.count && cells[index + 1] == "" ? 2 : 1
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

extension Emulator.Row {
  mutating func cut(to column: Int) {
    cells = Array(cells.prefix(column))
    continues = false
  }
}
