/// A window of time that is the only one over its argument.
struct SingleWindow: BitwiseCopyable {
  let layout: TimedPlan.Layout
  let output: TimedPlan.Output
  let span: Int64
}

// A single window of time over an argument, where nothing is revised: the most frequent form.
extension ExpressionMemory {
  func perform(_ window: SingleWindow, _ space: Workspace, _ count: Int) {
    // A part is prefetched while the one before it is worked on: the lines of a whole chunk would push each other out of the cache.
    let part = 16
    prefetch(window.layout, 0..<min(part, count))
    for begin in stride(from: 0, to: count, by: part) {
      let end = min(begin &+ part, count)
      prefetch(window.layout, end..<min(end &+ part, count))
      perform(window, space, begin..<end)
    }
  }

  private func perform(_ window: SingleWindow, _ space: Workspace, _ range: Range<Int>) {
    switch window.output.statistic {
    case .sum: sum(window, space, range)
    case .mean: mean(window, space, range)
    case .count: self.count(window, space, range)
    case .vwap: vwap(window, space, range)
    case .deviation: deviation(window, space, range)
    case .score: score(window, space, range)
    case .highest, .lowest, .first: return
    }
  }

  // Each is a function of its own, because the compiler inlines only so much into one.
  @inline(never) private func sum(_ window: SingleWindow, _ space: Workspace, _ range: Range<Int>) {
    perform(window, space, range, .sum) { tally, _ in tally.pointee.result(.sum) }
  }
  @inline(never) private func mean(_ window: SingleWindow, _ space: Workspace, _ range: Range<Int>) {
    perform(window, space, range, .sum) { tally, _ in tally.pointee.result(.mean) }
  }
  @inline(never) private func count(_ window: SingleWindow, _ space: Workspace, _ range: Range<Int>) {
    perform(window, space, range, .sum) { tally, _ in tally.pointee.result(.count) }
  }
  @inline(never) private func vwap(_ window: SingleWindow, _ space: Workspace, _ range: Range<Int>) {
    perform(window, space, range, .vwap) { tally, _ in tally.pointee.result(.vwap) }
  }
  @inline(never) private func deviation(_ window: SingleWindow, _ space: Workspace, _ range: Range<Int>) {
    perform(window, space, range, .deviation) { tally, _ in tally.pointee.result(.deviation) }
  }
  @inline(never) private func score(_ window: SingleWindow, _ space: Workspace, _ range: Range<Int>) {
    perform(window, space, range, .deviation) { tally, newest in tally.pointee.result(.score, newest: newest) }
  }

  /// - Parameter form: what is summed up: `.sum`, `.vwap` or `.deviation`; a constant, so that only its case is compiled.
  @inline(__always)
  private func perform(
    _ window: SingleWindow, _ space: Workspace, _ range: Range<Int>, _ form: Statistic,
    _ result: (UnsafeMutablePointer<Tally>, _ newest: Int64) -> Int64?
  ) {
    let (layout, columns, words) = (window.layout, columns, form == .vwap ? 4 : 2)
    let (input, missing) = (space.values(layout.input), space.missing(layout.input))
    let volumes = layout.weights.map { space.values($0.volume) } ?? input
    let highs = layout.weights.map { space.values($0.high) } ?? input
    let others = layout.weights.map { space.missing($0.volume) } ?? missing
    let (results, faults) = (space.values(window.output.column), space.missing(window.output.column))
    for i in range {
      let state = (columns.blocks[i] + layout.state).assumingMemoryBound(to: TimedState.self)
      let tally = (columns.blocks[i] + window.output.state).assumingMemoryBound(to: Tally.self)
      if state.pointee.epoch != columns.epoch[i] { reset(state, tally, columns.epoch[i]) }
      let time = columns.time[i]
      if state.pointee.since == .max, columns.counting[i] != 0 { state.pointee.since = time }
      let (difference, isOver) = columns.now[i].subtractingReportingOverflow(window.span)
      let edge = isOver ? Int64.min : difference
      if form == .deviation { leaveByOne(state, tally, edge) } else { leave(state, tally, edge, isTurnover: form == .vwap) }
      if missing[i] | others[i] == 0 {
        state.pointee.newest = input[i]
        if time <= edge {
          outside &+= 1
        } else if !state.pointee.queue.isFull || makeRoom(state, tally, form, time, words) {
          let entry = state.pointee.queue.insert(time, words)
          (entry[0], entry[1]) = (time, volumes[i])
          if form == .vwap {
            (entry[2], entry[3]) = (input[i], highs[i])
            tally.pointee.add(.vwap, volumes[i], turnover: turnover(input[i], highs[i]))
          } else {
            tally.pointee.add(form == .sum ? .sum : .deviation, volumes[i])
          }
        }
      }
      let isReady = state.pointee.since <= edge && state.pointee.lost <= edge
      let result = isReady ? result(tally, state.pointee.newest) : nil
      results[i] = result ?? 0
      faults[i] = result == nil ? 1 : 0
    }
  }

  /// The clock was set back.
  @inline(never)
  private func reset(_ state: UnsafeMutablePointer<TimedState>, _ tally: UnsafeMutablePointer<Tally>, _ epoch: UInt32) {
    state.pointee.queue.removeAll()
    (state.pointee.since, state.pointee.lost, state.pointee.epoch) = (.max, .min, epoch)
    tally.pointee = Tally()
  }

  /// Lets the first entries leave a sum. How many have to is random, so that a branch for each would be mispredicted: three at a time leave
  /// without one, which usually are all.
  @inline(__always)
  private func leave(
    _ state: UnsafeMutablePointer<TimedState>, _ tally: UnsafeMutablePointer<Tally>, _ edge: Int64, isTurnover: Bool
  ) {
    var left: UInt32
    repeat {
      let queue = state.pointee.queue
      // There is no memory before the first entry.
      if queue.capacity == 0 { return }
      var (sum, volume, mask) = (Int128(0), Int128(0), Int64(-1))
      left = 0
      for place in 0..<(3 as UInt32) {
        // Behind the last entry there is an older one, or zeros.
        let entry = queue.entry(place, isTurnover ? 4 : 2)
        mask &= (place < queue.count ? -1 : 0) & (entry[0] <= edge ? -1 : 0)
        left &-= UInt32(truncatingIfNeeded: mask)
        volume &+= Int128(entry[1] & mask)
        if isTurnover { sum &+= turnover(entry[2] & mask, entry[3] & mask) }
      }
      if isTurnover { tally.pointee.remove(left, turnover: sum, volume: volume) } else { tally.pointee.remove(left, sum: volume) }
      state.pointee.queue.dropFirst(left)
    } while left == 3
  }

  @inline(__always)
  private func leaveByOne(_ state: UnsafeMutablePointer<TimedState>, _ tally: UnsafeMutablePointer<Tally>, _ edge: Int64) {
    while state.pointee.queue.count > 0 {
      let entry = state.pointee.queue.entry(0, 2)
      if entry[0] > edge { break }
      tally.pointee.remove(.deviation, entry[1])
      state.pointee.queue.dropFirst()
    }
  }

  @inline(__always)
  private func turnover(_ low: Int64, _ high: Int64) -> Int128 {
    Int128(truncatingIfNeeded: high) << 64 | Int128(UInt64(bitPattern: low))
  }

  /// Makes room for an entry; if there is no memory for it, the oldest leaves before its time. False if there is none.
  @inline(never)
  private func makeRoom(
    _ state: UnsafeMutablePointer<TimedState>, _ tally: UnsafeMutablePointer<Tally>, _ statistic: Statistic, _ time: Int64, _ words: Int
  ) -> Bool {
    if grow(&state.pointee.queue, words) { return true }
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
