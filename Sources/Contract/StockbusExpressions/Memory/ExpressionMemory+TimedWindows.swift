// Windows of time, event by event.
extension ExpressionMemory {
  func perform(_ plan: TimedPlan, _ space: Workspace, _ count: Int) {
    if self.plan.places.revision == nil, plan.outputs.count == 1, case .time(let span) = plan.outputs[0].window {
      return perform(SingleWindow(layout: plan.layout, output: plan.outputs[0], span: span), space, count)
    }
    let layout = plan.layout
    prefetch(layout, 0..<count)
    plan.outputs.withUnsafeBufferPointer { outputs in
      let missing = space.missing(layout.input)
      let volumes = layout.weights.map { space.missing($0.volume) } ?? missing
      for i in 0..<count {
        let queue = QueueOfKey(layout, columns.blocks[i])
        if queue.state.pointee.epoch != columns.epoch[i] {
          queue.clear(outputs)
          queue.state.pointee.epoch = columns.epoch[i]
        }
        if queue.state.pointee.since == .max, columns.counting[i] != 0 { queue.state.pointee.since = columns.time[i] }
        advance(queue, i, outputs)
        if missing[i] | volumes[i] == 0 { take(queue, i, space, outputs) }
        for output in outputs { put(result(queue, i, output), output.column, i, space) }
      }
    }
  }

  /// Fetches the entries that may leave, and the place of the next one.
  @inline(__always)
  func prefetch(_ layout: TimedPlan.Layout, _ range: Range<Int>) {
    if !isLarge { return }
    for i in range { QueueOfKey(layout, columns.blocks[i]).state.pointee.queue.prefetch(layout.words) }
  }

  @inline(__always)
  private func bounds(_ output: TimedPlan.Output, _ i: Int) -> Window.Bounds {
    output.window.bounds(now: columns.now[i], sessionBegin: columns.sessionBegin[i])
  }

  /// Lets entries leave the windows, and those that are in none leave the queue.
  @inline(__always)
  private func advance(_ queue: QueueOfKey, _ i: Int, _ outputs: UnsafeBufferPointer<TimedPlan.Output>) {
    var least = UInt32.max
    for output in outputs {
      let own = queue.output(output)
      if output.window.isSession, own.pointee.session != columns.session[i] {
        own.pointee.session = columns.session[i]
        queue.count(output, bounds(output, i))
      } else {
        queue.advance(output, bounds(output, i))
      }
      least = min(least, own.pointee.begin)
    }
    if least > 0 {
      queue.state.pointee.queue.dropFirst(least)
      for output in outputs { queue.output(output).pointee.begin &-= least }
    }
  }

  @inline(__always)
  private func take(_ queue: QueueOfKey, _ i: Int, _ space: Workspace, _ outputs: UnsafeBufferPointer<TimedPlan.Output>) {
    let mark = columns.marks[i]
    if mark != Mark.older { queue.state.pointee.newest = space.values(queue.layout.input)[i] }
    if mark == Mark.new { return insert(queue, i, space, outputs) }
    if mark == Mark.older, queue.layout.isDerived {
      revisedTooLate &+= 1
      return
    }
    if let place = queue.place(of: columns.time[i]) { return replace(queue, place, i, space, outputs) }
    insert(queue, i, space, outputs)
  }

  @inline(__always)
  private func fill(_ entry: UnsafeMutablePointer<Int64>, _ layout: TimedPlan.Layout, _ i: Int, _ space: Workspace) {
    entry[0] = columns.time[i]
    if let weights = layout.weights {
      entry[1] = space.values(weights.volume)[i]
      entry[2] = space.values(layout.input)[i]
      entry[3] = space.values(weights.high)[i]
    } else {
      entry[1] = space.values(layout.input)[i]
    }
  }

  private func replace(
    _ queue: QueueOfKey, _ place: UInt32, _ i: Int, _ space: Workspace, _ outputs: UnsafeBufferPointer<TimedPlan.Output>
  ) {
    for output in outputs { _ = queue.leave(place, output, bounds(output, i)) }
    fill(queue.state.pointee.queue.entry(place, queue.layout.words), queue.layout, i, space)
    for output in outputs { queue.enter(place, output, bounds(output, i)) }
  }

  /// Puts a new entry at its place by time, behind those of the same time.
  @inline(__always)
  private func insert(_ queue: QueueOfKey, _ i: Int, _ space: Workspace, _ outputs: UnsafeBufferPointer<TimedPlan.Output>) {
    let (time, words) = (columns.time[i], queue.layout.words)
    var isInside = false
    for output in outputs where time > bounds(output, i).edge { isInside = true }
    if !isInside {
      outside &+= 1
      return
    }
    if queue.state.pointee.queue.isFull, !grow(&queue.state.pointee.queue, words) {
      shorten(queue, i, outputs)
      if queue.state.pointee.queue.isFull {
        queue.state.pointee.lost = max(queue.state.pointee.lost, time)
        return
      }
    }
    let entry = queue.state.pointee.queue.insert(time, words)
    fill(entry, queue.layout, i, space)
    for output in outputs { queue.insert(entry, output, bounds(output, i)) }
  }

  /// There is no memory for another entry, so the oldest leaves before its time.
  @inline(never)
  private func shorten(_ queue: QueueOfKey, _ i: Int, _ outputs: UnsafeBufferPointer<TimedPlan.Output>) {
    shortened &+= 1
    if queue.state.pointee.queue.count == 0 { return }
    queue.state.pointee.lost = max(queue.state.pointee.lost, queue.state.pointee.queue.time(0, queue.layout.words))
    for output in outputs where !queue.leave(0, output, bounds(output, i)) { queue.output(output).pointee.begin &-= 1 }
    queue.state.pointee.queue.dropFirst()
  }

  /// The result of a window; nil unless the window is complete.
  @inline(__always)
  private func result(_ queue: QueueOfKey, _ i: Int, _ output: TimedPlan.Output) -> Int64? {
    let bounds = bounds(output, i)
    let state = queue.state
    if !output.window.isSession {
      if state.pointee.since > bounds.edge || state.pointee.lost > bounds.edge { return nil }
    } else {
      let begin = columns.sessionBegin[i]
      if begin < completeSince || state.pointee.lost >= begin || queue.output(output).pointee.tally.count == 0 { return nil }
      if bounds.last < .max, columns.now[i] <= bounds.last { return nil }
    }
    return queue.result(output, bounds)
  }
}
