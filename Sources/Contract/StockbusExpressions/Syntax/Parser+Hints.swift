internal import MarketData

// Errors for a token in place of an operator.
extension Parser {
  /// The error for any token that is not an operator.
  func unexpectedBehind(_ tree: Syntax) -> ExpressionError {
    if case .word(let word) = token, let keyword = Keyword(rawValue: word.lowercased()), keyword.rawValue != word {
      return fail("write '\(keyword.rawValue)' in lower case")
    }
    if let operatorBegun { return operatorBegun }
    if token == .mark(.close) || token == .mark(.closeList) { return fail("\(shownToken) has no matching opening bracket") }
    if isBeforeDuration { return fail(token == .word("for") ? Foreign.lasting : Foreign.windows) }
    if let error = misplacedBeginning(tree) { return error }
    switch token {
    case .word(let word):
      if case .number = before, let hint = Foreign.distantUnitHint(word) { return fail(hint) }
      if let hint = Foreign.operatorHint(word, next: wordAhead) { return fail(hint) }
    case .mark(.comma): return fail(hintOnComma(behind: tree))
    case .mark(.openList): return fail("an earlier value is written as prev(price), or prev(price, 3) for three events before")
    case .number:
      let digits = lexer.written(range)
      if case .number = before, Self.isGroup(digits) {
        return fail("a number has no spaces: \(visible(lexer.written(rangeBefore) + "_" + digits, limit: 60))")
      }
    default: break
    }
    return fail("expected an operator such as '\(tree.isCondition ? "and" : ">")', found \(shownToken)")
  }

  /// Reports `where price > 1`, `NOT price > 1`, `abs price`, whose first word is wrong.
  private func misplacedBeginning(_ tree: Syntax) -> ExpressionError? {
    guard case .word(let word) = tree.lastPart.kind else { return nil }
    let place = tree.lastPart.range
    func wrong(_ message: String) -> ExpressionError { ExpressionError(.syntax, message, lexer.text, place) }
    guard place.upperBound == rangeBefore.upperBound else { return nil }
    if let keyword = Keyword(rawValue: word.lowercased()), keyword.rawValue != word {
      return wrong("write '\(keyword.rawValue)' in lower case")
    }
    if let function = Function(rawValue: word), !function.isFieldToo {
      return wrong("write \(function.rawValue)(…), with its values in parentheses")
    }
    if ["within", "during"].contains(word.lowercased()) { return wrong(Foreign.windows) }
    let openers = ["where", "if", "when", "select", "filter", "having", "only", "while", "assert", "return", "let", "lambda"]
    if place.lowerBound == 0, openers.contains(word.lowercased()) {
      return wrong("leave out '\(visible(word, limit: 40))'; a condition begins with a value, as in price > 100")
    }
    return nil
  }

  /// The error for a name before `(` that is no function.
  func unknownFunction(_ name: String, _ range: Range<Int>) -> ExpressionError {
    let near = didYouMean(name, among: Function.allCases.map(\.rawValue))
    let plain = Function.allCases.filter { !$0.hasMemory }.map(\.rawValue).joined(separator: ", ")
    let list = "; there are \(plain), and functions over earlier events such as \(Function.examples)"
    let advice = Foreign.callHint(name).map { "; \($0)" } ?? (near.isEmpty ? list : near)
    return ExpressionError(.unknown, "unknown function \(shown(name))" + advice, lexer.text, range)
  }

  private func hintOnComma(behind tree: Syntax) -> String {
    if case .number = before, let next = lexer.peek(), Lexer.isDigit(next) {
      var ahead = self
      if (try? ahead.advance()) != nil, case .number = ahead.token {
        let digits = lexer.written(ahead.range)
        if Self.isGroup(digits) {
          let whole = visible(lexer.written(rangeBefore), limit: 30)
          let rest = visible(digits, limit: 30)
          return "a number has no commas: \(whole)_\(rest) or \(whole)\(rest)"
        }
        return "write decimals after a point, as in 0.5"
      }
    }
    if case .comparison(_, let operators) = tree.kind, let last = operators.last, last.direction == 0 { return Foreign.lists }
    return Foreign.joined
  }

  /// True if the digits may follow a thousands separator.
  private static func isGroup(_ digits: String) -> Bool {
    digits.utf8.count >= 3 && digits.utf8.prefix(3).allSatisfy { Lexer.isDigit($0) }
  }

  private var wordAhead: String? {
    var ahead = self
    guard (try? ahead.advance()) != nil, case .word(let word) = ahead.token else { return nil }
    return word
  }

  /// True before `within 5m`, `for 5m`, `in the last 5m`, which the language does not have.
  private var isBeforeDuration: Bool {
    guard case .word(let word) = token else { return false }
    if ["within", "during"].contains(word.lowercased()) { return true }
    var ahead = self
    guard (try? ahead.advance()) != nil, case .duration = ahead.token else { return false }
    return ["in", "for", "over", "since"].contains(word.lowercased())
  }

  /// A hint for a mark in place of a value.
  func hintOnMark(_ mark: Token.Mark) -> String {
    switch mark {
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual:
      switch before {
      case .word("and"), .word("or"), .word("not"), .end:
        "; every comparison names its field, as in price > 100 and price < 200"
      default: ""
      }
    case .plus: "; a number has no '+' before it"
    case .times:
      switch before {
      case .mark(.times): "; there is no power operator, write price * price"
      case .mark(.divided): "; there are no comments"
      default: Foreign.pattern
      }
    case .divided: before == .mark(.divided) ? "; a quotient is written with one '/', and there are no comments" : ""
    default: ""
    }
  }
}

extension Syntax {
  /// True if the syntax has the form of a condition.
  var isCondition: Bool {
    switch kind {
    case .bool, .not, .comparison, .membership, .match, .all, .any: true
    case .call(let function, _): function.isCondition
    default: false
    }
  }

  /// The last of the conditions that `and` or `or` join; the whole syntax if there is only one condition.
  fileprivate var lastPart: Syntax {
    switch kind {
    case .all(let parts), .any(let parts): parts.last ?? self
    default: self
    }
  }
}
