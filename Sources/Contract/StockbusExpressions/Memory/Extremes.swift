/// The highest or lowest value in a window of time: a queue by time in which each value is better than all later ones, so that the first is
/// the extreme.
struct ExtremeState: BitwiseCopyable {
  // First, because `forEachQueue` finds it here.
  var queue = Queue()
  /// As in `TimedState`.
  var since = Int64.max
  var lost = Int64.min
  var epoch: UInt32 = 0
}

extension ExpressionMemory {
  func perform(_ plan: ExtremePlan, _ space: Workspace, _ count: Int) {
    if plan.isHighest {
      perform(plan, space, count) { $0 >= $1 }
    } else {
      perform(plan, space, count) { $0 <= $1 }
    }
  }

  @inline(__always)
  private func perform(_ plan: ExtremePlan, _ space: Workspace, _ count: Int, isAsGood: (Int64, Int64) -> Bool) {
    let (input, missing, columns) = (space.values(plan.input), space.missing(plan.input), columns)
    if isLarge {
      for i in 0..<count { (columns.blocks[i] + plan.state).assumingMemoryBound(to: ExtremeState.self).pointee.queue.prefetch(2) }
    }
    for i in 0..<count {
      let state = (columns.blocks[i] + plan.state).assumingMemoryBound(to: ExtremeState.self)
      if state.pointee.epoch != columns.epoch[i] {
        state.pointee.queue.removeAll()
        (state.pointee.since, state.pointee.lost, state.pointee.epoch) = (.max, .min, columns.epoch[i])
      }
      let time = columns.time[i]
      if state.pointee.since == .max, columns.counting[i] != 0 { state.pointee.since = time }
      let (difference, isOver) = columns.now[i].subtractingReportingOverflow(plan.span)
      let edge = isOver ? Int64.min : difference
      while state.pointee.queue.count > 0, state.pointee.queue.time(0, 2) <= edge { state.pointee.queue.dropFirst() }
      if missing[i] == 0 {
        if time > edge { enter(input[i], time, state, isAsGood) } else { outside &+= 1 }
      }
      let isReady = state.pointee.since <= edge && state.pointee.lost <= edge && state.pointee.queue.count > 0
      space.values(plan.column)[i] = isReady ? state.pointee.queue.entry(0, 2)[1] : 0
      space.missing(plan.column)[i] = isReady ? 0 : 1
    }
  }

  /// Puts a value at its place by time, unless a later one is as good; earlier ones that are no better leave.
  @inline(__always)
  private func enter(
    _ value: Int64, _ time: Int64, _ state: UnsafeMutablePointer<ExtremeState>, _ isAsGood: (Int64, Int64) -> Bool
  ) {
    let place = state.pointee.queue.place(for: time, 2)
    if place < state.pointee.queue.count, isAsGood(state.pointee.queue.entry(place, 2)[1], value) { return }
    var first = place
    while first > 0, isAsGood(value, state.pointee.queue.entry(first &- 1, 2)[1]) { first &-= 1 }
    if first < place {
      // One of those that leave makes room.
      let entry = state.pointee.queue.entry(first, 2)
      (entry[0], entry[1]) = (time, value)
      if place &- first > 1 { state.pointee.queue.remove(place &- first &- 1, before: place, 2) }
      return
    }
    if state.pointee.queue.isFull, !grow(&state.pointee.queue, 2) {
      // There is no memory: the last one, which is the least good, leaves before its time.
      shortened &+= 1
      guard state.pointee.queue.count > 0 else {
        state.pointee.lost = max(state.pointee.lost, time)
        return
      }
      state.pointee.lost = max(state.pointee.lost, state.pointee.queue.time(state.pointee.queue.count &- 1, 2))
      state.pointee.queue.dropLast()
      if place > state.pointee.queue.count { return enterLast(value, time, state) }
    }
    let entry = state.pointee.queue.insert(at: place, 2)
    (entry[0], entry[1]) = (time, value)
  }

  private func enterLast(_ value: Int64, _ time: Int64, _ state: UnsafeMutablePointer<ExtremeState>) {
    let entry = state.pointee.queue.insert(at: state.pointee.queue.count, 2)
    (entry[0], entry[1]) = (time, value)
  }
}
