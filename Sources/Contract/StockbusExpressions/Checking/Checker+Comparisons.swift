internal import MarketData

// Defines what may be compared with what, and what an unquoted word means in a comparison.
extension Checker {
  func compare(_ left: Syntax, _ comparison: Comparison, _ right: Syntax, whole: Syntax) throws(ExpressionError) -> Condition {
    try refuseReckonedNames(left, right)
    let (a, b) = (try operand(left), try operand(right))
    switch (a, b) {
    case (.value(let term, let dimension), .value(let other, let otherDimension)):
      guard let unified = try unify((term, dimension), (other, otherDimension), right) else {
        // A unit or the rest of a time may still follow.
        let mayGoOn = if case .number = right.kind { dimension == .duration || dimension == .time } else { false }
        throw fail(.type, misfit(dimension, otherDimension, right), right, mayGoOn: mayGoOn)
      }
      return Self.reckoned(unified.left, comparison, unified.right)
    case (.symbol, .word), (.symbol, .string), (.text, .word), (.text, .string), (.choice, .word), (.choice, .string):
      return try names(a, left, comparison, [right], whole)
    case (.word, .symbol), (.string, .symbol), (.word, .text), (.string, .text), (.word, .choice), (.string, .choice):
      return try names(b, right, comparison, [left], whole)
    case (.symbol(let first), .symbol(let second)):
      return try equality(comparison, "symbols", whole) ? .sameSymbol(first, second) : .not(.sameSymbol(first, second))
    case (.choice(let first, let choices), .choice(let second, let others)) where choices.type == others.type && choices.bytes != nil:
      return try equality(comparison, "they", whole) ? .sameChoice(first, second) : .not(.sameChoice(first, second))
    case (.word(let word), .word(let other)):
      // Reports the word that is more likely meant as a field.
      let names = self.names
      let isSecond = suggestion(for: word, among: names) == nil && suggestion(for: other, among: names) != nil
      throw isSecond ? unknownField(other, right) : unknownField(word, left)
    case (.word(let word), _): throw unknownField(word, left)
    case (_, .word(let word)): throw unknownField(word, right)
    case (.symbol, .value), (.value, .symbol):
      let isLeft = if case .symbol = a { false } else { true }
      let other = isLeft ? left : right
      let hint =
        if case .word(let word) = other.kind {
          "; '\(word)' is a field here; write the symbol of this name as \"\(word)\""
        } else {
          nameMeant(by: other).map { "; write a symbol with other characters as \"\($0)\"" } ?? ""
        }
      throw fail(.type, "a symbol cannot be compared with \((isLeft ? a : b).kind)\(hint)", other)
    case (.string(let text), .value(_, let dimension)):
      throw fail(.type, "a text cannot be compared with a \(dimension.rawValue)\(quotedHint(text, dimension))", left)
    case (.value(_, let dimension), .string(let text)):
      throw fail(.type, "a \(dimension.rawValue) cannot be compared with a text\(quotedHint(text, dimension))", right)
    default:
      throw fail(.type, "\(a.kind) cannot be compared with \(b.kind)", right)
    }
  }

  /// A hint for a quoted text that is compared with another kind of value.
  private func quotedHint(_ text: String, _ dimension: Dimension) -> String {
    if shape[text] != nil { return "; a field is written without quotation marks: \(text)" }
    if dimension == .time { return "; a time is written without quotation marks, as in 2013-10-08T13:30:00Z" }
    if Lexer.isDigit(text.utf8.first) { return "; a \(dimension.rawValue) is written without quotation marks" }
    guard let field = shape.slots.first(where: { if case .symbol = $0.form { true } else { false } })?.name else { return "" }
    return "; a symbol is compared as in \(field) == AAPL"
  }

  /// The written text, if it may have been meant as a name: `0700`, `BTC-USD`; nil if it contains calls, blanks or parentheses.
  private func nameMeant(by syntax: Syntax) -> String? {
    let name = text.written(syntax.range)
    switch syntax.kind {
    case .word, .number, .percent, .duration, .time, .negate, .arithmetic: break
    default: return nil
    }
    if name.utf8.contains(where: { $0 <= 32 || $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ")") }) { return nil }
    return Symbol.fault(in: name) == nil ? visible(name, limit: 40) : nil
  }

  /// Reports `symbol == BRK-B`, which is meant as a name but parsed as a difference of two unknown fields.
  private func refuseReckonedNames(_ left: Syntax, _ right: Syntax) throws(ExpressionError) {
    for (field, other) in [(left, right), (right, left)] {
      guard case .arithmetic = other.kind, case .word(let word) = field.kind, case .symbol? = shape[word]?.form else { continue }
      guard let name = nameMeant(by: other), holdsForeignWord(other) else { continue }
      throw fail(.type, "expected a symbol; \(Self.quoting) \"\(name)\"", other)
    }
  }

  private static let quoting = "one with other characters than letters and digits is written as"

  /// True if the expression contains a word that is not a field.
  private func holdsForeignWord(_ syntax: Syntax) -> Bool {
    switch syntax.kind {
    case .word(let word): !knows(word)
    case .negate(let inner): holdsForeignWord(inner)
    case .arithmetic(_, let left, let right): holdsForeignWord(left) || holdsForeignWord(right)
    default: false
    }
  }

  private func misfit(_ a: Dimension, _ b: Dimension, _ right: Syntax) -> String {
    let message = "a \(a.rawValue) cannot be compared with a \(b.rawValue)"
    if case .duration = right.kind, a == .number {
      return message + "; d, h, m, s, ms, us and ns are units of time, and a million is written as 1_000_000 or 1e6"
    }
    switch (a, b) {
    case (.percent, .number), (.number, .percent): return message + "; divide the percentage by 1% to make it a number"
    case (.duration, .number), (.number, .duration): return message + "; write a unit, as in 250ms"
    case (.time, .number), (.number, .time): return message + "; write a time, as in 2013-10-08T13:30:00Z"
    case (.time, .duration), (.duration, .time): return message + "; the difference of two times is a duration"
    default: return message
    }
  }

  /// True for `==`, false for `!=`; throws for other comparisons.
  private func equality(_ comparison: Comparison, _ what: String, _ syntax: Syntax) throws(ExpressionError) -> Bool {
    if comparison.direction != 0 { throw fail(.type, "\(what) cannot be ordered; compare them with '==', '!=', 'in' or 'matches'", syntax) }
    return comparison == .equal
  }

  /// The cheapest form of a comparison of two values of one dimension.
  static func reckoned(_ left: Term, _ comparison: Comparison, _ right: Term) -> Condition {
    switch (left, right) {
    case (.constant(let a), .constant(let b)): return .constant(comparison.holds(a, b))
    case (.constant(let a), .load(let load)): return direct(load, comparison.mirrored, a)
    case (.load(let load), .constant(let b)): return direct(load, comparison, b)
    case (.load(let a), .load(let b)) where !a.isNarrow && !b.isNarrow && a.isInteger == b.isInteger:
      return .fields(a.offset, comparison, b.offset)
    case (.constant(let a), .recall(let b)): return remembered(b, comparison.mirrored, a)
    case (.recall(let a), .constant(let b)): return remembered(a, comparison, b)
    case (.load(let a), .recall(let b)) where !a.isNarrow && !a.isInteger: return .fieldColumn(a.offset, comparison, b)
    case (.recall(let a), .load(let b)) where !b.isNarrow && !b.isInteger: return .fieldColumn(b.offset, comparison.mirrored, a)
    case (.recall(let a), .recall(let b)): return .columns(a, comparison, b)
    default: return .compare(left, comparison, right)
    }
  }

  /// A result has 64 bits. With a constant beyond them it is compared the long way, because it may be undecided.
  private static func remembered(_ column: Int, _ comparison: Comparison, _ constant: Int128) -> Condition {
    Int64(exactly: constant).map { .column(column, comparison, $0) } ?? .compare(.recall(column), comparison, .constant(constant))
  }

  /// Compares a field with a constant in the field's own unit. If the constant is out of range, the result is constant.
  private static func direct(_ load: Term.Load, _ comparison: Comparison, _ constant: Int128) -> Condition {
    var comparison = comparison
    var constant = constant
    if load.isInteger {
      var (whole, rest) = constant.quotientAndRemainder(dividingBy: 1_000_000_000)
      if rest != 0 {
        if rest < 0 { whole -= 1 }  // rounded down
        // Between two whole numbers: at most the lower one, or at least the upper one.
        switch comparison {
        case .equal: return .constant(false)
        case .notEqual: return .constant(true)
        case .less, .lessOrEqual: comparison = .lessOrEqual
        case .greater, .greaterOrEqual: comparison = .greater
        }
      }
      constant = whole
    }
    let (least, most): (Int128, Int128) = load.isNarrow ? (0, Int128(UInt32.max)) : (Int128(Int64.min), Int128(Int64.max))
    if constant > most { return .constant(comparison.holds(0, 1)) }
    if constant < least { return .constant(comparison.holds(1, 0)) }
    return .field(load, comparison, Int64(constant))
  }

  // MARK: Lists and patterns

  func membership(_ item: Syntax, _ list: [Syntax]) throws(ExpressionError) -> Condition {
    let operand = try operand(item)
    switch operand {
    case .word(let word): throw unknownField(word, item)
    case .symbol, .text, .choice: return try names(operand, item, .equal, list, item)
    case .string: throw fail(.type, "a text is not a field", item)
    case .value(let term, let dimension):
      var values: Set<Int128> = []
      for element in list {
        let other: (term: Term, dimension: Dimension) = try value(element)
        guard let unified = try unify((term, dimension), other, element) else {
          throw fail(.type, misfit(dimension, other.dimension, element), element)
        }
        guard let constant = unified.right.constant else { throw fail(.type, "a list holds constants, no fields", element) }
        values.insert(constant)
      }
      if values.count == 1, let value = values.first { return Self.reckoned(term, .equal, .constant(value)) }
      if let constant = term.constant { return .constant(values.contains(constant)) }
      return .contains(values.sorted(), term)
    }
  }

  func match(_ item: Syntax, _ pattern: Syntax) throws(ExpressionError) -> Condition {
    let operand = try operand(item)
    let glob: String
    switch pattern.kind {
    case .string(let text): glob = text
    case .word(let word) where !knows(word): glob = word
    default: throw fail(.type, "expected a pattern such as \"BRK.*\", in which * is any text and ? one character", pattern)
    }
    let bytes = Array(glob.utf8)
    switch operand {
    case .symbol(let offset): return .symbol(offset, NameSet(patterns: [bytes]))
    case .text(let offset): return .text(offset, NameSet(patterns: [bytes]))
    case .choice(let offset, let choices):
      let hits = choices.names.indices.filter { i in
        var name = choices.names[i]
        return name.withUTF8 { Glob.matches($0, bytes) }
      }
      return try choice(offset, choices, Set(hits), item)
    case .word(let word): throw unknownField(word, item)
    case .value, .string: throw fail(.type, "only symbols, texts and choices match a pattern, and this is \(operand.kind)", item)
    }
  }

  /// Tests whether a field is one of these words; with `!=`, whether it is none of them.
  private func names(
    _ field: Operand, _ syntax: Syntax, _ comparison: Comparison, _ words: [Syntax], _ whole: Syntax
  ) throws(ExpressionError) -> Condition {
    let isEqual: Bool
    let condition: Condition
    switch field {
    case .symbol(let offset):
      isEqual = try equality(comparison, "symbols", whole)
      condition = .symbol(offset, try nameSet(words, isSymbol: true))
    case .text(let offset):
      isEqual = try equality(comparison, "texts", whole)
      condition = .text(offset, try nameSet(words, isSymbol: false))
    case .choice(let offset, let choices):
      isEqual = try equality(comparison, "'\(syntax)' and its like", whole)
      var hits: Set<Int> = []
      for word in words {
        let name = try name(word, "one of \(choices.names.joined(separator: ", "))")
        guard let hit = choices.names.firstIndex(of: name) else {
          let near = didYouMean(name, among: choices.names)
          throw fail(
            .unknown,
            "'\(syntax)' is never \(shown(name))\(near.isEmpty ? "; it is one of \(choices.names.joined(separator: ", "))" : near)", word,
            completions: choices.names.filter { $0.hasPrefix(name) })
        }
        hits.insert(hit)
      }
      condition = try choice(offset, choices, hits, syntax)
    case .value, .word, .string: throw fail(.type, "\(field.kind) is not a field with names", syntax)
    }
    return isEqual ? condition : Self.negated(condition)
  }

  private func nameSet(_ words: [Syntax], isSymbol: Bool) throws(ExpressionError) -> NameSet {
    var set = NameSet()
    for word in words {
      let name = try name(word, isSymbol ? "a symbol" : "a text")
      if isSymbol, let reason = Symbol.fault(in: name) { throw fail(.range, reason, word) }
      set.insert(name)
    }
    return set
  }

  /// An unquoted word or a text.
  private func name(_ syntax: Syntax, _ what: String) throws(ExpressionError) -> String {
    switch syntax.kind {
    case .string(let text): return text
    case .word(let word) where !knows(word): return word
    case .word(let word): throw fail(.type, "expected \(what), found the field '\(word)'; to use it as a name, write \"\(word)\"", syntax)
    case .number, .time, .percent, .duration:
      throw fail(.type, "expected \(what)" + (nameMeant(by: syntax).map { "; between quotation marks it is one: \"\($0)\"" } ?? ""), syntax)
    default:
      throw fail(.type, "expected \(what)" + (nameMeant(by: syntax).map { "; \(Self.quoting) \"\($0)\"" } ?? ""), syntax)
    }
  }

  private func choice(_ offset: Int, _ choices: Choices, _ hits: Set<Int>, _ syntax: Syntax) throws(ExpressionError) -> Condition {
    if hits.isEmpty || hits.count == choices.names.count { return .constant(!hits.isEmpty) }
    guard let bytes = choices.bytes else {
      throw fail(.type, "'\(syntax)' has a type that expressions cannot read", syntax)
    }
    return .choice(offset, hits.map { bytes[$0] }.sorted())
  }
}
