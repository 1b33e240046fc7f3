internal import MarketData

// Defines which values may be added, multiplied and divided.
extension Checker {
  func value(_ syntax: Syntax) throws(ExpressionError) -> (Term, Dimension) {
    switch syntax.kind {
    case .number(let value): return (.constant(value), .number)
    case .percent(let value): return (.constant(value), .percent)
    case .duration(let value): return (.constant(value), .duration)
    case .time(let ns): return (.constant(Int128(ns)), .time)
    case .negate(let inner):
      let (term, dimension) = try value(inner)
      if dimension == .time { throw fail(.type, "a time has no sign", syntax) }
      return (try folded(.negate(term), syntax), dimension)
    case .arithmetic(let operation, let left, let right): return try arithmetic(operation, left, right, syntax)
    case .call(let function, _) where function.isCondition:
      throw fail(.type, "\(function.rawValue)(…) is a condition, not a value", syntax)
    case .call(let function, let arguments) where function.hasMemory:
      let (term, dimension) = try remembered(function, arguments, syntax)
      if case .recall(let column) = term { planner.dimensions[column] = dimension }
      return (term, dimension)
    case .call(let function, let arguments): return try call(function, arguments, syntax)
    default:
      switch try operand(syntax) {
      case .value(let term, let dimension): return (term, dimension)
      case .word(let word): throw unknownField(word, syntax)
      case let other: throw fail(.type, "expected a number, a duration or a time, found \(other.kind)", syntax)
      }
    }
  }

  private func call(_ function: Function, _ arguments: [Syntax], _ syntax: Syntax) throws(ExpressionError) -> (Term, Dimension) {
    var (term, dimension) = try value(arguments[0])
    if function == .abs {
      if dimension == .time { throw fail(.type, "a time has no sign; abs takes a number, percentage or duration", arguments[0]) }
      return (try folded(.absolute(term), syntax), dimension)
    }
    for argument in arguments.dropFirst() {
      let next = try value(argument)
      guard let unified = try unify((term, dimension), next, argument) else {
        let message = "\(function.rawValue) takes values of one kind, but this is a \(next.1.rawValue) and not a \(dimension.rawValue)"
        throw fail(.type, message, argument)
      }
      dimension = unified.dimension
      term = try folded(function == .min ? .least(unified.left, unified.right) : .greatest(unified.left, unified.right), syntax)
    }
    return (term, dimension)
  }

  /// Converts two values to one dimension for a comparison. A plain number compared with a percentage is taken as per cent; a percentage
  /// literal compared with a number is taken as a fraction of one. Nil if the dimensions do not match.
  func unify(
    _ a: (term: Term, dimension: Dimension), _ b: (term: Term, dimension: Dimension), _ syntax: Syntax
  ) throws(ExpressionError) -> (left: Term, right: Term, dimension: Dimension)? {
    if a.dimension == b.dimension { return (a.term, b.term, a.dimension) }
    switch (a.dimension, b.dimension) {
    case (.percent, .number):
      if b.term.constant != nil, a.term.constant == nil { return (a.term, b.term, .percent) }
      if let percent = a.term.constant, b.term.constant == nil {
        try refuseShare(of: b.term, syntax)
        return (try part(percent, syntax), b.term, .number)
      }
    case (.number, .percent):
      if a.term.constant != nil, b.term.constant == nil { return (a.term, b.term, .percent) }
      if let percent = b.term.constant, a.term.constant == nil {
        try refuseShare(of: a.term, syntax)
        return (a.term, try part(percent, syntax), .number)
      }
    default: break
    }
    return nil
  }

  /// Reports `price > 100%`: a field of plain numbers is an amount, but a percentage is a fraction of something.
  private func refuseShare(of term: Term, _ syntax: Syntax) throws(ExpressionError) {
    guard case .load = term else { return }
    let example = "a quotient is, as in bid / ask < 99%; an amount is written without '%', as in price > 100"
    throw fail(.type, "an amount cannot be compared with a percentage; \(example)", syntax)
  }

  /// A percentage as a fraction of one: 1.5 per cent is 0.015.
  private func part(_ percent: Int128, _ syntax: Syntax) throws(ExpressionError) -> Term {
    let (part, rest) = percent.quotientAndRemainder(dividingBy: 100)
    if rest != 0 { throw fail(.range, "as a fraction of 1 the percentage has more than nine decimals", syntax) }
    return .constant(part)
  }

  private func arithmetic(
    _ operation: Arithmetic, _ left: Syntax, _ right: Syntax, _ syntax: Syntax
  ) throws(ExpressionError) -> (Term, Dimension) {
    let (a, aDimension) = try value(left)
    let (b, bDimension) = try value(right)
    let result: (Term, Dimension)?
    switch operation {
    case .plus: result = Self.sum(a, aDimension, b, bDimension)
    case .minus: result = Self.difference(a, aDimension, b, bDimension)
    case .times: result = Self.product(a, aDimension, b, bDimension)
    case .divided: result = Self.quotient(a, aDimension, b, bDimension)
    }
    guard let (term, dimension) = result else {
      throw fail(.type, misfit(operation, left, aDimension, right, bDimension), syntax)
    }
    return (try folded(term, syntax), dimension)
  }

  private func misfit(_ operation: Arithmetic, _ left: Syntax, _ a: Dimension, _ right: Syntax, _ b: Dimension) -> String {
    let verb =
      switch operation {
      case .plus: "a \(b.rawValue) cannot be added to a \(a.rawValue)"
      case .minus: "a \(b.rawValue) cannot be subtracted from a \(a.rawValue)"
      case .times: "a \(a.rawValue) cannot be multiplied by a \(b.rawValue)"
      case .divided: "a \(a.rawValue) cannot be divided by a \(b.rawValue)"
      }
    let isSum = operation == .plus || operation == .minus
    switch (a, b) {
    case (.number, .percent) where isSum: return verb + "; multiply instead, as in price * 101%"
    case (.percent, .number) where isSum: return verb + "; write the number with a '%'"
    case (.number, .duration) where isSum, (.number, .time) where isSum: return verb + "; write the number with a unit, as in 250ms"
    case (.duration, .number) where isSum, (.time, .number) where isSum: return verb + "; write the number with a unit, as in 250ms"
    default: return verb
    }
  }

  private static func sum(_ a: Term, _ aDimension: Dimension, _ b: Term, _ bDimension: Dimension) -> (Term, Dimension)? {
    switch (aDimension, bDimension) {
    case (.number, .number), (.percent, .percent), (.duration, .duration): (.add(a, b), aDimension)
    case (.time, .duration), (.duration, .time): (.add(a, b), .time)
    default: nil
    }
  }

  private static func difference(_ a: Term, _ aDimension: Dimension, _ b: Term, _ bDimension: Dimension) -> (Term, Dimension)? {
    switch (aDimension, bDimension) {
    case (.number, .number), (.percent, .percent), (.duration, .duration): (.subtract(a, b), aDimension)
    case (.time, .duration): (.subtract(a, b), .time)
    case (.time, .time): (.subtract(a, b), .duration)
    default: nil
    }
  }

  private static func product(_ a: Term, _ aDimension: Dimension, _ b: Term, _ bDimension: Dimension) -> (Term, Dimension)? {
    switch (aDimension, bDimension) {
    case (.number, .number): (.multiply(a, b, per: .billion), .number)
    case (.number, .duration), (.duration, .number): (.multiply(a, b, per: .billion), .duration)
    case (.percent, .duration), (.duration, .percent): (.multiply(a, b, per: .hundredBillion), .duration)
    case (.percent, .percent): (.multiply(a, b, per: .hundredBillion), .percent)
    // Twice a percentage is a percentage; a percentage of a price is a price.
    case (.number, .percent) where a.constant != nil: (.multiply(a, b, per: .billion), .percent)
    case (.percent, .number) where b.constant != nil: (.multiply(a, b, per: .billion), .percent)
    case (.number, .percent), (.percent, .number): (.multiply(a, b, per: .hundredBillion), .number)
    default: nil
    }
  }

  private static func quotient(_ a: Term, _ aDimension: Dimension, _ b: Term, _ bDimension: Dimension) -> (Term, Dimension)? {
    switch (aDimension, bDimension) {
    case (.number, .number), (.percent, .percent), (.duration, .duration): (.divide(a, b, per: .billion), .number)
    case (.percent, .number), (.duration, .number): (.divide(a, b, per: .billion), aDimension)
    case (.number, .percent), (.duration, .percent): (.divide(a, b, per: .hundredBillion), aDimension)
    default: nil
    }
  }

  /// Computes constant terms at compile time.
  private func folded(_ term: Term, _ syntax: Syntax) throws(ExpressionError) -> Term {
    let result: Int128?
    switch term {
    case .constant, .load, .recall: return term
    case .negate(let a):
      guard let a = a.constant else { return term }
      result = Wide.negated(a)
    case .absolute(let a):
      guard let a = a.constant else { return term }
      result = a < 0 ? Wide.negated(a) : a
    case .add(let a, let b):
      guard let a = a.constant, let b = b.constant else { return term }
      result = Wide.sum(a, b)
    case .subtract(let a, let b):
      guard let a = a.constant, let b = b.constant else { return term }
      result = Wide.difference(a, b)
    case .multiply(let a, let b, let per):
      guard let a = a.constant, let b = b.constant else { return term }
      result = Wide.product(a, b, per: per)
    case .divide(let a, let b, let per):
      if b.constant == 0 { throw fail(.range, "this divides by zero", syntax) }
      guard let a = a.constant, let b = b.constant else { return term }
      result = Wide.quotient(a, b, per: per)
    case .least(let a, let b):
      guard let a = a.constant, let b = b.constant else { return term }
      result = min(a, b)
    case .greatest(let a, let b):
      guard let a = a.constant, let b = b.constant else { return term }
      result = max(a, b)
    }
    guard let result else { throw fail(.range, "the result is too large", syntax) }
    return .constant(result)
  }
}
