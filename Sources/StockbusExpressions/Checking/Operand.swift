/// One side of a comparison, as far as its types are known.
enum Operand {
  case value(Term, Dimension)
  case symbol(Int)
  case text(Int)
  case choice(Int, Choices)
  /// No field: what it is depends on what it is compared with.
  case word(String)
  case string(String)

  /// For messages: what it is.
  var kind: String {
    switch self {
    case .value(_, let dimension): "a \(dimension.rawValue)"
    case .symbol: "a symbol"
    case .text, .string: "a text"
    case .choice(_, let choices): "one of \(choices.names.joined(separator: ", "))"
    case .word(let word): "'\(word)'"
    }
  }
}
