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
    while let byte = peek(), byte == 32 || byte == 9 || byte == 10 || byte == 13 { skip() }
    let begin = at
    guard let byte = peek() else { return (.end, at..<at) }
    let token: Token
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): token = try literal()
    case UInt8(ascii: "'") where begin > 0 && Self.isDigit(bytes[begin - 1]):
      throw fail(.syntax, "digits are grouped by '_', as in 1_000", from: begin, to: begin + 1)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): token = try string(byte)
    case _ where Self.beginsWord(byte): token = .word(try word())
    default: token = .mark(try mark())
    }
    return (token, begin..<at)
  }

  func peek(_ ahead: Int = 0) -> UInt8? { at + ahead < bytes.count ? bytes[at + ahead] : nil }

  /// Goes on by some bytes, never beyond the end: places of tokens are places in the text, whatever was read.
  mutating func skip(_ count: Int = 1) { at = min(at + count, bytes.count) }

  func fail(_ code: ExpressionError.Code, _ message: String, from begin: Int, to end: Int? = nil, isIncomplete: Bool = false)
    -> ExpressionError
  {
    ExpressionError(code, message, text, begin..<(end ?? at), isIncomplete: isIncomplete)
  }

  static func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 &- 48 < 10 } ?? false }

  static func beginsWord(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "_") || byte >= 0x80 }

  static func continuesWord(_ byte: UInt8) -> Bool { beginsWord(byte) || isDigit(byte) }

  /// Letters, digits and `_`, with points between them: `price`, `BRK.B`, `bid_size`.
  private mutating func word() throws(ExpressionError) -> String {
    let begin = at
    var isPlain = true
    while let byte = peek() {
      let isInner = byte == UInt8(ascii: ".") && peek(1).map(Self.continuesWord) ?? false
      guard Self.continuesWord(byte) || isInner else { break }
      isPlain = isPlain && byte < 0x80
      skip()
    }
    // Words are compared with one another as Unicode wants it, which takes its time.
    if at - begin > ExpressionLimits.word { throw fail(.limit, "a word has at most \(ExpressionLimits.word) bytes", from: begin) }
    let word = written(begin..<at)
    if !isPlain { try refuseForeignMarks(in: word, from: begin) }
    return word
  }

  /// The bytes of a range as text.
  func written(_ range: Range<Int>) -> String { text.written(range) }

  /// What word processors and other keyboards make of the language's own marks.
  private func refuseForeignMarks(in word: String, from begin: Int) throws(ExpressionError) {
    var place = begin
    for scalar in word.unicodeScalars {
      let width = UTF8.width(scalar)
      if let mark = Self.foreignMarks[scalar] { throw fail(.syntax, "write \(mark)", from: place, to: place + width) }
      place += width
    }
    // A sign before a number; one that ends a name may belong to it.
    if let first = word.unicodeScalars.first, first.properties.generalCategory == .currencySymbol,
      word.unicodeScalars.dropFirst().allSatisfy({ $0.value < 0x80 && (Self.isDigit(UInt8($0.value)) || $0 == "." || $0 == "_") })
    {
      throw fail(.syntax, Foreign.currency, from: begin, to: begin + UTF8.width(first))
    }
  }

  private static let foreignMarks: [Unicode.Scalar: String] = [
    "\u{2265}": "'>='", "\u{2264}": "'<='", "\u{2260}": "'!='", "\u{d7}": "'*'", "\u{f7}": "'/'", "\u{2212}": "'-'", "\u{2013}": "'-'",
    "\u{201c}": "\" as the quotation mark", "\u{201d}": "\" as the quotation mark", "\u{201e}": "\" as the quotation mark",
    "\u{201f}": "\" as the quotation mark", "\u{ab}": "\" as the quotation mark", "\u{bb}": "\" as the quotation mark",
    "\u{2033}": "\" as the quotation mark", "\u{201a}": "' as the quotation mark", "\u{201b}": "' as the quotation mark",
    "\u{2032}": "' as the quotation mark", "\u{2018}": "' as the quotation mark", "\u{2019}": "' as the quotation mark",
    "\u{a0}": "an ordinary blank",
    "\u{202f}": "an ordinary blank",
    "\u{3000}": "an ordinary blank",
  ]

  private static let quoted = "a symbol with other characters than letters and digits stands in quotation marks, as in \"BTC-USD\""

  private mutating func mark() throws(ExpressionError) -> Token.Mark {
    let begin = at
    let one = written(begin..<(begin + 1))
    let two = written(begin..<(begin + 2))
    if two == "==" || two == "!=", peek(2) == UInt8(ascii: "=") {
      throw fail(.syntax, "write '\(two)' to compare", from: begin, to: begin + 3)
    }
    if begin + 2 <= bytes.count, let mark = Token.Mark(rawValue: two) {
      skip(2)
      return mark
    }
    // What other languages write.
    let hints = ["&&": "and", "||": "or", "<>": "!=", "=<": "<=", "=>": ">=", "=~": "matches", "~=": "matches"]
    if let hint = hints[two] { throw fail(.syntax, "write '\(hint)'", from: begin, to: begin + 2) }
    if let mark = Token.Mark(rawValue: one) {
      skip()
      return mark
    }
    let isOpen = begin + 1 == bytes.count
    func wrong(_ message: String, isIncomplete: Bool = false) -> ExpressionError {
      fail(.syntax, message, from: begin, to: begin + 1, isIncomplete: isIncomplete)
    }
    switch one {
    case "=": throw wrong("write '==' to compare", isIncomplete: isOpen)
    case "!": throw wrong("write 'not', or '!=' to compare", isIncomplete: isOpen)
    case "&": throw wrong("write 'and'")
    case "|": throw wrong("write 'or'; an absolute value is written as abs(change)")
    case "%":
      let rule = "a '%' stands directly behind a number, as in 1.5%"
      let behind = bytes[..<begin].last { $0 != 32 && $0 != 9 }
      throw wrong(Self.isDigit(behind) ? rule : rule + "; there is no remainder")
    case ".":
      if peek(1) == UInt8(ascii: ".") { throw fail(.syntax, "a range is written as in 10 <= price <= 20", from: begin, to: begin + 2) }
      throw wrong("a number begins and ends with a digit, as in 0.5", isIncomplete: isOpen && begin > 0 && Self.isDigit(bytes[begin - 1]))
    case "$":
      if Self.isDigit(peek(1)) || (begin > 0 && Self.isDigit(bytes[begin - 1])) { throw wrong(Foreign.currency) }
      throw wrong("'$' has no meaning here; a field is written without it, and a symbol that holds it in quotation marks, as in \"$X\"")
    case "~": throw wrong("write 'matches', as in symbol matches \"A*\"")
    case ":": throw wrong("write '==' to compare")
    case ";": throw wrong(Foreign.joined + ", between the items of a list ','")
    case "^": throw wrong("'^' has no meaning here; there is no power, and a pattern stands in quotation marks, as in \"BRK.*\"")
    case "?": throw wrong("'?' has no meaning here; a condition is written with 'and', 'or' and 'not'")
    case "`": throw wrong("a field is written without marks around it, as in price > 100")
    case "{", "}": throw wrong("conditions are grouped by parentheses, and a list stands in square brackets, as in symbol in [AAPL, NVDA]")
    case "#": throw wrong("'#' has no meaning here, and there are no comments; \(Self.quoted)")
    case "@", "\\": throw wrong("'\(one)' has no meaning here; \(Self.quoted)")
    default: throw fail(.syntax, "unexpected character", from: begin, to: begin + 1)
    }
  }

  /// Between quotation marks of one kind; `\"`, `\'`, `\\`, `\n`, `\r`, `\t` and `\u{…}` are escapes.
  private mutating func string(_ quote: UInt8) throws(ExpressionError) -> Token {
    let begin = at
    skip()
    var content: [UInt8] = []
    while let byte = peek() {
      skip()
      if byte == quote { return .string(String(decoding: content, as: UTF8.self)) }
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      guard let escape = peek() else { break }
      skip()
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
      skip()
      while let byte = peek(), digits < 6, let digit = Character(Unicode.Scalar(byte)).hexDigitValue {
        value = value << 4 | UInt32(digit)
        digits += 1
        skip()
      }
      if digits > 0, peek() == UInt8(ascii: "}"), let scalar = Unicode.Scalar(value) {
        skip()
        return String(Character(scalar))
      }
    }
    throw fail(.syntax, "a character is written as \\u{20ac}", from: begin, isIncomplete: peek() == nil)
  }
}

extension String {
  /// The text of a range of bytes: what lies outside of the text is left out, and half a character is shown as U+FFFD. For messages, which
  /// must not be able to fail.
  func written(_ range: Range<Int>) -> String {
    let begin = Swift.max(0, range.lowerBound)
    return String(decoding: utf8.dropFirst(begin).prefix(Swift.max(0, range.upperBound - begin)), as: UTF8.self)
  }
}
