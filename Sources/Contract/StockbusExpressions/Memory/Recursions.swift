/// `ema`, `rma`: while `filled` is below the number of events, `value` is a sum.
struct AverageState: BitwiseCopyable {
  var value: Double
  var filled: UInt32

  /// Takes a value into the average of `events`; `weight` is its weight once the average is seeded with the mean of the first values.
  @inline(__always)
  mutating func take(_ value: Double, _ events: UInt32, _ weight: Double) {
    if filled >= events {
      self.value += (value - self.value) * weight
    } else {
      filled &+= 1
      self.value += value
      if filled == events { self.value /= Double(events) }
    }
  }
}

/// `rsi`: the average gain and loss; sums while `filled` is not above the number of events.
struct StrengthState: BitwiseCopyable {
  var last: Int64
  var gain: Double
  var loss: Double
  var filled: UInt32

  @inline(__always)
  mutating func take(_ value: Int64, _ events: UInt32, _ kept: Double, _ share: Double) {
    let change = Double(value) - Double(last)
    last = value
    // Without a branch, which random prices would mispredict.
    let (up, down) = ((abs(change) + change) * 0.5, (abs(change) - change) * 0.5)
    if filled > events {
      gain = (gain * kept + up) * share
      loss = (loss * kept + down) * share
      return
    }
    filled &+= 1
    if filled == 1 { return }
    gain += up
    loss += down
    if filled > events {
      gain *= share
      loss *= share
    }
  }

  /// In billionths of a hundredth; not a number where nothing moved.
  @inline(__always)
  var strength: Double {
    let all = gain + loss
    return all >= 1e-5 ? 100e9 * (gain / all) : .nan
  }
}

/// `macd`, `macd_signal`: both averages are seeded at the same event, as TA-Lib does.
struct ConvergenceState: BitwiseCopyable {
  var fast: Double
  var slow: Double
  var signal: AverageState
  var filled: UInt32

  @inline(__always)
  mutating func take(_ value: Double, fast fastEvents: Int, slow slowEvents: Int, signal signalEvents: Int) {
    if Int(filled) >= slowEvents {
      fast += (value - fast) * (2 / Double(fastEvents + 1))
      slow += (value - slow) * (2 / Double(slowEvents + 1))
    } else {
      filled &+= 1
      slow += value
      if Int(filled) > slowEvents - fastEvents { fast += value }
      if Int(filled) < slowEvents { return }
      fast /= Double(fastEvents)
      slow /= Double(slowEvents)
    }
    signal.take(fast - slow, UInt32(truncatingIfNeeded: signalEvents), 2 / Double(signalEvents + 1))
  }
}

/// `atr`: the average true range; a sum while `filled` is not above the number of events.
struct RangeState: BitwiseCopyable {
  var close: Double
  var range: Double
  var filled: UInt32

  @inline(__always)
  mutating func take(high: Double, low: Double, close: Double, _ events: Int) {
    defer { self.close = close }
    if filled == 0 {
      filled = 1
      return
    }
    let range = max(high - low, abs(high - self.close), abs(low - self.close))
    if Int(filled) > events {
      self.range = (self.range * Double(events - 1) + range) / Double(events)
      return
    }
    filled &+= 1
    self.range += range
    if Int(filled) > events { self.range /= Double(events) }
  }
}

/// `supertrend`: both bands, each of which only comes closer while the close has not passed it.
struct TrendState: BitwiseCopyable {
  var range: RangeState
  var upper: Double
  var lower: Double
  /// 0 before the first band, 1 below the upper band, 2 above the lower one.
  var side: UInt32

  mutating func take(high: Double, low: Double, close: Double, _ events: Int, _ factor: Double) {
    let last = range.close
    range.take(high: high, low: low, close: close, events)
    if Int(range.filled) <= events { return }
    let (middle, distance) = ((high + low) / 2, factor * range.range)
    if side == 0 {
      // A trend begins below its upper band, as in Pine.
      (upper, lower, side) = (middle + distance, middle - distance, 1)
      return
    }
    if middle + distance < upper || last > upper { upper = middle + distance }
    if middle - distance > lower || last < lower { lower = middle - distance }
    if side == 1, close > upper { side = 2 } else if side == 2, close < lower { side = 1 }
  }
}

extension ExpressionMemory {
  func perform(_ plan: RecursionPlan, _ space: Workspace, _ count: Int) {
    if self.plan.places.revision != nil {
      perform(plan, space, count, isRevisable: true)
    } else {
      perform(plan, space, count, isRevisable: false)
    }
  }

  @inline(__always)
  private func perform(_ plan: RecursionPlan, _ space: Workspace, _ count: Int, isRevisable: Bool) {
    let a = space.values(plan.inputs.0)
    switch plan.kind {
    case .ema(let n): average(plan, space, count, n, 2 / Double(n + 1), isRevisable)
    case .rma(let n): average(plan, space, count, n, 1 / Double(n), isRevisable)
    case .rsi(let n):
      let (events, kept, share) = (UInt32(truncatingIfNeeded: n), Double(n - 1), 1 / Double(n))
      recur(plan, space, count, isRevisable, as: StrengthState.self) {
        $0.take(a[$1], events, kept, share)
      } result: {
        $0.filled > events ? $0.strength : .nan
      }
    case .macd(let fast, let slow):
      recur(plan, space, count, isRevisable, as: ConvergenceState.self) {
        $0.take(Double(a[$1]), fast: fast, slow: slow, signal: 1)
      } result: {
        Int($0.filled) >= slow ? $0.fast - $0.slow : .nan
      }
    case .signal(let fast, let slow, let n):
      recur(plan, space, count, isRevisable, as: ConvergenceState.self) {
        $0.take(Double(a[$1]), fast: fast, slow: slow, signal: n)
      } result: {
        Int($0.signal.filled) >= n ? $0.signal.value : .nan
      }
    case .range(let n):
      let (lows, closes) = (space.values(plan.inputs.1), space.values(plan.inputs.2))
      recur(plan, space, count, isRevisable, as: RangeState.self) {
        $0.take(high: Double(a[$1]), low: Double(lows[$1]), close: Double(closes[$1]), n)
      } result: {
        Int($0.filled) > n ? $0.range : .nan
      }
    case .trend(let n, let factor):
      let (lows, closes) = (space.values(plan.inputs.1), space.values(plan.inputs.2))
      let times = Double(factor) / 1e9
      recur(plan, space, count, isRevisable, as: TrendState.self) {
        $0.take(high: Double(a[$1]), low: Double(lows[$1]), close: Double(closes[$1]), n, times)
      } result: {
        $0.side == 0 ? .nan : $0.side == 1 ? $0.upper : $0.lower
      }
    }
  }

  @inline(__always)
  private func average(_ plan: RecursionPlan, _ space: Workspace, _ count: Int, _ n: Int, _ weight: Double, _ isRevisable: Bool) {
    let (input, events) = (space.values(plan.inputs.0), UInt32(truncatingIfNeeded: n))
    recur(plan, space, count, isRevisable, as: AverageState.self) {
      $0.take(Double(input[$1]), events, weight)
    } result: {
      $0.filled >= events ? $0.value : .nan
    }
  }

  /// Takes the events of a chunk; `result` is in billionths, and not a number while it is not ready.
  @inline(__always)
  private func recur<State: BitwiseCopyable>(
    _ plan: RecursionPlan, _ space: Workspace, _ count: Int, _ isRevisable: Bool, as _: State.Type,
    update change: (inout State, Int) -> Void, result: (State) -> Double
  ) {
    let (a, b, c) = (space.missing(plan.inputs.0), space.missing(plan.inputs.1), space.missing(plan.inputs.2))
    let (values, missing) = (space.values(plan.column), space.missing(plan.column))
    for i in 0..<count {
      let isTaken = a[i] | b[i] | c[i] == 0
      let state = update(plan.state, as: State.self, i, isRevisable: isRevisable, isTaken: isTaken) { change(&$0, i) }
      let rounded = Rounding.nearest(result(state.pointee))
      values[i] = rounded
      missing[i] = rounded == .min ? 1 : 0
    }
  }
}
