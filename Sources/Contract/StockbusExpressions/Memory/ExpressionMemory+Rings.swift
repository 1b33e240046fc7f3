internal import CMemoryBarrier

// Windows of events, event by event.
extension ExpressionMemory {
  func turn(_ plan: RingPlan, _ space: Workspace, _ count: Int) {
    plan.outputs.withUnsafeBufferPointer { outputs in
      if !isLarge || plan.layout.capacity <= 8 { return turn(plan.layout, space, 0..<count, outputs) }
      // A part is prefetched while the one before it is worked on: the lines of a whole chunk would push each other out of the cache.
      let part = 16
      prefetch(plan.layout, 0..<min(part, count), outputs)
      for begin in Swift.stride(from: 0, to: count, by: part) {
        let end = min(begin &+ part, count)
        prefetch(plan.layout, end..<min(end &+ part, count), outputs)
        turn(plan.layout, space, begin..<end, outputs)
      }
    }
  }

  private func turn(_ layout: RingPlan.Layout, _ space: Workspace, _ range: Range<Int>, _ outputs: UnsafeBufferPointer<RingPlan.Output>) {
    if self.plan.places.revision != nil { return turn(layout, space, range, outputs, revises: true) }
    let first = outputs[0]
    switch (outputs.count, first.kind) {
    case (1, .mean): turnMeans(layout, space, range, outputs, first, first, isPair: false)
    case (2, .mean) where outputs[1].kind == .mean: turnMeans(layout, space, range, outputs, first, outputs[1], isPair: true)
    case (1, .previous): turn(layout, space, range, first, .previous)
    case (1, .highest): turn(layout, space, range, first, .highest)
    case (1, .lowest): turn(layout, space, range, first, .lowest)
    default: turn(layout, space, range, outputs, revises: false)
    }
  }

  @inline(__always)
  private func turn(
    _ layout: RingPlan.Layout, _ space: Workspace, _ range: Range<Int>, _ outputs: UnsafeBufferPointer<RingPlan.Output>, revises: Bool
  ) {
    let (input, missing, blocks) = (space.values(layout.input), space.missing(layout.input), columns.blocks)
    for i in range {
      let ring = RingOfKey(layout, blocks[i])
      if missing[i] == 0 {
        if revises { take(input[i], i, ring, outputs) } else { ring.append(input[i], outputs) }
      }
      for output in outputs { put(ring.result(output, output.kind), output.column, i, space) }
    }
  }

  /// A single function, whose kind is a constant.
  @inline(__always)
  private func turn(
    _ layout: RingPlan.Layout, _ space: Workspace, _ range: Range<Int>, _ output: RingPlan.Output, _ kind: RingPlan.Kind
  ) {
    let (input, missing, blocks) = (space.values(layout.input), space.missing(layout.input), columns.blocks)
    for i in range {
      let ring = RingOfKey(layout, blocks[i])
      if missing[i] == 0 {
        ring.enter(input[i], output, kind)
        ring.advance(input[i])
        ring.settle(output, kind)
      }
      put(ring.result(output, kind), output.column, i, space)
    }
  }

  /// The most frequent form: one or two means, and nothing is revised.
  @inline(__always)
  private func turnMeans(
    _ layout: RingPlan.Layout, _ space: Workspace, _ range: Range<Int>, _ outputs: UnsafeBufferPointer<RingPlan.Output>,
    _ a: RingPlan.Output,
    _ b: RingPlan.Output, isPair: Bool
  ) {
    let (input, missing, blocks) = (space.values(layout.input), space.missing(layout.input), columns.blocks)
    let (results, flags) = (space.values(a.column), space.missing(a.column))
    let (others, otherFlags) = (space.values(b.column), space.missing(b.column))
    let (capacity, limit, steady) = (layout.capacity, Int64(layout.limit), UInt64(layout.capacity))
    for i in range {
      let ring = RingOfKey(layout, blocks[i])
      let value = input[i]
      // The ring is full, and no value is too large.
      let isSteady = ring.head.pointee.state == steady
      guard isSteady, missing[i] == 0, UInt64(bitPattern: value &+ limit) <= UInt64(bitPattern: limit &* 2) else {
        turnOnce(layout, i, missing[i] == 0, space, outputs)
        flags[i] |= isDivided
        if isPair { otherFlags[i] |= isDivided }
        continue
      }
      let next = Int(ring.head.pointee.next)
      ring.head.pointee.next = next &+ 1 == capacity ? 0 : UInt32(truncatingIfNeeded: next &+ 1)
      results[i] = enter(value, a, ring, next)
      flags[i] = 0
      if isPair {
        others[i] = enter(value, b, ring, next)
        otherFlags[i] = 0
      }
      ring.values[next] = value
    }
    divide(results, flags, range, a.division)
    if isPair { divide(others, otherFlags, range, b.division) }
  }

  /// The flag of a result that is not a sum.
  private var isDivided: UInt8 { 2 }

  /// Makes sums means, in a loop of its own so that the one before has fewer values in hand.
  @inline(never)
  private func divide(
    _ results: UnsafeMutablePointer<Int64>, _ flags: UnsafeMutablePointer<UInt8>, _ range: Range<Int>, _ division: Division
  ) {
    for i in range {
      if flags[i] == 0 { results[i] = division(results[i]) } else { flags[i] &= 1 }
    }
  }

  @inline(never)
  private func turnOnce(
    _ layout: RingPlan.Layout, _ i: Int, _ isTaken: Bool, _ space: Workspace, _ outputs: UnsafeBufferPointer<RingPlan.Output>
  ) {
    let ring = RingOfKey(layout, columns.blocks[i])
    if isTaken { ring.append(space.values(layout.input)[i], outputs) }
    for output in outputs { put(ring.result(output, output.kind), output.column, i, space) }
  }

  /// The new sum of a mean.
  @inline(__always)
  private func enter(_ value: Int64, _ output: RingPlan.Output, _ ring: RingOfKey, _ next: Int) -> Int64 {
    let place = next &- output.events
    let leaving = ring.values[place < 0 ? place &+ ring.layout.capacity : place]
    let sum = ring.state(output, Int64.self)
    let new = sum.pointee &+ value &- leaving
    sum.pointee = new
    return new
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

  private func prefetch(_ layout: RingPlan.Layout, _ range: Range<Int>, _ outputs: UnsafeBufferPointer<RingPlan.Output>) {
    for i in range {
      let ring = RingOfKey(layout, columns.blocks[i])
      stockbus_prefetch_for_writing(ring.values + Int(ring.head.pointee.next))
      for output in outputs where output.events < layout.capacity {
        stockbus_prefetch_for_writing(ring.values + ring.place(output.events &- 1))
      }
    }
  }
}
