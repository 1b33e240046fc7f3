/// The escape sequences that are used here: those of ECMA-48, and private modes that every terminal since the VT220 supports.
enum Sequences {
  static let newLine = Array("\r\n".utf8)
  static let lineStart: UInt8 = 13
  /// From the cursor to the end of the line (EL).
  static let clearLine = Array("\u{1b}[K".utf8)
  /// From the cursor to the end of the screen (ED).
  static let clearBelow = Array("\u{1b}[J".utf8)
  /// Hides the cursor, and cuts lines at the right margin instead of wrapping them (DECTCEM, DECAWM).
  static let begin = Array("\u{1b}[?25l\u{1b}[?7l".utf8)
  /// Reverses `begin`.
  static let end = Array("\u{1b}[?7h\u{1b}[?25h".utf8)
  static let wrap = Array("\u{1b}[?7h".utf8)
  static let noWrap = Array("\u{1b}[?7l".utf8)
  /// Asks the terminal to delay drawing until `syncEnd` (private mode 2026); terminals that do not support it ignore it.
  static let syncBegin = Array("\u{1b}[?2026h".utf8)
  static let syncEnd = Array("\u{1b}[?2026l".utf8)
  /// Resets everything at once, for signal handlers: ends a synchronised frame, resets style, wrapping and cursor, and begins a new line.
  static let crash: StaticString = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\r\n"

  /// Switches to the alternate screen, without a cursor and wrapping, and clears it.
  static let fullScreenBegin = Array("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[0m\u{1b}[2J".utf8)
  /// Reverses `fullScreenBegin` and `mouse`, whatever was on.
  static let fullScreenEnd: StaticString = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?1006l\u{1b}[?1000l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"
  /// The same for a shell's `printf '%b'`.
  static let fullScreenEndForPrintf = "\(fullScreenEnd)".split(separator: "\u{1b}").map { "\\033" + $0 }.joined()
  /// Reports presses, releases and the wheel, with positions of any size (SGR).
  static let mouse = Array("\u{1b}[?1000h\u{1b}[?1006h".utf8)
  /// Asks whether the terminal supports synchronised frames (DECRQM).
  static let querySync = Array("\u{1b}[?2026$p".utf8)

  static func up(_ n: Int) -> [UInt8] { n > 0 ? Array("\u{1b}[\(n)A".utf8) : [] }
  static func down(_ n: Int) -> [UInt8] { n > 0 ? Array("\u{1b}[\(n)B".utf8) : [] }
}
