/// How many values there are, and where the next one goes.
struct RingHead: BitwiseCopyable {
  var filled: UInt32
  /// The number of events until no value is left that is too large for sums of 64 bits.
  var large: UInt32
  var next: UInt32

  /// Both counts. They are a word that a full ring does not write, so that reading it waits for no event before.
  @inline(__always) var state: UInt64 { UInt64(large) << 32 | UInt64(filled) }
}

struct WeightedSum: BitwiseCopyable {
  var weighted: Int128
  var sum: Int128
}

struct RingExtreme: BitwiseCopyable {
  var value: Int64
  /// The number of events until it leaves the window.
  var left: Int64
}

/// The ring of one key, with its functions.
struct RingOfKey {
  let layout: RingPlan.Layout
  let block: UnsafeMutableRawPointer
  let head: UnsafeMutablePointer<RingHead>
  let values: UnsafeMutablePointer<Int64>
  /// The time of each value, where events are revised.
  var times: UnsafeMutablePointer<Int64> { (block + layout.times).assumingMemoryBound(to: Int64.self) }

  @inline(__always)
  init(_ layout: RingPlan.Layout, _ block: UnsafeMutableRawPointer) {
    self.layout = layout
    self.block = block
    head = (block + layout.state).assumingMemoryBound(to: RingHead.self)
    values = (block + layout.values).assumingMemoryBound(to: Int64.self)
  }

  /// The place of the value that is `age` events older than the newest one.
  @inline(__always)
  func place(_ age: Int) -> Int {
    let place = Int(head.pointee.next) &- 1 &- age
    return place < 0 ? place &+ layout.capacity : place
  }

  @inline(__always)
  func state<T>(_ output: RingPlan.Output, _: T.Type) -> UnsafeMutablePointer<T> {
    (block + output.state).assumingMemoryBound(to: T.self)
  }

  /// Puts a value in front.
  @inline(__always)
  func append(_ value: Int64, _ outputs: UnsafeBufferPointer<RingPlan.Output>) {
    for output in outputs { enter(value, output, output.kind) }
    advance(value)
    for output in outputs { settle(output, output.kind) }
  }

  /// Brings a function up to date with a value that is put in front next. Places that have not been filled hold zero, so nothing leaves a
  /// sum by them.
  /// - Parameter kind: that of the output; where it is a constant, only its case is compiled.
  @inline(__always)
  func enter(_ value: Int64, _ output: RingPlan.Output, _ kind: RingPlan.Kind) {
    switch kind {
    case .mean, .sum: state(output, Int64.self).pointee &+= value &- values[place(output.events &- 1)]
    case .weighted:
      let sums = state(output, WeightedSum.self)
      sums.pointee.weighted &+= Int128(value) &* Int128(output.events) &- sums.pointee.sum
      sums.pointee.sum &+= Int128(value) &- Int128(values[place(output.events &- 1)])
    case .deviation, .score:
      let tally = state(output, Tally.self)
      tally.pointee.add(.deviation, value)
      if Int(head.pointee.filled) >= output.events { tally.pointee.remove(.deviation, values[place(output.events &- 1)]) }
    case .highest, .lowest:
      let extreme = state(output, RingExtreme.self)
      let isBetter = kind == .highest ? value >= extreme.pointee.value : value <= extreme.pointee.value
      if isBetter || head.pointee.filled == 0 {
        extreme.pointee = RingExtreme(value: value, left: Int64(output.events))
      } else {
        extreme.pointee.left &-= 1
      }
    case .previous, .change: break
    }
  }

  /// Looks for an extreme that has left its window.
  @inline(__always)
  func settle(_ output: RingPlan.Output, _ kind: RingPlan.Kind) {
    if kind == .highest || kind == .lowest, state(output, RingExtreme.self).pointee.left <= 0 { findExtreme(output) }
  }

  @inline(__always)
  func advance(_ value: Int64) {
    let next = Int(head.pointee.next)
    values[next] = value
    head.pointee.next = next &+ 1 == layout.capacity ? 0 : UInt32(truncatingIfNeeded: next &+ 1)
    if Int(head.pointee.filled) < layout.capacity { head.pointee.filled &+= 1 }
    if value.magnitude > layout.limit {
      head.pointee.large = UInt32(truncatingIfNeeded: layout.capacity)
    } else if head.pointee.large > 0 {
      head.pointee.large &-= 1
    }
  }

  /// Replaces the value of some age.
  func replace(_ age: Int, _ value: Int64, _ outputs: UnsafeBufferPointer<RingPlan.Output>) {
    let place = place(age)
    let old = values[place]
    values[place] = value
    if value.magnitude > layout.limit { head.pointee.large = max(head.pointee.large, UInt32(layout.capacity - age)) }
    for output in outputs where age < output.events {
      switch output.kind {
      case .mean, .sum: state(output, Int64.self).pointee &+= value &- old
      case .weighted:
        let sums = state(output, WeightedSum.self)
        let difference = Int128(value) &- Int128(old)
        sums.pointee.weighted &+= difference &* Int128(output.events - age)
        sums.pointee.sum &+= difference
      case .deviation, .score:
        // The first value is the base, with which nothing else changes.
        state(output, Tally.self).pointee.add(.deviation, value)
        state(output, Tally.self).pointee.remove(.deviation, old)
      case .highest, .lowest: findExtreme(output)
      case .previous, .change: break
      }
    }
  }

  /// Looks for the extreme among the last values; of equal ones the newest, which stays longest.
  @inline(never)
  private func findExtreme(_ output: RingPlan.Output) {
    let count = min(output.events, Int(head.pointee.filled))
    let isHighest = output.kind == .highest
    var (best, bestAge) = (values[place(0)], 0)
    var at = place(0)
    for age in 0..<count {
      let value = values[at]
      if isHighest ? value > best : value < best { (best, bestAge) = (value, age) }
      at = at == 0 ? layout.capacity &- 1 : at &- 1
    }
    state(output, RingExtreme.self).pointee = RingExtreme(value: best, left: Int64(output.events - bestAge))
  }

  /// The result of a function; `kind` as in `enter`.
  @inline(__always)
  func result(_ output: RingPlan.Output, _ kind: RingPlan.Kind) -> Int64? {
    let filled = Int(head.pointee.filled)
    switch kind {
    case .previous: return filled > output.events ? values[place(output.events)] : nil
    case .change:
      if filled <= output.events { return nil }
      let (difference, isOver) = values[place(0)].subtractingReportingOverflow(values[place(output.events)])
      return isOver ? nil : difference
    default: break
    }
    if filled < output.events { return nil }
    switch kind {
    case .mean:
      if head.pointee.large > 0 { return Rounding.quotient(wideSum(output.events), Int128(output.events)) }
      return output.division(state(output, Int64.self).pointee)
    case .sum:
      if head.pointee.large > 0 { return Int64(exactly: wideSum(output.events)) }
      return state(output, Int64.self).pointee
    case .weighted:
      let sums = state(output, WeightedSum.self)
      return Rounding.quotient(sums.pointee.weighted, Int128(output.events * (output.events + 1) / 2))
    case .deviation: return state(output, Tally.self).pointee.result(.deviation)
    case .score: return state(output, Tally.self).pointee.result(.score, newest: values[place(0)])
    case .highest, .lowest: return state(output, RingExtreme.self).pointee.value
    case .previous, .change: return nil
    }
  }

  /// The sum of values that are too large for 64 bits. The sums of 64 bits wrap around meanwhile, and are right again once these have left.
  @inline(never)
  func wideSum(_ events: Int) -> Int128 { (0..<events).reduce(Int128(0)) { $0 + Int128(values[place($1)]) } }

  /// The age of the value of this time; nil if there is none.
  func age(of time: Int64) -> Int? {
    let times = times
    for age in 0..<Int(head.pointee.filled) where times[place(age)] == time { return age }
    return nil
  }

  /// Notes the time of the newest value.
  func setTime(_ time: Int64) { times[place(0)] = time }
}
