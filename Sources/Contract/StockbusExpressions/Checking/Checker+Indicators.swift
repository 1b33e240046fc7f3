// Functions with memory that are made of others, or of several fields of a bar.
extension Checker {
  func convergence(_ function: Function, _ arguments: [Syntax], _ name: String) throws(ExpressionError) -> (Term, Dimension) {
    let value = try argument(arguments[0], of: function)
    let (fast, slow) = (try events(arguments[1], of: function), try events(arguments[2], of: function))
    if fast >= slow { throw fail(.range, "the fast average takes fewer events than the slow one, as in 12, 26", arguments[1]) }
    if function == .macd { return (.recall(planner.recursion(name, .macd(fast: fast, slow: slow), value.column)), value.dimension) }
    let signal = try events(arguments[3], of: function)
    return (.recall(planner.recursion(name, .signal(fast: fast, slow: slow, signal), value.column)), value.dimension)
  }

  func range(_ function: Function, _ arguments: [Syntax], _ syntax: Syntax) throws(ExpressionError) -> (Term, Dimension) {
    let columns = try bar(function, syntax)
    let events = try events(arguments[0], of: function)
    let kind: RecursionPlan.Kind =
      function == .atr ? .range(events) : .trend(events, factor: try factor(arguments[1], of: function))
    return (.recall(planner.recursion(syntax.description, kind, columns.high, columns.low, columns.close)), .number)
  }

  /// `sma(x, w) + k * stddev(x, w)`.
  func band(_ function: Function, _ arguments: [Syntax]) throws(ExpressionError) -> (Term, Dimension) {
    let value = try argument(arguments[0], of: function)
    let window = try window(arguments[1], of: function)
    let factor = try factor(arguments[2], of: function)
    let text = "(\(arguments[0]), \(arguments[1]))"
    let mean = windowed(.sma, "sma" + text, value, window)
    let deviation = windowed(.stddev, "stddev" + text, value, window)
    let distance = Term.multiply(.constant(Int128(factor)), .recall(deviation), per: .billion)
    return (function == .bollingerUpper ? .add(.recall(mean), distance) : .subtract(.recall(mean), distance), value.dimension)
  }

  /// Where the last value lies between the lowest and the highest, in per cent of their distance; undecided if they are equal.
  func stochastic(_ arguments: [Syntax], _ syntax: Syntax) throws(ExpressionError) -> (Term, Dimension) {
    let events = try events(arguments[arguments.count - 1], of: .stochastic)
    let columns: (high: Int, low: Int, close: Int)
    let names: (high: String, low: String, close: String)
    if arguments.count == 1 {
      columns = try bar(.stochastic, syntax)
      names = ("high", "low", "close")
    } else {
      let value = try argument(arguments[0], of: .stochastic)
      columns = (value.column, value.column, value.column)
      names = (value.name, value.name, value.name)
    }
    let highest = Term.recall(planner.ring("highest(\(names.high), \(events))", columns.high, names.high, .highest, events))
    let lowest = Term.recall(planner.ring("lowest(\(names.low), \(events))", columns.low, names.low, .lowest, events))
    let last = Term.recall(planner.ring("last(\(names.close))", columns.close, names.close, .previous, 0))
    let part = Term.multiply(.constant(100_000_000_000), .subtract(last, lowest), per: .billion)
    return (.divide(part, .subtract(highest, lowest), per: .billion), .number)
  }

  /// The factor of a distance: a positive constant, in billionths.
  private func factor(_ syntax: Syntax, of function: Function) throws(ExpressionError) -> Int64 {
    let (term, dimension) = try value(syntax)
    guard let constant = term.constant, dimension == .number, constant > 0, let factor = Int64(exactly: constant) else {
      throw fail(.type, "\(function.rawValue) takes \(function.usage)", syntax)
    }
    return factor
  }

  private func bar(_ function: Function, _ syntax: Syntax) throws(ExpressionError) -> (high: Int, low: Int, close: Int) {
    guard let high = column("high"), let low = column("low"), let close = column("close") else {
      throw fail(.type, "\(function.rawValue) takes bars, and a \(shape.name) has no high, low and close", syntax)
    }
    return (high, low, close)
  }

  private func column(_ name: String) -> Int? {
    offset(name).map { planner.series(name, .field(offset: $0), Counting.anything) }
  }

  /// Where a number of 64 bits is.
  private func offset(_ name: String) -> Int? {
    guard let slot = shape[name], case .value(.number, isInteger: false) = slot.form else { return nil }
    return slot.offset
  }

  /// The turnover and the volume of an event.
  func turnover(_ syntax: Syntax) throws(ExpressionError) -> (low: Int, weights: Weights) {
    if let price = offset("price"), let size = offset("size") {
      let volume = planner.series("size", .field(offset: size), Counting.volume)
      return planner.turnover({ .product(price: price, size: size, high: $0) }, volume: volume)
    }
    let turnover = shape["turnover"].flatMap { slot in if case .amount = slot.form { slot.offset } else { nil } as Int? }
    guard let turnover, let average = offset("vwap"), let volume = offset("volume") else {
      throw fail(.type, "vwap takes trades or bars, and a \(shape.name) has no turnover", syntax)
    }
    let volumes = planner.series("volume", .field(offset: volume), Counting.volume)
    return planner.turnover({ .turnover(turnover, average: average, volume: volume, high: $0) }, volume: volumes)
  }
}
