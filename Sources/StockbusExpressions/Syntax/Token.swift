/// One word of an expression.
enum Token: Equatable {
  /// A field, a case, a symbol, a function or a keyword.
  case word(String)
  /// Text between quotation marks, its escapes resolved.
  case string(String)
  /// Billionths.
  case number(Int128)
  /// Billionths of one per cent.
  case percent(Int128)
  /// Nanoseconds.
  case duration(Int128)
  /// Nanoseconds since the epoch.
  case time(Int64)
  case mark(Mark)
  case end

  enum Mark: String, CaseIterable {
    case open = "("
    case close = ")"
    case openList = "["
    case closeList = "]"
    case comma = ","
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "=="
    case notEqual = "!="
  }

  /// For messages.
  var shown: String {
    switch self {
    case .word(let word): "'\(word)'"
    case .string: "a text"
    case .number: "a number"
    case .percent: "a percentage"
    case .duration: "a duration"
    case .time: "a time"
    case .mark(let mark): "'\(mark.rawValue)'"
    case .end: "the end"
    }
  }
}

/// Words that cannot be fields or symbols without quotation marks.
enum Keyword: String, CaseIterable {
  case and, or, not, matches, `true`, `false`
  case `in`
}
