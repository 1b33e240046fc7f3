/// The one rule for text on its way to a terminal: what a terminal does with a character beside showing it.
///
/// A venue's name, a message or a path may hold anything; a terminal obeys what it is sent. `StyledLine` goes by this rule for what is drawn,
/// `TerminalText` for what is written as it comes (JSON, CSV, tables, logs), and `visible` for foreign text in messages.
public enum TerminalEffect: UInt8, Sendable {
  /// It is shown.
  case none
  /// It takes the place of one or more blanks, or ends a line.
  case space
  /// It is obeyed: C0, DEL and C1 (ISO 6429).
  case control
  /// It turns the direction of writing or hides, so that a text can look like another one.
  case misleading
}

extension Unicode.Scalar {
  public var terminalEffect: TerminalEffect {
    switch value {
    case 0x20..<0x7f: .none
    case 0x09...0x0d, 0x85, 0x2028, 0x2029: .space
    case 0..<0x20, 0x7f..<0xa0: .control
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff, 0xfff9...0xfffb: .misleading
    default: .none
    }
  }
}

/// Whole lines of output, as they may go to a terminal.
public enum TerminalText {
  /// The same text without anything that a terminal would obey; nil where it holds nothing of the kind.
  ///
  /// Line ends and tabs stay. Controls are shown as `\u{1b}`. Bytes that are no UTF-8, which some terminals take for controls, become U+FFFD.
  public static func harmless(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f || $0 == 10 || $0 == 9 }) { return nil }
    var out = ""
    var isChanged = false
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar == "\n" || scalar == "\t" || scalar.terminalEffect == .none {
        out.unicodeScalars.append(scalar)
        if scalar == "\u{fffd}" { isChanged = true }
      } else {
        out += scalar.escaped
        isChanged = true
      }
    }
    return isChanged ? Array(out.utf8) : nil
  }

  public static func harmless(_ text: String) -> String {
    var text = text
    return text.withUTF8 { harmless(UnsafeRawBufferPointer($0)) }.map { String(decoding: $0, as: UTF8.self) } ?? text
  }
}

extension Unicode.Scalar {
  /// `\n`, `\u{1b}`.
  var escaped: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }
}
