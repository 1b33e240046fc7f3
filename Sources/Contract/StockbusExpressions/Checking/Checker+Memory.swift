// Functions with memory: which values and windows they take, and what their results are.
extension Checker {
  func remembered(_ function: Function, _ arguments: [Syntax], _ syntax: Syntax) throws(ExpressionError) -> (Term, Dimension) {
    try requireMemory(function, syntax)
    let name = syntax.description
    switch function {
    case .sma, .sum, .stddev, .zscore, .highest, .lowest, .first:
      let value = try argument(arguments[0], of: function)
      let window = try window(arguments[1], of: function)
      return (.recall(windowed(function, name, value, window)), function == .zscore ? .number : value.dimension)
    case .count:
      let input = planner.series("1", .one, Counting.volume)
      return (.recall(planner.window(name, input, "1", .count, try window(arguments[0], of: function))), .number)
    case .vwap:
      let window = try window(arguments[0], of: function)
      let (low, weights) = try turnover(syntax)
      return (.recall(planner.window(name, low, "turnover", weights: weights, .vwap, window)), .number)
    case .ema, .rma, .rsi:
      let value = try argument(arguments[0], of: function)
      let events = try events(arguments[1], of: function)
      let kind: RecursionPlan.Kind = function == .ema ? .ema(events) : function == .rma ? .rma(events) : .rsi(events)
      return (.recall(planner.recursion(name, kind, value.column)), function == .rsi ? .number : value.dimension)
    case .wma:
      let value = try argument(arguments[0], of: function)
      return (.recall(planner.ring(name, value.column, value.name, .weighted, try events(arguments[1], of: function))), value.dimension)
    case .prev, .change:
      let value = try argument(arguments[0], of: function)
      let events = arguments.count == 1 ? 1 : try events(arguments[1], of: function)
      let column = planner.ring(name, value.column, value.name, function == .prev ? .previous : .change, events)
      return (.recall(column), function == .change && value.dimension == .time ? .duration : value.dimension)
    case .macd, .macdSignal: return try convergence(function, arguments, name)
    case .atr, .supertrend: return try range(function, arguments, syntax)
    case .bollingerUpper, .bollingerLower: return try band(function, arguments)
    case .stochastic: return try stochastic(arguments, syntax)
    case .since:
      let condition = try condition(arguments[0])
      if case .constant = condition { throw fail(.type, "this condition does not depend on the event", arguments[0]) }
      let input = planner.series(arguments[0].description, .condition(condition), need(condition), isDerived: true)
      return (.recall(planner.since(name, input)), .duration)
    case .abs, .min, .max, .crossesAbove, .crossesBelow: throw fail(.type, "\(function.rawValue) is no function with memory", syntax)
    }
  }

  func crossing(_ function: Function, _ arguments: [Syntax], _ syntax: Syntax) throws(ExpressionError) -> Condition {
    try requireMemory(function, syntax)
    let (a, b) = (try value(arguments[0]), try value(arguments[1]))
    guard let (left, right, _) = try unify(a, b, arguments[1]) else {
      throw fail(.type, "a \(a.1.rawValue) cannot cross a \(b.1.rawValue)", arguments[1])
    }
    if left.constant != nil, right.constant != nil { throw fail(.type, "two constants never cross", syntax) }
    let columns = (column(arguments[0], left), column(arguments[1], right))
    let need = need(left) | need(right)
    return .verdicts(planner.crossing(syntax.description, columns.0, columns.1, isAbove: function == .crossesAbove, need))
  }

  // MARK: Arguments

  /// The column of a number that is not part of a condition.
  func number(_ syntax: Syntax) throws(ExpressionError) -> Int {
    let (term, _) = try value(syntax)
    if term.constant != nil { throw fail(.type, "this number is the same for all events", syntax) }
    if planner.places.symbol == nil { throw fail(.type, "this is a number by instrument, but a \(shape.name) is about none", syntax) }
    return column(syntax, term)
  }

  /// The first argument of a function.
  struct Argument {
    let name: String
    let column: Int
    let dimension: Dimension
  }

  private func requireMemory(_ function: Function, _ syntax: Syntax) throws(ExpressionError) {
    if let refusal = place.refusal { throw fail(.type, "\(function.rawValue) needs earlier events, but \(refusal)", syntax) }
    if planner.places.symbol == nil {
      throw fail(.type, "\(function.rawValue) remembers by instrument, but a \(shape.name) is about none", syntax)
    }
  }

  func argument(_ syntax: Syntax, of function: Function) throws(ExpressionError) -> Argument {
    let (term, dimension) = try value(syntax)
    if term.constant != nil { throw fail(.type, "a constant has no past; \(function.rawValue) takes \(function.usage)", syntax) }
    if dimension == .time, ![.highest, .lowest, .first, .prev, .change].contains(function) {
      throw fail(.type, "times cannot be added; take a difference, as in received - time", syntax)
    }
    return Argument(name: syntax.description, column: column(syntax, term), dimension: dimension)
  }

  func column(_ syntax: Syntax, _ term: Term) -> Int {
    // A constant of another unit is written the same way.
    if let constant = term.constant { return planner.series("\(constant) billionths", term, 0) }
    return planner.series(syntax.description, term, need(term))
  }

  /// A number of events.
  func events(_ syntax: Syntax, of function: Function) throws(ExpressionError) -> Int {
    guard case .events(let events) = try window(syntax, of: function) else {
      throw fail(.type, "\(function.rawValue) takes \(function.usage)", syntax)
    }
    return events
  }

  func window(_ syntax: Syntax, of function: Function) throws(ExpressionError) -> Window {
    let window: Window
    switch syntax.kind {
    case .number(let value):
      let (events, rest) = value.quotientAndRemainder(dividingBy: 1_000_000_000)
      if rest != 0 || events < 1 || events > Window.mostEvents {
        throw fail(.range, "a window of events is a whole number from 1 to \(Window.mostEvents)", syntax, mayGoOn: true)
      }
      window = .events(Int(events))
    case .duration(let ns), .opening(let ns):
      if ns <= 0 || ns > Int128(Int64.max) { throw fail(.range, "a window has a length, as in 5m", syntax) }
      if case .opening = syntax.kind { window = .opening(Int64(ns)) } else { window = .time(Int64(ns)) }
    case .word("session"): window = .session
    case .word("first"):
      throw fail(.syntax, "the beginning of a session is written with its length, as in first 15m", syntax, mayGoOn: true)
    case .word(let word) where ["day", "today", "daily"].contains(word):
      throw fail(.type, "'\(word)' is no window; write session, or 1d for the last 24 hours", syntax)
    default: throw fail(.type, "\(function.rawValue) takes \(function.usage)", syntax)
    }
    let isFit =
      switch (function, window) {
      case (.sma, _), (.sum, _), (.stddev, _), (.zscore, _), (.highest, _), (.lowest, _): true
      case (.bollingerUpper, _), (.bollingerLower, _): true
      case (.count, .events), (.vwap, .events), (.first, .events), (.first, .time): false
      case (.count, _), (.vwap, _), (.first, _): true
      case (_, .events): true
      default: false
      }
    if isFit { return window }
    throw fail(.type, "\(function.rawValue) takes \(function.usage)", syntax)
  }

  func windowed(_ function: Function, _ name: String, _ value: Argument, _ window: Window) -> Int {
    if case .events(let events) = window {
      let kind: RingPlan.Kind =
        switch function {
        case .sum: .sum
        case .stddev: .deviation
        case .zscore: .score
        case .highest: .highest
        case .lowest: .lowest
        default: .mean
        }
      return planner.ring(name, value.column, value.name, kind, events)
    }
    let statistic: Statistic =
      switch function {
      case .sum: .sum
      case .stddev: .deviation
      case .zscore: .score
      case .highest: .highest
      case .lowest: .lowest
      case .first: .first
      default: .mean
      }
    return planner.window(name, value.column, value.name, statistic, window)
  }

  // MARK: What an event must count for

  /// What an event must count for so that the term may be taken from it.
  func need(_ term: Term) -> UInt8 {
    switch term {
    case .constant: 0
    case .recall(let column): planner.needs[column]
    case .load(let load): need(offset: load.offset)
    case .negate(let a), .absolute(let a): need(a)
    case .add(let a, let b), .subtract(let a, let b), .multiply(let a, let b, _), .divide(let a, let b, _), .least(let a, let b),
      .greatest(let a, let b):
      need(a) | need(b)
    }
  }

  private func need(offset: Int) -> UInt8 {
    switch shape.slots.first(where: { $0.offset == offset })?.name {
    case "price": Counting.lastPrice
    case "size": Counting.volume
    default: Counting.anything
    }
  }

  private func need(_ condition: Condition) -> UInt8 {
    switch condition {
    case .constant: 0
    case .field(let load, _, _): need(offset: load.offset)
    case .fields(let a, _, let b), .sameSymbol(let a, let b), .sameChoice(let a, let b): need(offset: a) | need(offset: b)
    case .compare(let a, _, let b): need(a) | need(b)
    case .contains(_, let term): need(term)
    case .column(let column, _, _), .verdicts(let column): planner.needs[column]
    case .fieldColumn(let offset, _, let column): need(offset: offset) | planner.needs[column]
    case .columns(let a, _, let b): planner.needs[a] | planner.needs[b]
    case .symbol, .choice, .text: Counting.anything
    case .not(let inner): need(inner)
    case .all(let parts), .any(let parts): parts.reduce(0) { $0 | need($1) }
    }
  }
}
