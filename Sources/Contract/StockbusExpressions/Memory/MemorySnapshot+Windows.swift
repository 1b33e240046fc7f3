internal import MarketData

// Rings and windows of time in snapshots: the values, from which the sums follow.
extension ExpressionMemory {
  /// From the oldest value to the newest; where events are revised, each followed by its time.
  func save(_ ring: RingPlan, _ block: UnsafeMutableRawPointer) -> [Int64] {
    let own = RingOfKey(ring.layout, block)
    return (0..<Int(own.head.pointee.filled)).reversed().flatMap { age -> [Int64] in
      plan.places.revision == nil ? [own.values[own.place(age)]] : [own.values[own.place(age)], own.times[own.place(age)]]
    }
  }

  func load(_ ring: RingPlan, _ block: UnsafeMutableRawPointer, _ saved: [Int64]) {
    let own = RingOfKey(ring.layout, block)
    let width = plan.places.revision == nil ? 1 : 2
    ring.outputs.withUnsafeBufferPointer { outputs in
      for at in stride(from: 0, to: saved.count - width + 1, by: width) {
        own.append(saved[at], outputs)
        if width == 2 { own.setTime(saved[at + 1]) }
      }
    }
  }

  func save(_ timed: TimedPlan, _ block: UnsafeMutableRawPointer) -> [Int64] {
    let state = (block + timed.layout.state).assumingMemoryBound(to: TimedState.self).pointee
    let clock = (block + plan.clock).assumingMemoryBound(to: KeyClock.self).pointee
    // What left the longest window is missing in a longer one, which another expression may have.
    let edge = timed.outputs.map { $0.window.bounds(now: clock.clock.now, sessionBegin: clock.sessionBegin).edge }.min() ?? .min
    return [state.since, max(state.lost, edge), state.newest, Int64(state.epoch)] + entries(state.queue, timed.layout.words)
  }

  func load(_ timed: TimedPlan, _ block: UnsafeMutableRawPointer, _ saved: [Int64]) {
    guard saved.count >= 4 else { return }
    let state = (block + timed.layout.state).assumingMemoryBound(to: TimedState.self)
    (state.pointee.since, state.pointee.lost, state.pointee.newest) = (saved[0], saved[1], saved[2])
    state.pointee.epoch = UInt32(truncatingIfNeeded: saved[3])
    if !fill(&state.pointee.queue, saved.dropFirst(4), timed.layout.words) { state.pointee.lost = .max }
    let clock = (block + plan.clock).assumingMemoryBound(to: KeyClock.self).pointee
    let queue = QueueOfKey(timed.layout, block)
    for output in timed.outputs {
      queue.output(output).pointee.session = clock.session
      queue.count(output, output.window.bounds(now: clock.clock.now, sessionBegin: clock.sessionBegin))
    }
  }
}
