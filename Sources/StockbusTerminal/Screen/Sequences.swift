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

  /// The other screen of the terminal, without a cursor, without wrapping, blank.
  static let fullScreenBegin = Array("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[0m\u{1b}[2J".utf8)
  /// Takes `fullScreenBegin` and the mouse back, whatever was on.
  static let fullScreenEnd: StaticString = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?1006l\u{1b}[?1000l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"
  /// The same for `printf '%b'` of a shell.
  static let fullScreenEndForPrintf = "\(fullScreenEnd)".split(separator: "\u{1b}").map { "\\033" + $0 }.joined()
  /// Presses, releases and the wheel, with places of any size (SGR).
  static let mouse = Array("\u{1b}[?1000h\u{1b}[?1006h".utf8)
  /// Asks whether the terminal knows synchronized frames (DECRQM).
  static let querySync = Array("\u{1b}[?2026$p".utf8)

  static func up(_ n: Int) -> [UInt8] { n > 0 ? Array("\u{1b}[\(n)A".utf8) : [] }
  static func down(_ n: Int) -> [UInt8] { n > 0 ? Array("\u{1b}[\(n)B".utf8) : [] }
}
