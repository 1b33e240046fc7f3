/// The escape sequences this library sends: ECMA-48's, and the private modes that every terminal since the VT220 has.
enum Sequences {
  static let newLine = Array("\r\n".utf8)
  static let lineStart: UInt8 = 13
  /// From the cursor to the end of the line (EL).
  static let clearLine = Array("\u{1b}[K".utf8)
  /// From the cursor to the end of the screen (ED).
  static let clearBelow = Array("\u{1b}[J".utf8)
  /// Hides the cursor and lets lines end at the right margin instead of breaking (DECTCEM, DECAWM).
  static let begin = Array("\u{1b}[?25l\u{1b}[?7l".utf8)
  /// Takes `begin` back.
  static let end = Array("\u{1b}[?7h\u{1b}[?25h".utf8)
  static let wrap = Array("\u{1b}[?7h".utf8)
  static let noWrap = Array("\u{1b}[?7l".utf8)
  /// Asks the terminal to show nothing until `syncEnd` (private mode 2026); terminals that do not know it ignore it.
  static let syncBegin = Array("\u{1b}[?2026h".utf8)
  static let syncEnd = Array("\u{1b}[?2026l".utf8)
  /// Everything back to normal at once, for handlers of signals: end of a synchronized frame, looks, wrapping, cursor, a new line.
  static let crash: StaticString = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\r\n"

  static func up(_ n: Int) -> [UInt8] { n > 0 ? Array("\u{1b}[\(n)A".utf8) : [] }
  static func down(_ n: Int) -> [UInt8] { n > 0 ? Array("\u{1b}[\(n)B".utf8) : [] }
}
