/// Why a text is not the value it should be, and at which byte.
public struct TextError: Error, Hashable, Sendable {
  /// What is wrong.
  public enum Code: Hashable, Sendable {
    case unexpected, outOfRange, tooManyDecimals, missing, emptySymbol, symbolTooLong, badSymbol, badUTF8, tableFull, badTime, unterminated
    case badEscape, tooDeep, tooManySymbols
  }
  public var code: Code
  /// Bytes from the start of the text that was being read.
  public var offset: Int
  /// The field being read, where one is known.
  public var field: String?

  public init(_ code: Code, at offset: Int, field: String? = nil) {
    self.code = code
    self.offset = offset
    self.field = field
  }
}

extension TextError: CustomStringConvertible {
  /// One sentence a user can act on, without the place.
  public var reason: String {
    switch code {
    case .unexpected: "unexpected text"
    case .outOfRange: "number out of range"
    case .tooManyDecimals: "more than nine decimals"
    case .missing: "missing"
    case .emptySymbol: "a symbol cannot be empty"
    case .symbolTooLong: "a symbol has at most 64 bytes"
    case .badSymbol: "a symbol cannot hold control characters, quotation marks, backslashes or commas"
    case .badUTF8: "not UTF-8"
    case .tableFull: "more than \(Symbol.limit - 1) different symbols"
    case .badTime: "not a time"
    case .unterminated: "text ends too early"
    case .badEscape: "bad escape sequence"
    case .tooManySymbols: "a new symbol, and its source may bring no more"
    case .tooDeep: "nested too deeply"
    }
  }

  public var description: String { (field.map { "'\($0)': " } ?? "") + reason + " at byte \(offset + 1)" }
}
