/// A part of an expression as written, without types.
struct Syntax {
  let kind: Kind
  /// The part's range of bytes in the text.
  let range: Range<Int>
  /// The height of the part's tree.
  let height: Int

  indirect enum Kind {
    case word(String)
    case string(String)
    /// Billionths.
    case number(Int128)
    /// Billionths of one per cent.
    case percent(Int128)
    /// Nanoseconds.
    case duration(Int128)
    case time(Int64)
    /// `first 15m`, the beginning of a session: nanoseconds.
    case opening(Int128)
    case bool(Bool)
    case negate(Syntax)
    case not(Syntax)
    case arithmetic(Arithmetic, Syntax, Syntax)
    case call(Function, [Syntax])
    /// `a < b <= c`: one operand more than operators.
    case comparison([Syntax], [Comparison])
    case membership(Syntax, [Syntax], isNegated: Bool)
    case match(Syntax, Syntax, isNegated: Bool)
    /// Two or more, none of which is an `all`.
    case all([Syntax])
    /// Two or more, none of which is an `any`.
    case any([Syntax])
  }

  init(_ kind: Kind, _ range: Range<Int>) {
    self.kind = kind
    self.range = range
    height = 1 + (Self.parts(kind).map(\.height).max() ?? 0)
  }

  private static func parts(_ kind: Kind) -> [Syntax] {
    switch kind {
    case .word, .string, .number, .percent, .duration, .time, .opening, .bool: []
    case .negate(let inner), .not(let inner): [inner]
    case .arithmetic(_, let left, let right), .match(let left, let right, _): [left, right]
    case .call(_, let parts), .comparison(let parts, _), .all(let parts), .any(let parts): parts
    case .membership(let item, let list, _): [item] + list
    }
  }
}

enum Arithmetic: String {
  case plus = "+"
  case minus = "-"
  case times = "*"
  case divided = "/"
}

enum Comparison: String, BitwiseCopyable {
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case equal = "=="
  case notEqual = "!="

  /// The same comparison with its sides exchanged.
  var mirrored: Comparison {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal, .notEqual: self
    }
  }

  /// 1 for `<` and `<=`, -1 for `>` and `>=`, 0 for `==` and `!=`.
  var direction: Int {
    switch self {
    case .less, .lessOrEqual: 1
    case .greater, .greaterOrEqual: -1
    case .equal, .notEqual: 0
    }
  }

  func holds<T: Comparable>(_ a: T, _ b: T) -> Bool {
    switch self {
    case .less: a < b
    case .lessOrEqual: a <= b
    case .greater: a > b
    case .greaterOrEqual: a >= b
    case .equal: a == b
    case .notEqual: a != b
    }
  }
}
