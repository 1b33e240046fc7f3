public import EventBus
internal import MarketData

/// A compiled number over an event's fields, such as `zscore(price, 1h)` or `ask - bid`.
public struct NumberExpression<E: Event>: Sendable {
  /// The text as written.
  public let text: String
  /// The normal form: one blank between words, no unneeded parentheses.
  public let description: String
  let program: ExpressionCode
  let column: Int

  /// Compiles a text; throws an error that shows what is wrong and where.
  ///
  /// - Parameter columns: the columns beside the events.
  public init(_ text: String, reading columns: ColumnLayout = ColumnLayout()) throws(ExpressionError) {
    let tree = try Parser.parse(text)
    let shape = EventShape(E.self, columns)
    let planner = MemoryPlanner(shape.places)
    column = try Checker(text: text, shape: shape, place: .withMemory, planner: planner).number(tree)
    program = ExpressionCode([], planner)
    try CompiledExpression.checkLimits(program, text, tree)
    self.text = text
    description = tree.description
  }
}

/// Computes a number for batches of events, which it sees in their order. What holds for `ExpressionRunner` holds for it too.
public struct NumberRunner<E: Event>: ~Copyable {
  public let expression: NumberExpression<E>
  private let memory: UnsafeMutableRawPointer
  private let space: Workspace
  private let remembered: ExpressionMemory
  private let columns: BatchColumns?

  private static var chunk: Int { 256 }

  public init(_ expression: NumberExpression<E>, _ settings: ExpressionRunner<E>.Settings = .init()) {
    self.expression = expression
    columns = settings.columns
    let program = expression.program
    memory = .allocate(byteCount: Workspace.size(program, chunk: Self.chunk), alignment: 16)
    space = Workspace(program, chunk: Self.chunk, in: memory)
    // A number that is not constant has at least the step that makes it a column.
    let plan = program.plan ?? MemoryPlan(MemoryPlanner(EventShape(E.self).places))
    remembered = ExpressionMemory(
      plan, chunk: Self.chunk, sessions: settings.sessions, completeSince: settings.completeSince,
      hasMissedEvents: settings.hasMissedEvents, limit: settings.memoryLimit)
  }

  deinit { memory.deallocate() }

  /// Calls `body` for each event in order, with its index and the number: in billionths, or in nanoseconds if it is a time or a duration;
  /// nil where it has no value, or where the event does not count for it.
  public mutating func compute(_ events: Span<E>, _ body: (Int, Int64?) -> Void) {
    events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return }
      var begin = 0
      while begin < events.count {
        let count = min(events.count &- begin, Self.chunk)
        Machine(
          program: expression.program, space: space, events: UnsafeRawPointer(base + begin), stride: MemoryLayout<E>.stride, count: count,
          columns: columns
        ).remember(remembered)
        let (values, missing) = (space.values(expression.column), space.missing(expression.column))
        for i in 0..<count { body(begin &+ i, missing[i] == 0 ? values[i] : nil) }
        begin &+= count
      }
    }
  }

  /// What the functions remember, for a restart or a change of the configuration.
  public func snapshot() -> MemorySnapshot { remembered.snapshot() }

  /// Takes from a snapshot what fits the expression. Call it before the first event.
  public mutating func restore(_ snapshot: MemorySnapshot) { remembered.restore(snapshot) }

  /// How much memory the functions use, and what they had to leave out.
  public var memoryUse: MemoryUse { remembered.use }
}
