public import EventBus
public import MarketData

/// Evaluates expressions on batches of events, in chunks; its memory is allocated once.
///
/// ```swift
/// var runner = ExpressionRunner(try Expression<Trade>("price > 100"))
/// runner.judge(events) { range, verdicts in … }
/// ```
///
/// Several expressions share one program: what they have in common is computed and remembered once. Not for concurrent use: it is
/// non-copyable, and its methods are `mutating`.
public struct ExpressionRunner<E: Event>: ~Copyable {
  /// What a runner needs for functions with memory.
  public struct Settings: Sendable {
    /// The sessions of windows such as `session` and `first 15m`.
    public var sessions: any SessionSource
    /// From when on the events are complete: sessions that began earlier are not ready. If the first event was received before it, the past
    /// is played, and all sessions are complete.
    public var completeSince: Timestamp
    /// True if events have gone by, as after a change of the conditions: sessions that have begun before the first event are not ready.
    public var hasMissedEvents: Bool
    /// The most bytes that functions remember. Beyond it new instruments have no results, and windows of time lose their oldest values and
    /// have no results until they are complete again.
    public var memoryLimit: Int
    /// The columns beside the events; nil if there are none.
    public var columns: BatchColumns?

    public init(
      sessions: any SessionSource = DaySessions(), completeSince: Timestamp = Timestamp(ns: .min), hasMissedEvents: Bool = false,
      memoryLimit: Int = 64 << 20, columns: BatchColumns? = nil
    ) {
      self.columns = columns
      (self.sessions, self.completeSince, self.hasMissedEvents) = (sessions, completeSince, hasMissedEvents)
      self.memoryLimit = memoryLimit
    }
  }

  public let expressions: [Expression<E>]
  let program: ExpressionCode
  private let memory: UnsafeMutableRawPointer
  private let space: Workspace
  let remembered: ExpressionMemory?
  private let columns: BatchColumns?
  /// By expression, the columns of its functions.
  private let functions: [[Int]]
  /// By expression, for how many events it was undecided because a function had no value: it was not ready, or has no result.
  public private(set) var notReady: [Int]

  /// The number of events in a chunk: enough to make interpretation cheap, few enough to keep the columns in the first-level cache.
  private static var chunk: Int { 256 }

  public init(_ expression: Expression<E>, _ settings: Settings = Settings()) { self.init([expression], expression.core.program, settings) }

  /// A runner for several expressions.
  public init(_ expressions: [Expression<E>], _ settings: Settings = Settings()) {
    self.init(
      expressions, CompiledExpression.program(expressions.map(\.core), EventShape(E.self, expressions.first?.columns ?? ColumnLayout())),
      settings)
  }

  private init(_ expressions: [Expression<E>], _ program: ExpressionCode, _ settings: Settings) {
    self.expressions = expressions
    self.program = program
    let size = Workspace.size(program, chunk: Self.chunk)
    memory = .allocate(byteCount: size, alignment: 16)
    space = Workspace(program, chunk: Self.chunk, in: memory)
    columns = settings.columns
    let results = program.plan?.functions ?? [:]
    functions = expressions.map { $0.core.program.plan?.functions.keys.compactMap { results[$0] } ?? [] }
    notReady = expressions.map { _ in 0 }
    remembered = program.plan.map {
      ExpressionMemory(
        $0, chunk: Self.chunk, sessions: settings.sessions, completeSince: settings.completeSince,
        hasMissedEvents: settings.hasMissedEvents, limit: settings.memoryLimit)
    }
  }

  deinit { memory.deallocate() }

  /// The only expression, or the first of several.
  public var expression: Expression<E> { expressions[0] }

  /// Calls `body` for each chunk in order, with the indices of its events and the verdict of `expression` for each of them.
  @inlinable
  public mutating func judge(_ events: Span<E>, _ body: (Range<Int>, Span<Verdict>) -> Void) {
    events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return }
      var begin = 0
      while begin < events.count {
        let verdicts = judge(UnsafeRawPointer(base + begin), stride: MemoryLayout<E>.stride, count: events.count &- begin)
        body(begin..<(begin &+ verdicts.count), verdicts.span)
        begin &+= verdicts.count
      }
    }
  }

  /// Calls `body` for each chunk in order, and for each of the expressions in the order of `expressions`, with its index, the indices of the
  /// events, and its verdict for each of them.
  public mutating func judgeAll(_ events: Span<E>, _ body: (_ expression: Int, Range<Int>, Span<Verdict>) -> Void) {
    events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return }
      var begin = 0
      while begin < events.count {
        let count = judge(UnsafeRawPointer(base + begin), stride: MemoryLayout<E>.stride, count: events.count &- begin).count
        for i in expressions.indices { body(i, begin..<(begin &+ count), verdicts(i, count).span) }
        begin &+= count
      }
    }
  }

  /// The verdicts on the next events, at most one chunk.
  @usableFromInline
  mutating func judge(_ events: UnsafeRawPointer, stride: Int, count: Int) -> UnsafeBufferPointer<Verdict> {
    let count = min(count, Self.chunk)
    let machine = Machine(program: program, space: space, events: events, stride: stride, count: count, columns: columns)
    if let remembered { machine.remember(remembered) }
    machine.run()
    if remembered != nil { countNotReady(count) }
    return verdicts(0, count)
  }

  private mutating func countNotReady(_ count: Int) {
    for k in functions.indices {
      let verdicts = space.verdicts(k)
      // Undecided is the only odd one. Most chunks have none, and this loop takes many at a time.
      var bits: UInt8 = 0
      for i in 0..<count { bits |= verdicts[i] }
      if bits & Verdict.undecided.rawValue == 0 { continue }
      for i in 0..<count where verdicts[i] == Verdict.undecided.rawValue {
        if functions[k].contains(where: { space.missing($0)[i] == 1 }) { notReady[k] &+= 1 }
      }
    }
  }

  private func verdicts(_ expression: Int, _ count: Int) -> UnsafeBufferPointer<Verdict> {
    // Every instruction writes 0, 1 or 2, the raw values of the verdicts.
    let bytes = UnsafeRawPointer(space.verdicts(expression)).assumingMemoryBound(to: Verdict.self)
    return UnsafeBufferPointer(start: bytes, count: count)
  }

  /// The columns of an expression's functions.
  func columns(of expression: Int) -> [Int] { functions[expression] }

  // MARK: Memory

  /// True if functions remember earlier events.
  public var hasMemory: Bool { remembered != nil }

  /// What the expressions remember, for a restart or a change of the configuration.
  public func snapshot() -> MemorySnapshot { remembered?.snapshot() ?? MemorySnapshot() }

  /// Takes from a snapshot what fits the expressions: the functions and arguments that it has too. Call it before the first event.
  public mutating func restore(_ snapshot: MemorySnapshot) { remembered?.restore(snapshot) }

  /// How much memory the functions use, and what they had to leave out.
  public var memoryUse: MemoryUse { remembered?.use ?? MemoryUse() }

  /// The results of a function in normal form for the last chunk of `count` events; nil where it has none.
  package func results(of function: String, _ count: Int) -> [Int64?] {
    guard let column = program.plan?.names[function] else { return [] }
    return (0..<count).map { space.missing(column)[$0] == 0 ? space.values(column)[$0] : nil }
  }
}
