internal import CMemoryBarrier

// Windows of events, event by event.
extension ExpressionMemory {
  func turn(_ plan: RingPlan, _ space: Workspace, _ count: Int) {
    plan.outputs.withUnsafeBufferPointer { outputs in
      if isLarge { prefetch(plan, count, outputs) }
      if self.plan.places.revision != nil { return turn(plan.layout, space, count, outputs, revises: true) }
      let first = outputs[0]
      switch (outputs.count, first.kind) {
      case (1, .mean): turnMeans(plan.layout, space, count, outputs, first, first, isPair: false)
      case (2, .mean) where outputs[1].kind == .mean: turnMeans(plan.layout, space, count, outputs, first, outputs[1], isPair: true)
      case (1, .previous): turn(plan.layout, space, count, first, .previous)
      case (1, .highest): turn(plan.layout, space, count, first, .highest)
      case (1, .lowest): turn(plan.layout, space, count, first, .lowest)
      default: turn(plan.layout, space, count, outputs, revises: false)
      }
    }
  }

  @inline(__always)
  private func turn(
    _ layout: RingPlan.Layout, _ space: Workspace, _ count: Int, _ outputs: UnsafeBufferPointer<RingPlan.Output>, revises: Bool
  ) {
    let (input, missing, blocks) = (space.values(layout.input), space.missing(layout.input), columns.blocks)
    for i in 0..<count {
      let ring = RingOfKey(layout, blocks[i])
      if missing[i] == 0 {
        if revises { take(input[i], i, ring, outputs) } else { ring.append(input[i], outputs) }
      }
      for output in outputs { put(ring.result(output, output.kind), output.column, i, space) }
    }
  }

  /// A single function, whose kind is a constant.
  @inline(__always)
  private func turn(_ layout: RingPlan.Layout, _ space: Workspace, _ count: Int, _ output: RingPlan.Output, _ kind: RingPlan.Kind) {
    let (input, missing, blocks) = (space.values(layout.input), space.missing(layout.input), columns.blocks)
    for i in 0..<count {
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
    _ layout: RingPlan.Layout, _ space: Workspace, _ count: Int, _ outputs: UnsafeBufferPointer<RingPlan.Output>, _ a: RingPlan.Output,
    _ b: RingPlan.Output, isPair: Bool
  ) {
    let (input, missing, blocks) = (space.values(layout.input), space.missing(layout.input), columns.blocks)
    let (results, flags) = (space.values(a.column), space.missing(a.column))
    let (others, otherFlags) = (space.values(b.column), space.missing(b.column))
    let (capacity, limit) = (layout.capacity, Int64(layout.limit))
    for i in 0..<count {
      let ring = RingOfKey(layout, blocks[i])
      let value = input[i]
      // The ring is full, and no value is too large.
      let isSteady = Int(ring.head.pointee.filled) == capacity && ring.head.pointee.large == 0
      guard isSteady, missing[i] == 0, UInt64(bitPattern: value &+ limit) <= UInt64(bitPattern: limit &* 2) else {
        turnOnce(ring, i, missing[i] == 0 ? value : nil, space, outputs)
        continue
      }
      let next = Int(ring.head.pointee.next)
      results[i] = a.division(enter(value, a, ring, next))
      flags[i] = 0
      if isPair {
        others[i] = b.division(enter(value, b, ring, next))
        otherFlags[i] = 0
      }
      ring.values[next] = value
      ring.head.pointee.next = next &+ 1 == capacity ? 0 : UInt32(truncatingIfNeeded: next &+ 1)
    }
  }

  @inline(never)
  private func turnOnce(
    _ ring: RingOfKey, _ i: Int, _ value: Int64?, _ space: Workspace, _ outputs: UnsafeBufferPointer<RingPlan.Output>
  ) {
    if let value { ring.append(value, outputs) }
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

  private func prefetch(_ plan: RingPlan, _ count: Int, _ outputs: UnsafeBufferPointer<RingPlan.Output>) {
    let layout = plan.layout
    if layout.capacity <= 8 { return }
    for i in 0..<count {
      let ring = RingOfKey(layout, columns.blocks[i])
      stockbus_prefetch_for_writing(ring.values + Int(ring.head.pointee.next))
      for output in outputs where output.events < layout.capacity {
        stockbus_prefetch_for_writing(ring.values + ring.place(output.events &- 1))
      }
    }
  }
}
