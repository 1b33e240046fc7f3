import StockbusTerminal

/// A full-screen terminal as a slow, obvious model: cells with looks, a cursor, the few sequences that are sent to it; anything else is a
/// complaint. Half of a wide character that is written over leaves a blank, as on real ones.
struct CellEmulator {
  private(set) var cells: [[Cell]]
  private(set) var complaints: [String] = []
  private(set) var isSynchronizing = false
  private(set) var frames = 0
  private var row = 0
  private var column = 0
  private var style = Style.plain
  /// Characters that this terminal finds one column wider or narrower than we do.
  let disagrees: Set<Character>

  init(columns: Int, rows: Int, disagrees: Set<Character> = []) {
    cells = Array(repeating: Array(repeating: Cell("?", .plain), count: columns), count: rows)
    self.disagrees = disagrees
  }

  mutating func feed(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == "\u{1b}" {
        guard rest.popFirst() == "[" else {
          complaints.append("escape without [")
          continue
        }
        let body = rest.prefix { !$0.isLetter }
        rest = rest.dropFirst(body.count)
        obey(String(body), rest.popFirst() ?? "?")
      } else if let scalar = character.unicodeScalars.first, scalar.value < 32 {
        complaints.append("control \(scalar.value)")
      } else {
        put(character)
      }
    }
  }

  private mutating func put(_ character: Character) {
    let width = max(1, character.displayWidth)
    guard row < cells.count, column + width <= cells[row].count else {
      complaints.append("outside: \(character) at \(row), \(column)")
      return
    }
    for at in column..<column + width { erase(at) }
    cells[row][column] = Cell(String(character), style)
    if width == 2 { cells[row][column + 1] = Cell("", style) }
    column += disagrees.contains(character) ? (width == 2 ? 1 : 2) : width
  }

  /// Whatever stands there goes, and with it the other half.
  private mutating func erase(_ at: Int) {
    if cells[row][at].text.isEmpty, at > 0 { cells[row][at - 1].text = " " }
    if at + 1 < cells[row].count, cells[row][at + 1].text.isEmpty { cells[row][at + 1].text = " " }
  }

  private mutating func obey(_ body: String, _ final: Character) {
    let numbers = body.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    switch (body, final) {
    case ("?2026", "h"): isSynchronizing = true
    case ("?2026", "l"):
      isSynchronizing = false
      frames += 1
    case ("2", "J"):
      for row in cells.indices { cells[row] = Array(repeating: Cell(" ", style), count: cells[row].count) }
    case (_, "H"):
      row = max(1, numbers.first ?? 1) - 1
      column = max(1, numbers.count > 1 ? numbers[1] : 1) - 1
    case (_, "m"): look(numbers)
    default: complaints.append("ESC[\(body)\(final)")
    }
  }

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
}
