/// How much memory the functions of a runner use, and what they had to leave out.
public struct MemoryUse: Sendable, Hashable {
  /// The memory of one function, or of several over the same values.
  public struct Part: Sendable, Hashable {
    /// Its normal form, such as `ema(price, 20)`, or the values that it keeps, such as `last price`.
    public var name: String
    /// Bytes for each key, whatever its events are.
    public var bytesByKey: Int
    /// Bytes of queues, for all keys: they grow with the events in a window of time.
    public var queueBytes: Int
  }

  /// Symbols, each with every owner and length of bars.
  public var keys = 0
  /// All bytes, with the table of symbols and with what has been allocated ahead.
  public var bytes = 0
  public var parts: [Part] = []
  /// Events that came too late for a window, or were before its session.
  public var outside = 0
  /// Bars that came after a newer one, and that a function could not take any more.
  public var revisedTooLate = 0
  /// Events of keys for which the limit left no memory.
  public var unkept = 0
  /// Values that left a window before their time because of the limit.
  public var shortened = 0

  public init() {}
}

extension ExpressionMemory {
  var use: MemoryUse {
    var use = MemoryUse()
    use.keys = keys.count
    use.bytes = bytes + tableSize * MemoryLayout<UnsafeMutableRawPointer?>.stride
    (use.outside, use.revisedTooLate, use.unkept, use.shortened) = (outside, revisedTooLate, unkept, shortened)
    for step in plan.steps {
      guard let name = step.name else { continue }
      var queueBytes = 0
      for (_, block) in keys {
        forQueue(of: step, block) { queue, words in queueBytes += Int(queue.pointee.capacity) * words * 8 }
      }
      use.parts.append(.init(name: name, bytesByKey: plan.size(of: step), queueBytes: queueBytes))
    }
    return use
  }
}

extension MemoryPlan {
  private var revises: Bool { places.revision != nil }

  private func recursive<T: BitwiseCopyable>(_: T.Type) -> Int {
    revises ? MemoryLayout<Revisable<T>>.stride : MemoryLayout<T>.stride
  }

  /// Bytes of a step's state in each block.
  func size(of step: MemoryStep) -> Int {
    switch step {
    case .series, .row: 0
    case .ring(let ring):
      MemoryLayout<RingHead>.stride + ring.layout.capacity * (revises ? 16 : 8) + ring.outputs.reduce(0) { $0 + Self.size(of: $1.kind) }
    case .recursion(let plan): size(of: plan.kind)
    case .timed(let plan): MemoryLayout<TimedState>.stride + plan.outputs.count * MemoryLayout<TimedOutputState>.stride
    case .extreme: MemoryLayout<ExtremeState>.stride
    case .session: MemoryLayout<SessionState>.stride
    case .crossing: recursive(Side.self)
    case .since: recursive(LastTime.self)
    }
  }

  func size(of kind: RecursionPlan.Kind) -> Int {
    switch kind {
    case .ema, .rma: recursive(AverageState.self)
    case .rsi: recursive(StrengthState.self)
    case .macd, .signal: recursive(ConvergenceState.self)
    case .range: recursive(RangeState.self)
    case .trend: recursive(TrendState.self)
    }
  }

  private static func size(of kind: RingPlan.Kind) -> Int {
    switch kind {
    case .mean, .sum: 8
    case .weighted: MemoryLayout<WeightedSum>.stride
    case .deviation, .score: MemoryLayout<Tally>.stride
    case .highest, .lowest: MemoryLayout<RingExtreme>.stride
    case .previous, .change: 0
    }
  }
}
