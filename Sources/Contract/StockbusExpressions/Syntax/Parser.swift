internal import MarketData

/// Builds the syntax tree of an expression by recursive descent.
///
/// From lowest to highest precedence: `or`, `and`, `not`, comparisons (with `in` and `matches`), `+ -`, `* /`, a sign.
struct Parser {
  private(set) var lexer: Lexer
  private(set) var token = Token.end
  private(set) var range = 0..<0
  /// The previous token with its range; `.end` at the beginning.
  private(set) var before = Token.end
  private(set) var rangeBefore = 0..<0
  private var last = 0
  private var depth = 0

  /// The tree of the whole text.
  static func parse(_ text: String) throws(ExpressionError) -> Syntax {
    guard text.utf8.count <= ExpressionLimits.length else {
      let message = "an expression has at most \(ExpressionLimits.length) bytes"
      throw ExpressionError(.limit, message, text, ExpressionLimits.length..<text.utf8.count)
    }
    var parser = Parser(lexer: Lexer(text))
    try parser.advance()
    if parser.token == .end {
      throw ExpressionError(.syntax, "expected a condition such as price > 100", text, 0..<0, isIncomplete: true)
    }
    let tree = try parser.alternatives()
    guard parser.token == .end else { throw parser.unexpectedBehind(tree) }
    return tree
  }

  private init(lexer: Lexer) { self.lexer = lexer }

  // MARK: Tokens

  mutating func advance() throws(ExpressionError) {
    last = range.upperBound
    (before, rangeBefore) = (token, range)
    (token, range) = try lexer.next()
  }

  private mutating func take(_ mark: Token.Mark) throws(ExpressionError) -> Bool {
    guard token == .mark(mark) else { return false }
    try advance()
    return true
  }

  private mutating func take(_ keyword: Keyword) throws(ExpressionError) -> Bool {
    guard token == .word(keyword.rawValue) else { return false }
    try advance()
    return true
  }

  private mutating func expect(_ mark: Token.Mark, _ what: String) throws(ExpressionError) {
    guard try take(mark) else { throw operatorBegun ?? fail("expected \(what), found \(shownToken)") }
  }

  var shownToken: String { visible(token.shown, limit: 40) }

  func fail(_ message: String) -> ExpressionError {
    ExpressionError(.syntax, message, lexer.text, range, isIncomplete: token == .end)
  }

  /// The error for a text that ends with the first letters of an operator, so that it may be incomplete.
  var operatorBegun: ExpressionError? {
    guard case .word(let word) = token, range.upperBound == lexer.text.utf8.count else { return nil }
    let near = ["and", "or", "in", "matches", "not"].filter { $0.hasPrefix(word) && $0 != word }
    if near.isEmpty { return nil }
    return ExpressionError(.syntax, "expected an operator", lexer.text, range, isIncomplete: true, completions: near)
  }

  /// Parses one level deeper; the depth is limited because the stack is.
  private mutating func nested<R>(_ body: (inout Parser) throws(ExpressionError) -> R) throws(ExpressionError) -> R {
    depth += 1
    defer { depth -= 1 }
    if depth > ExpressionLimits.depth { throw tooDeep(range) }
    return try body(&self)
  }

  private func tooDeep(_ range: Range<Int>) -> ExpressionError {
    ExpressionError(.limit, "nested more than \(ExpressionLimits.depth) levels deep", lexer.text, range)
  }

  private func node(_ kind: Syntax.Kind, from begin: Int) throws(ExpressionError) -> Syntax {
    let node = Syntax(kind, begin..<last)
    if node.height > ExpressionLimits.depth { throw tooDeep(node.range) }
    return node
  }

  // MARK: Conditions

  private mutating func alternatives() throws(ExpressionError) -> Syntax {
    try nested { (parser) throws(ExpressionError) in
      let begin = parser.range.lowerBound
      var parts = [try parser.conjunction()]
      while try parser.take(.or) { parts.append(try parser.conjunction()) }
      if parts.count == 1 { return parts[0] }
      let flat = parts.flatMap { part in if case .any(let inner) = part.kind { inner } else { [part] } }
      return try parser.node(.any(flat), from: begin)
    }
  }

  private mutating func conjunction() throws(ExpressionError) -> Syntax {
    let begin = range.lowerBound
    var parts = [try negation()]
    while try take(.and) { parts.append(try negation()) }
    if parts.count == 1 { return parts[0] }
    let flat = parts.flatMap { part in if case .all(let inner) = part.kind { inner } else { [part] } }
    return try node(.all(flat), from: begin)
  }

  private mutating func negation() throws(ExpressionError) -> Syntax {
    let begin = range.lowerBound
    guard try take(.not) else { return try comparison() }
    let inner = try nested { (parser) throws(ExpressionError) in try parser.negation() }
    return try node(.not(inner), from: begin)
  }

  private mutating func comparison() throws(ExpressionError) -> Syntax {
    let begin = range.lowerBound
    let first = try sum()
    // After a complete condition, `not` is the beginning of `not in` or `not matches`.
    let isNegated = token == .word(Keyword.not.rawValue)
    if isNegated {
      try advance()
      guard token == .word(Keyword.in.rawValue) || token == .word(Keyword.matches.rawValue) else {
        let begun = if case .word(let word) = token, range.upperBound == lexer.text.utf8.count { word } else { "" }
        let near = token == .end || !begun.isEmpty ? ["in", "matches"].filter { $0.hasPrefix(begun) } : []
        if near.isEmpty, case .word(let word) = token, let hint = Foreign.operatorHint(word, isNegated: true) { throw fail(hint) }
        throw ExpressionError(
          .syntax, "expected 'in' or 'matches' after 'not', found \(shownToken)", lexer.text, range, isIncomplete: !near.isEmpty,
          completions: near)
      }
    }
    if try take(.in) {
      let items = try list()
      return try node(.membership(first, items, isNegated: isNegated), from: begin)
    }
    if try take(.matches) {
      let pattern = try pattern()
      return try node(.match(first, pattern, isNegated: isNegated), from: begin)
    }
    var operands = [first]
    var operators: [Comparison] = []
    while case .mark(let mark) = token, let comparison = Comparison(rawValue: mark.rawValue) {
      if let before = operators.last, before.direction == 0 || before.direction != comparison.direction {
        throw fail("only comparisons in one direction can be chained, as in 10 < price <= 20; join others by 'and'")
      }
      if operators.count >= 8 { throw ExpressionError(.limit, "more than eight comparisons in one chain", lexer.text, range) }
      try advance()
      operators.append(comparison)
      operands.append(try sum())
    }
    return operators.isEmpty ? first : try node(.comparison(operands, operators), from: begin)
  }

  /// The pattern after `matches`, which must be quoted because a bare `BRK.*` would be a product.
  private mutating func pattern() throws(ExpressionError) -> Syntax {
    let isCut =
      switch token {
      case .mark(.times), .mark(.divided): true
      // The pattern follows the word directly.
      case .word, .number: lexer.peek().map { [UInt8(ascii: "*"), UInt8(ascii: "."), UInt8(ascii: "?")].contains($0) } ?? false
      default: false
      }
    if token == .mark(.openList) {
      throw fail("write one pattern after 'matches', and join several by 'or', as in symbol matches \"A*\" or symbol matches \"B*\"")
    }
    if isCut { throw fail("write a pattern in quotation marks, as in \"BRK.*\"") }
    return try sum()
  }

  private mutating func list() throws(ExpressionError) -> [Syntax] {
    if case .duration = token { throw fail(Foreign.windows) }
    if case .mark(.open) = token { throw fail("write a list in square brackets, as in symbol in [AAPL, NVDA]") }
    if case .number = token { throw fail("expected a list such as [1, 2], found a number; a range is written as in 10 <= price <= 20") }
    try expect(.openList, "a list such as [AAPL, NVDA]")
    var items: [Syntax] = []
    while token != .mark(.closeList) {
      if items.count == ExpressionLimits.items {
        throw ExpressionError(.limit, "a list has at most \(ExpressionLimits.items) items", lexer.text, range)
      }
      items.append(try sum())
      guard try take(.comma) else { break }
    }
    let end = range
    try expect(.closeList, items.isEmpty ? "a value or ']'" : "',' or ']'")
    if items.isEmpty { throw ExpressionError(.syntax, "the list is empty, so nothing can be in it", lexer.text, end) }
    return items
  }

  // MARK: Values

  private mutating func sum() throws(ExpressionError) -> Syntax {
    let begin = range.lowerBound
    var left = try product()
    while case .mark(let mark) = token, mark == .plus || mark == .minus, let operation = Arithmetic(rawValue: mark.rawValue) {
      try advance()
      let right = try product()
      left = try node(.arithmetic(operation, left, right), from: begin)
    }
    return left
  }

  private mutating func product() throws(ExpressionError) -> Syntax {
    let begin = range.lowerBound
    var left = try signed()
    while case .mark(let mark) = token, mark == .times || mark == .divided, let operation = Arithmetic(rawValue: mark.rawValue) {
      try advance()
      let right = try signed()
      left = try node(.arithmetic(operation, left, right), from: begin)
    }
    return left
  }

  private mutating func signed() throws(ExpressionError) -> Syntax {
    let begin = range.lowerBound
    guard try take(.minus) else { return try primary() }
    let inner = try nested { (parser) throws(ExpressionError) in try parser.signed() }
    switch inner.kind {
    case .number(let value): return try node(.number(-value), from: begin)
    case .percent(let value): return try node(.percent(-value), from: begin)
    case .duration(let value): return try node(.duration(-value), from: begin)
    default: return try node(.negate(inner), from: begin)
    }
  }

  private mutating func primary() throws(ExpressionError) -> Syntax {
    let begin = range.lowerBound
    let kind: Syntax.Kind
    switch token {
    case .word(let word):
      if let keyword = Keyword(rawValue: word), keyword != .true, keyword != .false {
        throw fail("expected a value, found '\(word)'; to use it as a symbol or text, write \"\(word)\"")
      }
      try advance()
      if token == .mark(.open) { return try call(word, begin) }
      kind = word == "true" ? .bool(true) : word == "false" ? .bool(false) : .word(word)
    case .string(let text):
      try advance()
      kind = .string(text)
    case .number(let value):
      try advance()
      kind = .number(value)
    case .percent(let value):
      try advance()
      kind = .percent(value)
    case .duration(let value):
      try advance()
      kind = .duration(value)
    case .time(let value):
      try advance()
      kind = .time(value)
    case .mark(.open):
      try advance()
      let inner = try alternatives()
      try expect(.close, "')'")
      return Syntax(inner.kind, begin..<last)
    case .mark(.openList): throw fail("write a list after 'in', as in symbol in [AAPL, NVDA]")
    case .mark(let mark): throw fail("expected a value, found \(shownToken)\(hintOnMark(mark))")
    case .end: throw fail("expected a value, found the end" + (before == .mark(.times) ? Foreign.pattern : ""))
    }
    return try node(kind, from: begin)
  }

  private mutating func call(_ name: String, _ begin: Int) throws(ExpressionError) -> Syntax {
    guard let function = Function(rawValue: name) else { throw unknownFunction(name, begin..<last) }
    try advance()
    var arguments: [Syntax] = []
    while token != .mark(.close) {
      arguments.append(try nested { (parser) throws(ExpressionError) in try parser.argument(of: function) })
      guard arguments.count < function.arguments.upperBound, try take(.comma) else { break }
    }
    if token == .mark(.close), arguments.count < function.arguments.lowerBound { throw fail("\(name) takes \(function.usage)") }
    let more = arguments.count < function.arguments.upperBound ? "',' or ')'" : "')'"
    try expect(.close, arguments.isEmpty ? "a value" : more)
    return try node(.call(function, arguments), from: begin)
  }

  /// A value, a condition where the function takes one, or the window `first 15m`.
  private mutating func argument(of function: Function) throws(ExpressionError) -> Syntax {
    if function.takesCondition { return try alternatives() }
    let begin = range.lowerBound
    guard token == .word("first") else { return try sum() }
    var ahead = self
    guard (try? ahead.advance()) != nil, case .duration(let ns) = ahead.token else { return try sum() }
    self = ahead
    try advance()
    return try node(.opening(ns), from: begin)
  }
}
