/// A key or a value of a message, given by the position of its text.
///
/// The nodes of a message are in the order of the text: an object is followed by its keys, each followed by its value; an array by its
/// items.
struct JSONNode: BitwiseCopyable {
  enum Kind: UInt8, BitwiseCopyable {
    case object, array, key, text, number, yes, no, null
    /// A value such as `NaN`, for which JSON has no form; only where the tape accepts it.
    case word
  }
  /// The offset of the first byte; for a text or a key, of the byte after the quotation mark.
  var start: UInt32
  /// The number of bytes, without quotation marks.
  var count: UInt32
  /// The index of the node after this one and everything inside it.
  var next: UInt32
  var kind: Kind
  /// True for a text with escapes. Escapes of keys have been resolved.
  var hasEscapes: Bool

  var isContainer: Bool { kind == .object || kind == .array }
}

/// Why a message is not JSON, and where.
struct JSONProblem: Error, Hashable {
  enum Code: Hashable {
    case expectedValue, expectedKey, expectedColon, expectedCommaOrBrace, expectedCommaOrBracket, trailingText, empty
    case badNumber, badEscape, loneSurrogate, controlCharacter, unterminatedText, unterminated, tooDeep, tooLong, badUTF8
  }
  var code: Code
  /// Counted from 0.
  var offset: Int
}

extension JSONProblem: CustomStringConvertible {
  /// The message: `byte 17: ':' is expected`.
  var description: String {
    let reason =
      switch code {
      case .expectedValue: "a value is expected"
      case .expectedKey: "a key in quotation marks is expected"
      case .expectedColon: "':' is expected"
      case .expectedCommaOrBrace: "',' or '}' is expected"
      case .expectedCommaOrBracket: "',' or ']' is expected"
      case .trailingText: "text after the end of the message"
      case .empty: "nothing but white space"
      case .badNumber: "not a number"
      case .badEscape: "bad escape sequence"
      case .loneSurrogate: "half of a surrogate pair"
      case .controlCharacter: "control character in text"
      case .unterminatedText: "text without a closing quotation mark"
      case .unterminated: "the message ends too early"
      case .tooDeep: "nested more than \(JSONTape.depthLimit) deep"
      case .tooLong: "the message is too long"
      case .badUTF8: "not UTF-8"
      }
    return "byte \(offset + 1): \(reason)"
  }
}
