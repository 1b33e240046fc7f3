internal import EventBus

// Performs the steps, and makes the arguments of functions columns.
extension ExpressionMemory {
  @inline(never)
  func perform(_ step: MemoryStep, _ machine: Machine) {
    switch step {
    case .series(let series): fill(series, machine)
    case .row(let place, let isFlag, let column): read(place, isFlag: isFlag, column, machine)
    case .ring(let ring): turn(ring, machine.space, machine.count)
    case .recursion(let recursion): perform(recursion, machine.space, machine.count)
    case .timed(let timed): perform(timed, machine.space, machine.count)
    case .extreme(let extreme): perform(extreme, machine.space, machine.count)
    case .session(let session): perform(session, machine.space, machine.count)
    case .crossing(let crossing): perform(crossing, machine.space, machine.count)
    case .since(let since): perform(since, machine.space, machine.count)
    }
  }

  /// Reads a column of the events.
  private func read(_ place: Int, isFlag: Bool, _ column: Int, _ machine: Machine) {
    let (count, values, missing) = (machine.count, machine.space.values(column), machine.space.missing(column))
    guard let (first, stride) = machine.columns?.values(place, from: machine.events) else {
      values.update(repeating: 0, count: count)
      return missing.update(repeating: 1, count: count)
    }
    for i in 0..<count { values[i] = first[i &* stride] }
    // Of what is true or false the verdicts: undecided without a value.
    if isFlag {
      for i in 0..<count { missing[i] = values[i] == ColumnLayout.missing ? 1 : values[i] == 0 ? 0 : 2 }
    } else {
      for i in 0..<count { missing[i] = values[i] == ColumnLayout.missing ? 1 : 0 }
    }
  }

  private func fill(_ series: Series, _ machine: Machine) {
    let (space, count) = (machine.space, machine.count)
    let (values, missing) = (space.values(series.column), space.missing(series.column))
    let (counting, need) = (columns.counting, series.need)
    switch series.source {
    case .field(let offset):
      let (at, stride) = (machine.events + offset, machine.stride)
      for i in 0..<count { values[i] = (at + i &* stride).load(as: Int64.self) }
      for i in 0..<count { missing[i] = counting[i] & need == need ? 0 : 1 }
    case .one:
      values.update(repeating: 1, count: count)
      for i in 0..<count { missing[i] = counting[i] & need == need ? 0 : 1 }
    case .computed, .condition:
      // The machine has written the column.
      for i in 0..<count { missing[i] |= counting[i] & need == need ? 0 : 1 }
    case .column(let from):
      let others = space.missing(from)
      values.update(from: space.values(from), count: count)
      for i in 0..<count { missing[i] = others[i] | (counting[i] & need == need ? 0 : 1) }
    case .product(let price, let size, let high):
      let (events, stride) = (machine.events, machine.stride)
      words(series, high: high, space, count) { i in
        let event = events + i &* stride
        let product = (event + price).load(as: Int64.self).multipliedFullWidth(by: (event + size).load(as: Int64.self))
        return Int128(truncatingIfNeeded: product.high) << 64 | Int128(truncatingIfNeeded: product.low)
      }
    case .turnover(let turnover, let average, let volume, let high):
      let (events, stride) = (machine.events, machine.stride)
      words(series, high: high, space, count) { i in
        let event = events + i &* stride
        let own = (event + turnover).load(as: Int128.self)
        if own != 0 { return own }
        return Int128((event + average).load(as: Int64.self)) &* Int128((event + volume).load(as: Int64.self))
      }
    }
  }

  /// Beyond this a turnover has no result, so that millions of them can be summed up: 20 trillion units.
  private static let largestTurnover: UInt128 = 1 << 104

  @inline(__always)
  private func words(_ series: Series, high: Int, _ space: Workspace, _ count: Int, _ turnover: (Int) -> Int128) {
    let (lows, missing, highs) = (space.values(series.column), space.missing(series.column), space.values(high))
    let (counting, need) = (columns.counting, series.need)
    for i in 0..<count {
      let value = turnover(i)
      lows[i] = Int64(truncatingIfNeeded: value)
      highs[i] = Int64(truncatingIfNeeded: value >> 64)
      missing[i] = counting[i] & need == need && value.magnitude < Self.largestTurnover ? 0 : 1
    }
  }

  /// Puts the results of a function into its column.
  @inline(__always)
  func put(_ result: Int64?, _ column: Int, _ i: Int, _ space: Workspace) {
    space.values(column)[i] = result ?? 0
    space.missing(column)[i] = result == nil ? 1 : 0
  }
}
