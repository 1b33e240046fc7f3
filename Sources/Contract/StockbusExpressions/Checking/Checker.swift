internal import EventBus
internal import MarketData

/// Type-checks an expression: decides for every word whether it is a field, a case, a symbol or a text, and checks that every operation
/// fits its values.
struct Checker {
  let text: String
  let shape: EventShape
  let place: ExpressionPlace
  /// Collects the functions with memory.
  let planner: MemoryPlanner

  /// The names of fields, columns, and columns that were computed before.
  var names: [String] { shape.names + planner.named.keys.sorted() }

  /// True if a word is a field or a column.
  func knows(_ word: String) -> Bool { shape.knows(word) || planner.named[word] != nil }

  /// `mayGoOn`: the expression may become valid by further typing, if the error is at its end.
  func fail(
    _ code: ExpressionError.Code, _ message: String, _ syntax: Syntax, completions: [String] = [], mayGoOn: Bool = false
  ) -> ExpressionError {
    let isOpen = syntax.range.upperBound == text.utf8.count && (mayGoOn || !completions.isEmpty)
    return ExpressionError(code, message, text, syntax.range, isIncomplete: isOpen, completions: isOpen ? completions : [])
  }

  // MARK: Conditions

  func condition(_ syntax: Syntax) throws(ExpressionError) -> Condition {
    switch syntax.kind {
    case .bool(let value): return .constant(value)
    case .not(let inner):
      switch try condition(inner) {
      case .constant(let value): return .constant(!value)
      case .not(let condition): return condition
      case let condition: return .not(condition)
      }
    case .all(let parts): return try joined(parts, isAll: true)
    case .any(let parts): return try joined(parts, isAll: false)
    case .comparison(let operands, let operators):
      var parts: [Condition] = []
      for (i, comparison) in operators.enumerated() {
        parts.append(try compare(operands[i], comparison, operands[i + 1], whole: syntax))
      }
      return parts.count == 1 ? parts[0] : Self.simplified(parts, isAll: true)
    case .membership(let item, let list, let isNegated):
      let condition = try membership(item, list)
      return isNegated ? Self.negated(condition) : condition
    case .match(let item, let pattern, let isNegated):
      let condition = try match(item, pattern)
      return isNegated ? Self.negated(condition) : condition
    case .call(let function, let arguments) where function.isCondition: return try crossing(function, arguments, syntax)
    case .word(let word):
      if case .condition(let condition) = planner.named[word] { return condition }
      if let place = shape.columns.place(of: word), shape[word] == nil, shape.columns.columns[place].kind == .flag {
        return .verdicts(planner.row(place, shape.columns.columns[place]))
      }
      throw notACondition(syntax)
    case .string, .number, .percent, .duration, .time, .opening, .negate, .arithmetic, .call:
      throw notACondition(syntax)
    }
  }

  private func joined(_ parts: [Syntax], isAll: Bool) throws(ExpressionError) -> Condition {
    var conditions: [Condition] = []
    for part in parts {
      switch part.kind {
      case .number, .percent, .duration, .time, .string:
        let (word, kind) = (isAll ? "and" : "or", try operand(part).kind)
        let isText = if case .string = part.kind { true } else { false }
        let example =
          isAll ? "price > 100 and price < 200" : isText ? "symbol == AAPL or symbol == NVDA" : "price < 100 or price > 200"
        throw fail(
          .type, "\(kind) is not a condition; write a whole comparison on each side of '\(word)', as in \(example)", part, mayGoOn: true)
      default: conditions.append(try condition(part))
      }
    }
    return Self.simplified(conditions, isAll: isAll)
  }

  /// The parts, without those that have no effect.
  static func simplified(_ parts: [Condition], isAll: Bool) -> Condition {
    var kept: [Condition] = []
    for part in parts {
      if case .constant(let value) = part {
        if value != isAll { return .constant(value) }
      } else {
        kept.append(part)
      }
    }
    if kept.isEmpty { return .constant(isAll) }
    return kept.count == 1 ? kept[0] : isAll ? .all(kept) : .any(kept)
  }

  static func negated(_ condition: Condition) -> Condition {
    if case .constant(let value) = condition { .constant(!value) } else { .not(condition) }
  }

  private func notACondition(_ syntax: Syntax) -> ExpressionError {
    do throws(ExpressionError) {
      let operand = try operand(syntax)
      if case .word(let word) = operand { return unknownField(word, syntax) }
      let message =
        switch operand {
        case .choice(_, let choices): "\(operand.kind) is not a condition; compare it, as in \(syntax) == \(choices.names.last ?? "x")"
        case .symbol: "a symbol is not a condition; compare it, as in \(syntax) == AAPL"
        case .text: "a text is not a condition; compare it, as in \(syntax) matches \"*x*\""
        default: "\(operand.kind) is not a condition; compare it, as in price > 100"
        }
      // While a comparison is being typed, its left side comes first, so the text may be incomplete.
      let isOpen = text.utf8.dropFirst(syntax.range.upperBound).allSatisfy { $0 == 32 || $0 == 9 }
      let completions = if case .word(let word) = syntax.kind { words(beginning: word).filter { $0 != word } } else { [] as [String] }
      return ExpressionError(.type, visible(message, limit: 200), text, syntax.range, isIncomplete: isOpen, completions: completions)
    } catch { return error }
  }

  // MARK: Words

  func operand(_ syntax: Syntax) throws(ExpressionError) -> Operand {
    switch syntax.kind {
    case .word(let word):
      guard let slot = shape[word] else { return try column(word, syntax) ?? .word(word) }
      switch slot.form {
      case .value(let dimension, let isInteger):
        return .value(.load(.init(offset: slot.offset, isNarrow: false, isInteger: isInteger)), dimension)
      case .count: return .value(.load(.init(offset: slot.offset, isNarrow: true, isInteger: true)), .number)
      case .symbol: return .symbol(slot.offset)
      case .text: return .text(slot.offset)
      case .choice(let choices): return .choice(slot.offset, choices)
      case .amount, .foreign: throw fail(.type, "the field '\(word)' has a type that expressions cannot read", syntax)
      }
    case .string(let text): return .string(text)
    case .number, .percent, .duration, .time, .negate, .arithmetic, .call:
      let (term, dimension) = try value(syntax)
      return .value(term, dimension)
    case .opening:
      throw fail(.type, "'\(syntax)' is a window, which comes after the value, as in highest(price, \(syntax))", syntax)
    case .bool, .not, .comparison, .membership, .match, .all, .any:
      throw fail(.type, "expected a value, found a condition", syntax)
    }
  }

  /// True if it can only be a condition, and no value.
  func isCondition(_ syntax: Syntax) -> Bool {
    switch syntax.kind {
    case .bool, .not, .all, .any, .comparison, .membership, .match: true
    case .call(let function, _): function.isCondition
    case .word(let word):
      if case .condition = planner.named[word] { true } else { shape.columns.columns.contains { $0.name == word && $0.kind == .flag } }
    case .string, .number, .percent, .duration, .time, .opening, .negate, .arithmetic: false
    }
  }

  /// A column of the events, or one that was computed before; nil if there is none of this name.
  private func column(_ word: String, _ syntax: Syntax) throws(ExpressionError) -> Operand? {
    switch planner.named[word] {
    case .value(let term, let dimension): return .value(term, dimension)
    case .condition: throw fail(.type, "'\(word)' is true or false, and a condition by itself, as in not \(word)", syntax)
    case nil: break
    }
    guard let place = shape.columns.place(of: word) else { return nil }
    let info = shape.columns.columns[place]
    guard let dimension = info.kind.dimension else {
      throw fail(.type, "the column '\(word)' is true or false, and a condition by itself, as in not \(word)", syntax)
    }
    return .value(.recall(planner.row(place, info)), dimension)
  }

  /// The error for a word that should be a field.
  func unknownField(_ word: String, _ syntax: Syntax) -> ExpressionError {
    let names = self.names
    let others = names.dropFirst(shape.slots.count).joined(separator: ", ")
    let columns = others.isEmpty ? "" : ", and its columns \(others)"
    let list = "; its fields are \(shape.slots.map(\.name).joined(separator: ", "))\(columns)"
    let advice: String
    if let elsewhere = Elsewhere.note(on: word, notIn: shape.name) {
      advice = " (\(elsewhere))" + list
    } else if let meant = fieldMeant(by: word) {
      advice = "; did you mean '\(meant)'?"
    } else if let hint = Foreign.valueHint(word) {
      advice = "; \(hint)"
    } else {
      let near = didYouMean(word, among: names)
      advice = near.isEmpty ? list + symbolHint(word) : near
    }
    return fail(.unknown, "\(shape.name) has no field \(shown(word))\(advice)", syntax, completions: words(beginning: word))
  }

  /// The field meant by `PRICE` or `trade.price`: in other case, or after the name of its event.
  private func fieldMeant(by word: String) -> String? {
    let last = word.lowercased().split(separator: ".").last ?? ""
    return names.first { $0.lowercased() == last }
  }

  /// A hint for a word that looks like a symbol in place of a value.
  private func symbolHint(_ word: String) -> String {
    guard let field = shape.slots.first(where: { if case .symbol = $0.form { true } else { false } })?.name else { return "" }
    let letters = word.unicodeScalars.filter { $0.properties.isAlphabetic }
    guard letters.count > 1, letters.allSatisfy({ $0.properties.isUppercase }) else { return "" }
    return "; a symbol is compared as in \(field) == \(visible(word, limit: 40)), several as in \(field) in [AAPL, NVDA]"
  }

  /// The words with this prefix that can begin a value or a condition.
  func words(beginning prefix: String) -> [String] {
    let functions = Function.allCases.filter { place.keepsMemory || !$0.hasMemory }.map(\.rawValue)
    let fields = names
    return (fields + ["not"] + functions.filter { !fields.contains($0) }).filter { $0.hasPrefix(prefix) }
  }
}
