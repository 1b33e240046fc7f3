/// The entries of one argument in the longest window of time over it.
struct TimedState: BitwiseCopyable {
  // First, because `forEachQueue` finds it here.
  var queue = Queue()
  /// The time of the first event; windows that begin earlier are not ready.
  var since = Int64.max
  /// The time of the newest entry that is missing, because there was no memory for it or the function was added later.
  var lost = Int64.min
  /// The newest value, which a score is about.
  var newest: Int64 = 0
  var epoch: UInt32 = 0
}

struct TimedOutputState: BitwiseCopyable {
  // First, because single windows find it here.
  var tally: Tally
  /// The number of entries that are before the window.
  var begin: UInt32
  var session: UInt32
}

/// The queue of one key, with what its functions have summed up.
struct QueueOfKey {
  let layout: TimedPlan.Layout
  let block: UnsafeMutableRawPointer
  let state: UnsafeMutablePointer<TimedState>

  @inline(__always)
  init(_ layout: TimedPlan.Layout, _ block: UnsafeMutableRawPointer) {
    (self.layout, self.block) = (layout, block)
    state = (block + layout.state).assumingMemoryBound(to: TimedState.self)
  }

  @inline(__always)
  func output(_ output: TimedPlan.Output) -> UnsafeMutablePointer<TimedOutputState> {
    (block + output.state).assumingMemoryBound(to: TimedOutputState.self)
  }

  @inline(__always)
  private func turnover(_ entry: UnsafeMutablePointer<Int64>) -> Int128 {
    layout.weights == nil ? 0 : Int128(truncatingIfNeeded: entry[3]) << 64 | Int128(UInt64(bitPattern: entry[2]))
  }

  @inline(__always)
  private func add(_ entry: UnsafeMutablePointer<Int64>, _ output: TimedPlan.Output) {
    self.output(output).pointee.tally.add(output.statistic, entry[1], turnover: turnover(entry))
  }

  @inline(__always)
  private func remove(_ entry: UnsafeMutablePointer<Int64>, _ output: TimedPlan.Output) {
    self.output(output).pointee.tally.remove(output.statistic, entry[1], turnover: turnover(entry))
  }

  /// Drops everything: the clock was set back.
  func clear(_ outputs: UnsafeBufferPointer<TimedPlan.Output>) {
    state.pointee.queue.removeAll()
    (state.pointee.since, state.pointee.lost) = (.max, .min)
    for output in outputs { self.output(output).pointee = TimedOutputState(tally: Tally(), begin: 0, session: 0) }
  }

  /// Lets entries leave a window.
  @inline(__always)
  func advance(_ output: TimedPlan.Output, _ bounds: Window.Bounds) {
    let own = self.output(output)
    while own.pointee.begin < state.pointee.queue.count {
      let entry = state.pointee.queue.entry(own.pointee.begin, layout.words)
      if entry[0] > bounds.edge { break }
      if entry[0] <= bounds.last { remove(entry, output) }
      own.pointee.begin &+= 1
    }
  }

  /// Sums up a window anew.
  func count(_ output: TimedPlan.Output, _ bounds: Window.Bounds) {
    let own = self.output(output)
    (own.pointee.tally, own.pointee.begin) = (Tally(), 0)
    for place in 0..<state.pointee.queue.count {
      let entry = state.pointee.queue.entry(place, layout.words)
      if entry[0] <= bounds.edge { own.pointee.begin &+= 1 } else if entry[0] <= bounds.last { add(entry, output) }
    }
  }

  /// Sums up an entry that has been inserted.
  @inline(__always)
  func insert(_ entry: UnsafeMutablePointer<Int64>, _ output: TimedPlan.Output, _ bounds: Window.Bounds) {
    if entry[0] <= bounds.edge {
      self.output(output).pointee.begin &+= 1
    } else if entry[0] <= bounds.last {
      add(entry, output)
    }
  }

  /// Takes an entry out of the sum, if the window has it; true if it had.
  func leave(_ place: UInt32, _ output: TimedPlan.Output, _ bounds: Window.Bounds) -> Bool {
    let entry = state.pointee.queue.entry(place, layout.words)
    guard place >= self.output(output).pointee.begin else { return false }
    if entry[0] <= bounds.last { remove(entry, output) }
    return true
  }

  /// Puts an entry that has left, and has been changed, back into the sum.
  func enter(_ place: UInt32, _ output: TimedPlan.Output, _ bounds: Window.Bounds) {
    let entry = state.pointee.queue.entry(place, layout.words)
    if place >= self.output(output).pointee.begin, entry[0] <= bounds.last { add(entry, output) }
  }

  /// The place of the entry of this time; nil if there is none.
  func place(of time: Int64) -> UInt32? {
    let place = state.pointee.queue.place(for: time, layout.words)
    return place > 0 && state.pointee.queue.time(place - 1, layout.words) == time ? place - 1 : nil
  }

  /// The result over the values in the window.
  @inline(__always)
  func result(_ output: TimedPlan.Output, _ bounds: Window.Bounds) -> Int64? {
    let own = self.output(output)
    switch output.statistic {
    case .first: return own.pointee.tally.count > 0 ? state.pointee.queue.entry(own.pointee.begin, layout.words)[1] : nil
    case .highest, .lowest: if own.pointee.tally.hasLostExtreme { findExtreme(output, bounds) }
    default: break
    }
    return own.pointee.tally.result(output.statistic, newest: state.pointee.newest)
  }

  private func findExtreme(_ output: TimedPlan.Output, _ bounds: Window.Bounds) {
    let own = self.output(output)
    var best: Int64?
    for place in own.pointee.begin..<state.pointee.queue.count {
      let entry = state.pointee.queue.entry(place, layout.words)
      if entry[0] > bounds.last { break }
      best = best.map { output.statistic == .highest ? max($0, entry[1]) : min($0, entry[1]) } ?? entry[1]
    }
    if let best { own.pointee.tally.set(extreme: best) }
  }
}
