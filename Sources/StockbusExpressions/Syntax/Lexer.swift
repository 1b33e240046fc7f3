/// Cuts a text into tokens; every one knows its bytes.
struct Lexer {
  let text: String
  private let bytes: [UInt8]
  private(set) var at = 0

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  /// The next token with its place; `.end` again and again at the end.
  mutating func next() throws(ExpressionError) -> (token: Token, range: Range<Int>) {
    while let byte = peek(), byte == 32 || byte == 9 || byte == 10 || byte == 13 { at += 1 }
    let begin = at
    guard let byte = peek() else { return (.end, at..<at) }
    let token: Token
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): token = try literal()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): token = try string(byte)
    case _ where Self.beginsWord(byte): token = .word(word())
    default: token = .mark(try mark())
    }
    return (token, begin..<at)
  }

  func peek(_ ahead: Int = 0) -> UInt8? { at + ahead < bytes.count ? bytes[at + ahead] : nil }

  mutating func skip(_ count: Int = 1) { at += count }

  func fail(_ code: ExpressionError.Code, _ message: String, from begin: Int, to end: Int? = nil, isIncomplete: Bool = false)
    -> ExpressionError
  {
    ExpressionError(code, message, text, begin..<(end ?? at), isIncomplete: isIncomplete)
  }

  static func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 &- 48 < 10 } ?? false }

  static func beginsWord(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "_") || byte >= 0x80 }

  static func continuesWord(_ byte: UInt8) -> Bool { beginsWord(byte) || isDigit(byte) }

  /// Letters, digits and `_`, with points between them: `price`, `BRK.B`, `bid_size`.
  mutating func word() -> String {
    let begin = at
    while let byte = peek() {
      let isInner = byte == UInt8(ascii: ".") && peek(1).map(Self.continuesWord) ?? false
      guard Self.continuesWord(byte) || isInner else { break }
      at += 1
    }
    return String(decoding: bytes[begin..<at], as: UTF8.self)
  }

  func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

  private mutating func mark() throws(ExpressionError) -> Token.Mark {
    let begin = at
    let two = String(decoding: bytes[at..<min(at + 2, bytes.count)], as: UTF8.self)
    if let mark = Token.Mark(rawValue: two) {
      at += 2
      return mark
    }
    // What other languages write.
    let hints = ["&&": "and", "||": "or", "<>": "!=", "=<": "<=", "=>": ">=", "=~": "matches"]
    if let hint = hints[two] { throw fail(.syntax, "write '\(hint)'", from: begin, to: begin + 2) }
    let one = String(two.prefix(1))
    if let mark = Token.Mark(rawValue: one) {
      at += 1
      return mark
    }
    switch one {
    case "=": throw fail(.syntax, "write '==' to compare", from: begin, to: begin + 1, isIncomplete: begin + 1 == bytes.count)
    case "!": throw fail(.syntax, "write 'not', or '!=' to compare", from: begin, to: begin + 1, isIncomplete: begin + 1 == bytes.count)
    case "&": throw fail(.syntax, "write 'and'", from: begin, to: begin + 1)
    case "|": throw fail(.syntax, "write 'or'", from: begin, to: begin + 1)
    case "%": throw fail(.syntax, "a '%' stands directly behind a number, as in 1.5%", from: begin, to: begin + 1)
    case ".":
      let isOpen = begin + 1 == bytes.count && begin > 0 && Self.isDigit(bytes[begin - 1])
      throw fail(.syntax, "a number begins and ends with a digit, as in 0.5", from: begin, to: begin + 1, isIncomplete: isOpen)
    case "$", "`", "#", "^", "@", "~", "\\", ";", ":", "?", "{", "}":
      let hint = "symbols with other characters than letters and digits are written as \"\(one)X\""
      throw fail(.syntax, "'\(one)' has no meaning here; \(hint)", from: begin, to: begin + 1)
    default: throw fail(.syntax, "unexpected character", from: begin, to: begin + 1)
    }
  }

  /// Between quotation marks of one kind; `\"`, `\'`, `\\`, `\n`, `\r`, `\t` and `\u{…}` are escapes.
  private mutating func string(_ quote: UInt8) throws(ExpressionError) -> Token {
    let begin = at
    at += 1
    var content: [UInt8] = []
    while let byte = peek() {
      at += 1
      if byte == quote { return .string(String(decoding: content, as: UTF8.self)) }
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      guard let escape = peek() else { break }
      at += 1
      switch escape {
      case UInt8(ascii: "n"): content.append(10)
      case UInt8(ascii: "r"): content.append(13)
      case UInt8(ascii: "t"): content.append(9)
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): content.append(escape)
      case UInt8(ascii: "u"): content += try unicode().utf8
      default: throw fail(.syntax, "unknown escape; known are \\\" \\' \\\\ \\n \\r \\t and \\u{…}", from: at - 2)
      }
    }
    throw fail(.syntax, "the text has no closing quotation mark", from: begin, isIncomplete: true)
  }

  private mutating func unicode() throws(ExpressionError) -> String {
    let begin = at - 2
    var value: UInt32 = 0
    var digits = 0
    if peek() == UInt8(ascii: "{") {
      at += 1
      while let byte = peek(), digits < 6, let digit = Character(Unicode.Scalar(byte)).hexDigitValue {
        value = value << 4 | UInt32(digit)
        digits += 1
        at += 1
      }
      if digits > 0, peek() == UInt8(ascii: "}"), let scalar = Unicode.Scalar(value) {
        at += 1
        return String(Character(scalar))
      }
    }
    throw fail(.syntax, "a character is written as \\u{20ac}", from: begin, isIncomplete: peek() == nil)
  }
}
