/// All functions with memory of one or several expressions, and where each key's block holds their states.
///
/// A block begins with the key if the symbol is not all of it, and with the times if a function needs them. Then come the states that are
/// read for every event, and last the values of the rings, of which an event touches few.
struct MemoryPlan {
  let places: EventPlaces
  let steps: [MemoryStep]
  let columns: Int
  /// Each function by its normal form, and its column.
  let names: [String: Int]
  /// The columns of functions, without those of arguments.
  let functions: [String: Int]
  /// By column of a function, what kind of number it is.
  let dimensions: [Int: Dimension]
  /// Bytes by key, without queues.
  let block: Int
  /// Bytes of it that are read for every event.
  let hot: Int
  /// True if something is remembered, and not only computed from an event and its columns.
  let hasMemory: Bool
  let hasClock: Bool
  let hasSessions: Bool
  /// Where the clock of the key is.
  let clock: Int

  init(_ planner: MemoryPlanner) {
    places = planner.places
    columns = planner.columns
    names = planner.names
    functions = planner.names.filter { planner.isFunction[$0.value] }
    dimensions = planner.dimensions
    hasMemory = planner.steps.contains { step in
      switch step {
      case .row, .series: false
      default: true
      }
    }
    let revises = places.revision != nil
    hasClock =
      revises
      || planner.steps.contains { step in
        switch step {
        case .timed, .extreme, .session, .since: true
        case .series, .row, .ring, .recursion, .crossing: false
        }
      }
    hasSessions = planner.steps.contains { step in
      switch step {
      case .session: true
      case .timed(let plan): plan.outputs.contains { $0.window.isSession }
      default: false
      }
    }
    var end = places.hasWideKey ? MemoryLayout<MemoryKey>.stride : 0
    func place<T>(_: T.Type, count: Int = 1) -> Int {
      let alignment = MemoryLayout<T>.alignment
      end = (end + alignment - 1) & ~(alignment - 1)
      defer { end += MemoryLayout<T>.stride * count }
      return end
    }
    func recursive<T: BitwiseCopyable>(_: T.Type) -> Int { revises ? place(Revisable<T>.self) : place(T.self) }
    clock = hasClock ? place(KeyClock.self) : 0
    let placed: [MemoryStep] = planner.steps.map { step in
      switch step {
      case .series, .row: return step
      case .ring(var ring):
        ring.layout.state = place(RingHead.self)
        for i in ring.outputs.indices {
          switch ring.outputs[i].kind {
          case .mean, .sum: ring.outputs[i].state = place(Int64.self)
          case .weighted: ring.outputs[i].state = place(WeightedSum.self)
          case .deviation, .score: ring.outputs[i].state = place(Tally.self)
          case .highest, .lowest: ring.outputs[i].state = place(RingExtreme.self)
          case .previous, .change: break
          }
        }
        return .ring(ring)
      case .recursion(var plan):
        plan.state =
          switch plan.kind {
          case .ema, .rma: recursive(AverageState.self)
          case .rsi: recursive(StrengthState.self)
          case .macd, .signal: recursive(ConvergenceState.self)
          case .range: recursive(RangeState.self)
          case .trend: recursive(TrendState.self)
          }
        return .recursion(plan)
      case .timed(var plan):
        plan.layout.state = place(TimedState.self)
        for i in plan.outputs.indices { plan.outputs[i].state = place(TimedOutputState.self) }
        return .timed(plan)
      case .extreme(var plan):
        plan.state = place(ExtremeState.self)
        return .extreme(plan)
      case .session(var plan):
        plan.state = place(SessionState.self)
        return .session(plan)
      case .crossing(var plan):
        plan.state = recursive(Side.self)
        return .crossing(plan)
      case .since(var plan):
        plan.state = recursive(LastTime.self)
        return .since(plan)
      }
    }
    hot = end
    steps = placed.map { step in
      guard case .ring(var ring) = step else { return step }
      ring.layout.values = place(Int64.self, count: ring.layout.capacity)
      ring.layout.times = revises ? place(Int64.self, count: ring.layout.capacity) : 0
      return .ring(ring)
    }
    // A number without functions has no state, but its key has a place.
    block = max(64, (end + 63) & ~63)
  }

  /// The largest block: some hundred of the longest windows.
  static let largestBlock = 1 << 23
}

/// What is remembered separately: a symbol, of one owner and of one length of bars.
struct MemoryKey: BitwiseCopyable, Hashable {
  var symbol: UInt32
  var owner: UInt32
  var length: Int64
}
