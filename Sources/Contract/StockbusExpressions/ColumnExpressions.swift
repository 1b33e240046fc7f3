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

  /// Compiles one number, such as `zscore(price, 1h)` or `ask - bid`.
  ///
  /// - Throws: what is wrong and where, also for a condition and for a number that is the same for all events.
  public init(number text: String, reading columns: ColumnLayout = ColumnLayout()) throws(ExpressionError) {
    let tree = try Parser.parse(text)
    let shape = EventShape(E.self, columns)
    let planner = MemoryPlanner(shape.places)
    let column = try Checker(text: text, shape: shape, place: .withMemory, planner: planner).number(tree)
    program = ExpressionCode([], planner)
    try CompiledExpression.checkLimits(program, text, tree)
    self.columns = [ColumnInfo("number", .number, text)]
    results = [column]
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

  private static var chunk: Int { 256 }

  public init(_ expressions: ColumnExpressions<E>, _ settings: ExpressionRunner<E>.Settings = .init()) {
    self.expressions = expressions
    columns = settings.columns
    let program = expressions.program
    memory = .allocate(byteCount: Workspace.size(program, chunk: Self.chunk), alignment: 16)
    space = Workspace(program, chunk: Self.chunk, in: memory)
    let plan = program.plan ?? MemoryPlan(MemoryPlanner(EventShape(E.self).places))
    remembered = ExpressionMemory(
      plan, chunk: Self.chunk, sessions: settings.sessions, completeSince: settings.completeSince,
      hasMissedEvents: settings.hasMissedEvents, limit: settings.memoryLimit)
  }

  deinit { memory.deallocate() }

  /// Calls `body` for each chunk of events in order, with the indices of its events and what the expressions give for them.
  public mutating func compute(_ events: Span<E>, _ body: (Range<Int>, Results) -> Void) {
    events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return }
      var begin = 0
      while begin < events.count {
        let count = min(events.count &- begin, Self.chunk)
        Machine(
          program: expressions.program, space: space, events: UnsafeRawPointer(base + begin), stride: MemoryLayout<E>.stride, count: count,
          columns: columns
        ).remember(remembered)
        body(begin..<(begin &+ count), Results(space: space, expressions: expressions))
        begin &+= count
      }
    }
  }

  /// What the expressions give for a chunk of events, which are counted from 0. Valid during the call that it is given to.
  public struct Results {
    let space: Workspace
    let expressions: ColumnExpressions<E>

    /// The value of expression `number` for event `i`, in the unit of its kind; nil if it has none.
    public subscript(number: Int, i: Int) -> Int64? {
      let column = expressions.results[number]
      let missing = space.missing(column)[i]
      return missing == 0 ? value(number, space.values(column)[i]) : nil
    }

    /// Writes the values of an expression for `count` events from event `first` on, `stride` numbers apart; `ColumnLayout.missing` for none.
    package func copy(_ number: Int, from first: Int, count: Int, to row: UnsafeMutablePointer<Int64>, stride: Int) {
      let column = expressions.results[number]
      let (values, missing) = (space.values(column) + first, space.missing(column) + first)
      if expressions.columns[number].kind == .flag {
        for i in 0..<count { row[i &* stride] = missing[i] == 0 ? value(number, values[i]) ?? ColumnLayout.missing : ColumnLayout.missing }
        return
      }
      var faults: UInt8 = 0
      for i in 0..<count { faults |= missing[i] }
      if faults == 0 {
        for i in 0..<count { row[i &* stride] = values[i] }
      } else {
        for i in 0..<count { row[i &* stride] = missing[i] == 0 ? values[i] : ColumnLayout.missing }
      }
    }

    /// A verdict is 0, 1 or 2; 1 is undecided.
    private func value(_ number: Int, _ value: Int64) -> Int64? {
      if expressions.columns[number].kind != .flag { return value }
      return value == 1 ? nil : value &>> 1
    }
  }

  /// What the functions remember, for a restart or a change of the configuration.
  public func snapshot() -> MemorySnapshot { remembered.snapshot() }

  /// Takes from a snapshot what fits the expressions. Call it before the first event.
  public mutating func restore(_ snapshot: MemorySnapshot) { remembered.restore(snapshot) }

  /// How much memory the functions use, and what they had to leave out.
  public var memoryUse: MemoryUse { remembered.use }
}
