/// Why a line is no JSON, and where.
struct JSONProblem: Error {
  enum Code {
    case expectedValue, expectedKey, expectedColon, expectedCommaOrBrace, expectedCommaOrBracket, notAContainer, trailingText
    case badNumber, badEscape, loneSurrogate, controlCharacter, unterminatedText, tooDeep
  }
  var code: Code
  private var address: UInt

  init(_ code: Code, _ at: UnsafePointer<UInt8>) {
    self.code = code
    address = UInt(bitPattern: at)
  }

  /// The byte's place behind the start of the line, counted from 1.
  func place(from start: UnsafePointer<UInt8>) -> Int { Int(address - UInt(bitPattern: start)) + 1 }

  var reason: String {
    switch code {
    case .expectedValue: "a value is expected"
    case .expectedKey: "a key in quotation marks is expected"
    case .expectedColon: "':' is expected"
    case .expectedCommaOrBrace: "',' or '}' is expected"
    case .expectedCommaOrBracket: "',' or ']' is expected"
    case .notAContainer: "an object is expected"
    case .trailingText: "text after the end of the object"
    case .badNumber: "not a number"
    case .badEscape: "bad escape sequence"
    case .loneSurrogate: "half of a surrogate pair"
    case .controlCharacter: "control character in text"
    case .unterminatedText: "text without a closing quotation mark"
    case .tooDeep: "nested more than \(JSONRows.depthLimit) deep"
    }
  }
}

/// Scanning of JSON text (RFC 8259) in place.
///
/// Unsafe inside: it walks a pointer without bounds and relies on the newline behind every line, which ends every token.
enum JSONText {
  @inline(always)
  static func skipBlanks(_ p: inout UnsafePointer<UInt8>) {
    while p.pointee == 32 || p.pointee == 9 || p.pointee == 13 { p += 1 }
  }

  /// Goes from an opening quotation mark to behind the closing one; true where there are escapes between.
  @inline(always)
  static func skipString(_ p: inout UnsafePointer<UInt8>) throws(JSONProblem) -> Bool {
    var q = p + 1
    while true {
      let found = Words.endsOfText(Words.load(q))
      if found != 0 {
        q += found.trailingZeroBitCount >> 3
        if q.pointee == 34 {
          p = q + 1
          return false
        }
        try skipEscapes(&q)
        p = q
        return true
      }
      q += 8
    }
  }

  /// Goes on at the first backslash or control character of a string to behind its end.
  @inline(never)
  private static func skipEscapes(_ q: inout UnsafePointer<UInt8>) throws(JSONProblem) {
    while true {
      switch q.pointee {
      case 34:
        q += 1
        return
      case 92:
        q += try escapeLength(q)
      case 10: throw JSONProblem(.unterminatedText, q)
      case 0..<32: throw JSONProblem(.controlCharacter, q)
      default: q += 1
      }
    }
  }

  private static func escapeLength(_ q: UnsafePointer<UInt8>) throws(JSONProblem) -> Int {
    switch q[1] {
    case 34, 47, 92, 98, 102, 110, 114, 116: return 2
    case 117:
      guard let unit = hex(q + 2) else { throw JSONProblem(.badEscape, q) }
      if unit & 0xf800 != 0xd800 { return 6 }
      guard unit < 0xdc00, q[6] == 92, q[7] == 117, let low = hex(q + 8), low & 0xfc00 == 0xdc00 else {
        throw JSONProblem(.loneSurrogate, q)
      }
      return 12
    default: throw JSONProblem(.badEscape, q)
    }
  }

  private static func hex(_ q: UnsafePointer<UInt8>) -> UInt32? {
    var unit: UInt32 = 0
    for i in 0..<4 {
      switch q[i] {
      case 48...57: unit = unit << 4 | UInt32(q[i] - 48)
      case 65...70: unit = unit << 4 | UInt32(q[i] - 55)
      case 97...102: unit = unit << 4 | UInt32(q[i] - 87)
      default: return nil
      }
    }
    return unit
  }

  /// Writes the text between two quotation marks, which `skipString` has passed, to `out` without its escapes.
  static func unescape(_ text: UnsafeBufferPointer<UInt8>, into out: inout Scratch) {
    guard var q = text.baseAddress else { return }
    let end = q + text.count
    while q < end {
      if q.pointee != 92 {
        out.put(q.pointee)
        q += 1
        continue
      }
      switch q[1] {
      case 98: out.put(8)
      case 102: out.put(12)
      case 110: out.put(10)
      case 114: out.put(13)
      case 116: out.put(9)
      case 117:
        var unit = hex(q + 2) ?? 0xfffd
        if unit & 0xf800 == 0xd800 {
          unit = 0x10000 + (unit & 0x3ff) << 10 + (hex(q + 8) ?? 0) & 0x3ff
          q += 6
        }
        for byte in String(Unicode.Scalar(unit) ?? "\u{fffd}").utf8 { out.put(byte) }
        q += 4
      default: out.put(q[1])
      }
      q += 2
    }
  }
}
