public import EventBus
internal import MarketData

/// Numbers and conditions over an event's fields, its columns and earlier events, each with a name that those behind it may use.
public struct ColumnExpressions<E: Event>: Sendable {
  /// What they give, in their order.
  public let columns: [ColumnInfo]
  let program: ExpressionCode
  /// By expression the column of the program with its results.
  let results: [Int]

  /// Compiles the texts.
  ///
  /// - Parameter columns: the columns beside the events.
  /// - Throws: what is wrong with the first text that is wrong, and its number.
  public init(_ texts: [(name: String, text: String)], reading columns: ColumnLayout = ColumnLayout()) throws(Fault) {
    let shape = EventShape(E.self, columns)
    let planner = MemoryPlanner(shape.places)
    var infos: [ColumnInfo] = []
    var results: [Int] = []
    for (number, (name, text)) in texts.enumerated() {
      do throws(ExpressionError) {
        let tree = try Parser.parse(text)
        let checker = Checker(text: text, shape: shape, place: .withMemory, planner: planner)
        let column: Int
        if checker.isCondition(tree) {
          let condition = try checker.condition(tree)
          column = planner.flag(condition, tree.description)
          planner.named[name] = .condition(condition)
          infos.append(ColumnInfo(name, .flag, text))
        } else {
          let dimension = try checker.value(tree).1
          column = try checker.number(tree)
          planner.named[name] = .value(.recall(column), dimension)
          infos.append(ColumnInfo(name, ColumnKind(dimension), text))
        }
        results.append(column)
        try CompiledExpression.checkLimits(ExpressionCode([], planner), text, tree)
      } catch { throw Fault(number: number, error: error) }
    }
    program = ExpressionCode([], planner)
    self.columns = infos
    self.results = results
  }

  /// What is wrong with one of the texts.
  public struct Fault: Error {
    public let number: Int
    public let error: ExpressionError
  }

  /// What the functions need, in the order of their names.
  public var needs: [FunctionNeed] { program.plan?.needs ?? [] }
}

/// Computes columns for batches of events, which it sees in their order. What holds for `ExpressionRunner` holds for it too.
public struct ColumnRunner<E: Event>: ~Copyable {
  public let expressions: ColumnExpressions<E>
  private let memory: UnsafeMutableRawPointer
  private let space: Workspace
  private let remembered: ExpressionMemory
  private let columns: BatchColumns?
  /// The results of a chunk, row by row.
  private let rows: UnsafeMutablePointer<Int64>

  private static var chunk: Int { 256 }

  public init(_ expressions: ColumnExpressions<E>, _ settings: ExpressionRunner<E>.Settings = .init()) {
    self.expressions = expressions
    columns = settings.columns
    let program = expressions.program
    memory = .allocate(byteCount: Workspace.size(program, chunk: Self.chunk), alignment: 16)
    space = Workspace(program, chunk: Self.chunk, in: memory)
    rows = .allocate(capacity: Self.chunk * max(1, expressions.columns.count))
    let plan = program.plan ?? MemoryPlan(MemoryPlanner(EventShape(E.self).places))
    remembered = ExpressionMemory(
      plan, chunk: Self.chunk, sessions: settings.sessions, completeSince: settings.completeSince,
      hasMissedEvents: settings.hasMissedEvents, limit: settings.memoryLimit)
  }

  deinit {
    memory.deallocate()
    rows.deallocate()
  }

  /// Calls `body` for each chunk in order, with the indices of its events and their rows: as many numbers for each event as there are
  /// expressions, in the units of their kinds, `ColumnLayout.missing` where there is no value.
  public mutating func compute(_ events: Span<E>, _ body: (Range<Int>, UnsafePointer<Int64>) -> Void) {
    events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return }
      var begin = 0
      while begin < events.count {
        let count = min(events.count &- begin, Self.chunk)
        Machine(
          program: expressions.program, space: space, events: UnsafeRawPointer(base + begin), stride: MemoryLayout<E>.stride, count: count,
          columns: columns
        ).remember(remembered)
        gather(count)
        body(begin..<(begin &+ count), rows)
        begin &+= count
      }
    }
  }

  private func gather(_ count: Int) {
    let width = expressions.results.count
    for (place, column) in expressions.results.enumerated() {
      let (values, missing, to) = (space.values(column), space.missing(column), rows + place)
      if expressions.columns[place].kind == .flag {
        // A verdict is 0, 1 or 2; 1 is undecided.
        for i in 0..<count { to[i &* width] = missing[i] != 0 || values[i] == 1 ? ColumnLayout.missing : values[i] &>> 1 }
      } else {
        for i in 0..<count { to[i &* width] = missing[i] != 0 ? ColumnLayout.missing : values[i] }
      }
    }
  }

  /// What the functions remember, for a restart or a change of the configuration.
  public func snapshot() -> MemorySnapshot { remembered.snapshot() }

  /// Takes from a snapshot what fits the expressions. Call it before the first event.
  public mutating func restore(_ snapshot: MemorySnapshot) { remembered.restore(snapshot) }

  /// How much memory the functions use, and what they had to leave out.
  public var memoryUse: MemoryUse { remembered.use }
}
