// A single window of time over an argument, where nothing is revised: the most frequent form.
extension ExpressionMemory {
  func perform(_ layout: TimedPlan.Layout, _ output: TimedPlan.Output, _ span: Int64, _ space: Workspace, _ count: Int) {
    switch output.statistic {
    case .sum: perform(layout, output, span, space, count, .sum)
    case .mean: perform(layout, output, span, space, count, .mean)
    case .count: perform(layout, output, span, space, count, .count)
    case .vwap: perform(layout, output, span, space, count, .vwap)
    case .deviation: perform(layout, output, span, space, count, .deviation)
    case .score: perform(layout, output, span, space, count, .score)
    case .highest, .lowest, .first: return
    }
  }

  /// - Parameter statistic: that of the output; where it is a constant, only its case is compiled.
  @inline(__always)
  private func perform(
    _ layout: TimedPlan.Layout, _ output: TimedPlan.Output, _ span: Int64, _ space: Workspace, _ count: Int, _ statistic: Statistic
  ) {
    let (input, missing, columns, words) = (space.values(layout.input), space.missing(layout.input), columns, statistic == .vwap ? 4 : 2)
    let volumes = layout.weights.map { space.values($0.volume) } ?? input
    let highs = layout.weights.map { space.values($0.high) } ?? input
    let others = layout.weights.map { space.missing($0.volume) } ?? missing
    for i in 0..<count {
      let state = (columns.blocks[i] + layout.state).assumingMemoryBound(to: TimedState.self)
      let tally = (columns.blocks[i] + output.state).assumingMemoryBound(to: Tally.self)
      if state.pointee.epoch != columns.epoch[i] {
        state.pointee.queue.removeAll()
        (state.pointee.since, state.pointee.lost, state.pointee.epoch) = (.max, .min, columns.epoch[i])
        tally.pointee = Tally()
      }
      let time = columns.time[i]
      if state.pointee.since == .max, columns.counting[i] != 0 { state.pointee.since = time }
      let (difference, isOver) = columns.now[i].subtractingReportingOverflow(span)
      let edge = isOver ? Int64.min : difference
      while state.pointee.queue.count > 0 {
        let entry = state.pointee.queue.entry(0, words)
        if entry[0] > edge { break }
        tally.pointee.remove(statistic, entry[1], turnover: statistic == .vwap ? turnover(entry[2], entry[3]) : 0)
        state.pointee.queue.dropFirst()
      }
      if missing[i] | others[i] == 0 {
        state.pointee.newest = input[i]
        if time <= edge {
          outside &+= 1
        } else if hasRoom(state, tally, statistic, time, words) {
          let entry = state.pointee.queue.insert(at: state.pointee.queue.place(for: time, words), words)
          (entry[0], entry[1]) = (time, volumes[i])
          if statistic == .vwap { (entry[2], entry[3]) = (input[i], highs[i]) }
          tally.pointee.add(statistic, entry[1], turnover: statistic == .vwap ? turnover(input[i], highs[i]) : 0)
        }
      }
      let isReady = state.pointee.since <= edge && state.pointee.lost <= edge
      put(isReady ? tally.pointee.result(statistic, newest: state.pointee.newest) : nil, output.column, i, space)
    }
  }

  @inline(__always)
  private func turnover(_ low: Int64, _ high: Int64) -> Int128 {
    Int128(truncatingIfNeeded: high) << 64 | Int128(UInt64(bitPattern: low))
  }

  @inline(__always)
  private func hasRoom(
    _ state: UnsafeMutablePointer<TimedState>, _ tally: UnsafeMutablePointer<Tally>, _ statistic: Statistic, _ time: Int64, _ words: Int
  ) -> Bool {
    if !state.pointee.queue.isFull || grow(&state.pointee.queue, words) { return true }
    return shorten(state, tally, statistic, time, words)
  }

  /// There is no memory for another entry, so the oldest leaves before its time; false if there is none.
  @inline(never)
  private func shorten(
    _ state: UnsafeMutablePointer<TimedState>, _ tally: UnsafeMutablePointer<Tally>, _ statistic: Statistic, _ time: Int64, _ words: Int
  ) -> Bool {
    shortened &+= 1
    guard state.pointee.queue.count > 0 else {
      state.pointee.lost = max(state.pointee.lost, time)
      return false
    }
    let entry = state.pointee.queue.entry(0, words)
    state.pointee.lost = max(state.pointee.lost, entry[0])
    tally.pointee.remove(statistic, entry[1], turnover: statistic == .vwap ? turnover(entry[2], entry[3]) : 0)
    state.pointee.queue.dropFirst()
    return true
  }
}
