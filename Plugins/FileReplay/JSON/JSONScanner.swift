internal import MarketData
internal import StockbusDecoding

/// Why a line is not valid JSON, and where.
struct JSONRowProblem: Error {
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

  /// The position of the byte in the line, counted from 1.
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
/// Unsafe inside: it moves a pointer without bounds and relies on the newline after every line, which ends every token.
enum JSONScanner {
  @inline(always)
  static func skipBlanks(_ p: inout UnsafePointer<UInt8>) {
    while p.pointee == 32 || p.pointee == 9 || p.pointee == 13 { p += 1 }
  }

  /// Moves from an opening quotation mark past the closing one; returns true if there are escapes between.
  @inline(always)
  static func skipString(_ p: inout UnsafePointer<UInt8>) throws(JSONRowProblem) -> Bool {
    var q = p + 1
    while true {
      let found = ByteWords.endsOfText(ByteWords.load(q))
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

  /// Continues from the first backslash or control character of a string past its end.
  @inline(never)
  private static func skipEscapes(_ q: inout UnsafePointer<UInt8>) throws(JSONRowProblem) {
    while true {
      switch q.pointee {
      case 34:
        q += 1
        return
      case 92:
        q += try escapeLength(q)
      case 10: throw JSONRowProblem(.unterminatedText, q)
      case 0..<32: throw JSONRowProblem(.controlCharacter, q)
      default: q += 1
      }
    }
  }

  private static func escapeLength(_ q: UnsafePointer<UInt8>) throws(JSONRowProblem) -> Int {
    do throws(JSONEscapes.Fault) { return try JSONEscapes.length(q) } catch {
      switch error {
      case .badEscape: throw JSONRowProblem(.badEscape, q)
      case .loneSurrogate: throw JSONRowProblem(.loneSurrogate, q)
      }
    }
  }
}
