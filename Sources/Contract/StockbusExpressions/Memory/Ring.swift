internal import CMemoryBarrier

/// Where the next value goes, and how many there are.
struct RingHead: BitwiseCopyable {
  var next: UInt32
  var filled: UInt32
  /// The number of events until no value is left that is too large for sums of 64 bits.
  var large: UInt32
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
  private func state<T>(_ output: RingPlan.Output, _: T.Type) -> UnsafeMutablePointer<T> {
    (block + output.state).assumingMemoryBound(to: T.self)
  }

  /// Puts a value in front. Places that have not been filled hold zero, so nothing leaves a sum by them.
  @inline(__always)
  func append(_ value: Int64, _ outputs: UnsafeBufferPointer<RingPlan.Output>) {
    let filled = Int(head.pointee.filled)
    for output in outputs {
      let leaving = values[place(output.events &- 1)]
      switch output.kind {
      case .mean, .sum: state(output, Int64.self).pointee &+= value &- leaving
      case .weighted:
        let sums = state(output, WeightedSum.self)
        sums.pointee.weighted &+= Int128(value) &* Int128(output.events) &- sums.pointee.sum
        sums.pointee.sum &+= Int128(value) &- Int128(leaving)
      case .deviation, .score:
        let tally = state(output, Tally.self)
        tally.pointee.add(.deviation, value)
        if filled >= output.events { tally.pointee.remove(.deviation, leaving) }
      case .highest, .lowest:
        let extreme = state(output, RingExtreme.self)
        let isBetter = output.kind == .highest ? value >= extreme.pointee.value : value <= extreme.pointee.value
        if filled == 0 || isBetter {
          extreme.pointee = RingExtreme(value: value, left: Int64(output.events))
        } else {
          extreme.pointee.left &-= 1
        }
      case .previous, .change: break
      }
    }
    let next = Int(head.pointee.next)
    values[next] = value
    head.pointee.next = next &+ 1 == layout.capacity ? 0 : UInt32(truncatingIfNeeded: next &+ 1)
    if filled < layout.capacity { head.pointee.filled &+= 1 }
    if value.magnitude > layout.limit {
      head.pointee.large = UInt32(truncatingIfNeeded: layout.capacity)
    } else if head.pointee.large > 0 {
      head.pointee.large &-= 1
    }
    for output in outputs where output.kind == .highest || output.kind == .lowest {
      if state(output, RingExtreme.self).pointee.left <= 0 { findExtreme(output) }
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

  @inline(__always)
  func result(_ output: RingPlan.Output) -> Int64? {
    let filled = Int(head.pointee.filled)
    switch output.kind {
    case .previous: return filled > output.events ? values[place(output.events)] : nil
    case .change:
      if filled <= output.events { return nil }
      let (difference, isOver) = values[place(0)].subtractingReportingOverflow(values[place(output.events)])
      return isOver ? nil : difference
    default: break
    }
    if filled < output.events { return nil }
    switch output.kind {
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

extension ExpressionMemory {
  func turn(_ plan: RingPlan, _ space: Workspace, _ count: Int) {
    if self.plan.places.revision == nil, plan.outputs.allSatisfy({ $0.kind == .mean }) {
      switch plan.outputs.count {
      case 1: return turnMeans(plan, space, count, plan.outputs[0], nil)
      case 2: return turnMeans(plan, space, count, plan.outputs[0], plan.outputs[1])
      default: break
      }
    }
    plan.outputs.withUnsafeBufferPointer { turn(plan, space, count, $0) }
  }

  private func turn(_ plan: RingPlan, _ space: Workspace, _ count: Int, _ outputs: UnsafeBufferPointer<RingPlan.Output>) {
    let (input, missing, blocks) = (space.values(plan.layout.input), space.missing(plan.layout.input), columns.blocks)
    let revises = self.plan.places.revision != nil
    if isLarge { prefetch(plan, count, outputs) }
    let layout = plan.layout
    for i in 0..<count {
      let ring = RingOfKey(layout, blocks[i])
      if missing[i] == 0 {
        if !revises {
          ring.append(input[i], outputs)
        } else {
          take(input[i], i, ring, outputs)
        }
      }
      for output in outputs { put(ring.result(output), output.column, i, space) }
    }
  }

  /// Takes a value where events are revised.
  private func take(_ value: Int64, _ i: Int, _ ring: RingOfKey, _ outputs: UnsafeBufferPointer<RingPlan.Output>) {
    let (mark, time) = (columns.marks[i], columns.time[i])
    // A function of a function has seen the values of that time, which are not known any more.
    if mark == Mark.older, ring.layout.isDerived {
      revisedTooLate &+= 1
      return
    }
    if mark != Mark.new, let age = ring.age(of: time) { return ring.replace(age, value, outputs) }
    if mark == Mark.older {
      outside &+= 1
      return
    }
    ring.append(value, outputs)
    ring.setTime(time)
  }

  private func prefetch(_ plan: RingPlan, _ count: Int, _ outputs: UnsafeBufferPointer<RingPlan.Output>) {
    if plan.layout.capacity <= 8 { return }
    for i in 0..<count {
      let ring = RingOfKey(plan.layout, columns.blocks[i])
      stockbus_prefetch_for_writing(ring.values + Int(ring.head.pointee.next))
      for output in outputs where output.events < plan.layout.capacity {
        stockbus_prefetch_for_writing(ring.values + ring.place(output.events &- 1))
      }
    }
  }

  /// The most frequent form: one or two means, of which the second may be absent, and nothing is revised.
  @inline(__always)
  private func turnMeans(_ plan: RingPlan, _ space: Workspace, _ count: Int, _ a: RingPlan.Output, _ b: RingPlan.Output?) {
    let (input, missing, blocks) = (space.values(plan.layout.input), space.missing(plan.layout.input), columns.blocks)
    let layout = plan.layout
    let (capacity, limit) = (layout.capacity, layout.limit)
    if isLarge { plan.outputs.withUnsafeBufferPointer { prefetch(plan, count, $0) } }
    for i in 0..<count {
      let block = blocks[i]
      let head = (block + layout.state).assumingMemoryBound(to: RingHead.self)
      let values = (block + layout.values).assumingMemoryBound(to: Int64.self)
      let next = Int(head.pointee.next)
      var filled = Int(head.pointee.filled)
      if missing[i] == 0 {
        let value = input[i]
        enter(value, a, block, values, next, capacity)
        if let b { enter(value, b, block, values, next, capacity) }
        values[next] = value
        filled = filled < capacity ? filled &+ 1 : filled
        var large = head.pointee.large
        if value.magnitude > limit { large = UInt32(truncatingIfNeeded: capacity) } else if large > 0 { large &-= 1 }
        let after = next &+ 1 == capacity ? 0 : next &+ 1
        head.pointee = RingHead(next: UInt32(truncatingIfNeeded: after), filled: UInt32(truncatingIfNeeded: filled), large: large)
      }
      mean(a, block, filled, i, space)
      if let b { mean(b, block, filled, i, space) }
      if head.pointee.large > 0 {
        let ring = RingOfKey(layout, block)
        put(ring.result(a), a.column, i, space)
        if let b { put(ring.result(b), b.column, i, space) }
      }
    }
  }

  @inline(__always)
  private func enter(
    _ value: Int64, _ output: RingPlan.Output, _ block: UnsafeMutableRawPointer, _ values: UnsafeMutablePointer<Int64>, _ next: Int,
    _ capacity: Int
  ) {
    let place = next &- output.events
    let leaving = values[place < 0 ? place &+ capacity : place]
    (block + output.state).assumingMemoryBound(to: Int64.self).pointee &+= value &- leaving
  }

  @inline(__always)
  private func mean(_ output: RingPlan.Output, _ block: UnsafeMutableRawPointer, _ filled: Int, _ i: Int, _ space: Workspace) {
    let sum = (block + output.state).assumingMemoryBound(to: Int64.self).pointee
    space.values(output.column)[i] = output.division(sum)
    space.missing(output.column)[i] = filled >= output.events ? 0 : 1
  }
}
