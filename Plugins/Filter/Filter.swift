internal import StockbusExpressions
internal import StockbusInstruments
public import StockbusPlugin

extension Plugin {
  /// Passes the events that fulfil a condition.
  public static let filter = Plugin(
    "filter", "Passes events whose fields fulfil a condition.", FilterPlugin.self,
    hot: [
      .processor(Filter<Trade>.self), .processor(Filter<Quote>.self), .processor(Filter<Bar>.self), .processor(Filter<Ranked>.self),
    ]
  ).example("where: price > 100 and size >= 50")
}

enum FilterPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .processor(Filter<E>.self) }
}

/// Passes the events that meet a condition over their fields, and counts the others as filtered. A command can replace the condition during
/// a run; the new condition survives a failure.
///
/// What functions over earlier events remember survives a change of the run too, as far as the new condition has the same functions.
package actor Filter<E: Event>: Processor, CommandableComponent, ExplainingComponent, PastNeedingComponent {
  package static var commands: [CommandInfo] {
    [CommandInfo("where [EXPRESSION]", "Replaces the condition from now on; without an expression, shows the present one.")]
  }

  private let settings: FilterSettings
  private let context: Context
  private let undecided: Counter
  private var sieve: Sieve<E>
  private var hasHadEvents = false
  private var expectedSymbols: ExpectedSymbols

  package static func textFaults(in settings: FilterSettings, reading columns: ColumnLayout) -> [TextFault] {
    settings.where.fault("where", for: E.self, reading: columns).map { [$0] } ?? []
  }

  package static func columns(_ settings: FilterSettings, reading columns: ColumnLayout) -> ColumnLayout { columns }

  package static func namedSymbols(_ settings: FilterSettings) -> [NamedSymbol] {
    ((try? Expression<E>(settings.where.text, in: .withMemory))?.symbolNames ?? []).map { NamedSymbol($0, in: "where") }
  }

  package static func needs(_ settings: FilterSettings) -> [PastNeed] {
    .all((try? Expression<E>(settings.where.text, in: .withMemory))?.needs ?? [])
  }

  package init(_ settings: FilterSettings, _ context: Context) throws {
    self.settings = settings
    self.context = context
    undecided = context.counter(
      "undecided", "Events that were not passed because arithmetic in the condition had no result, such as a division by zero.")
    let text = context.recall(Self.replacement) ?? settings.where.text
    do throws(ExpressionError) {
      let expression = try Expression<E>(text, in: .withMemory, reading: context.columns.layout)
      expectedSymbols = ExpectedSymbols(expression.symbolNames, after: context.recall(ExpectedSymbols.memory))
      sieve = Sieve(expression, context.functionSettings(settings.sessions, for: E.self), context.takeFunctions())
    } catch { throw EnvironmentFailure("'where': \(error)", isPermanent: true) }
  }

  /// The condition that a command has set. It is dropped when the options change, because these have their own condition.
  private static var replacement: MemoryKey<String> { MemoryKey("where", whenOptionsChange: .drop) }

  package static func carryOver(_ old: Memory, from before: FilterSettings, to after: FilterSettings, into memory: Memory) {
    // Values of other sessions do not belong into the same window.
    if before.sessions == after.sessions { FunctionMemory.carryOver(old, into: memory) }
  }

  package func keepMemory() {
    context.remember(expectedSymbols, ExpectedSymbols.memory)
    context.leaveFunctions(sieve.snapshot(), hasHadEvents: hasHadEvents)
  }

  package func stop() { context.remember(expectedSymbols, ExpectedSymbols.memory) }

  package func handOver(into output: inout Outlet<E>) {
    context.count(sieve.memoryUse)
    keepMemory()
  }

  package func drain(into output: inout Outlet<E>) {
    context.count(sieve.memoryUse)
    context.note(expectedSymbols)
  }

  package func process(_ events: Span<E>, into output: inout Outlet<E>) {
    hasHadEvents = true
    expectedSymbols.look(at: events)
    let undecided = sieve.pass(events, into: &output)
    if undecided > 0 { count(undecided) }
  }

  private func count(_ undecided: Int) {
    let notReady = sieve.takeNotReady()
    if notReady > 0 { context.notReady.add(notReady) }
    self.undecided.add(undecided - notReady)
  }

  package func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation] {
    guard let last = last as? E else { return [] }
    let (verdict, functions) = sieve.state(after: last)
    let words =
      switch verdict {
      case .yes: "is true of"
      case .no: "is false of"
      case .undecided: "cannot be decided for"
      }
    let values = functions.isEmpty ? "" : "; " + functions.map(\.description).joined(separator: ", ")
    return [
      Explanation(
        verdict == .yes ? .passes : .filters, "\(shown(sieve.expression.text)) \(words) \(E.schema.json(last))\(values)",
        by: OptionPlace("where"))
    ]
  }

  package func perform(_ command: Command) throws(CommandError) -> String {
    if command.arguments.isEmpty { return "the condition is \(sieve.expression)" }
    let text = command.arguments.joined(separator: " ")
    do throws(ExpressionError) {
      let expression = try Expression<E>(text, in: .withMemory, reading: context.columns.layout)
      context.count(sieve.memoryUse)
      context.leaveFunctions(sieve.snapshot(), hasHadEvents: hasHadEvents)
      sieve = Sieve(expression, context.functionSettings(settings.sessions, for: E.self), context.takeFunctions())
      // Symbols that the new condition names may have arrived before, so none is reported as missing.
      expectedSymbols = ExpectedSymbols([])
      context.remember(text, Self.replacement)
      return "the condition is now \(expression)"
    } catch { throw CommandError("\(error)") }
  }
}

/// A condition that is applied to batches of events.
struct Sieve<E: Event>: ~Copyable {
  private var runner: ExpressionRunner<E>
  /// How many of the events that were not ready have been taken.
  private var notReady = 0

  /// - Parameter snapshot: what an earlier one has left.
  init(_ expression: Expression<E>, _ settings: ExpressionRunner<E>.Settings, _ snapshot: MemorySnapshot?) {
    runner = ExpressionRunner(expression, settings)
    if let snapshot { runner.restore(snapshot) }
  }

  var expression: Expression<E> { runner.expression }
  var memoryUse: MemoryUse { runner.memoryUse }

  func snapshot() -> MemorySnapshot { runner.snapshot() }

  func state(after event: E) -> (verdict: Verdict, functions: [FunctionState]) { runner.state(after: event) }

  /// How many undecided events since the last call were so because a function was not ready.
  mutating func takeNotReady() -> Int {
    defer { notReady = runner.notReady[0] }
    return runner.notReady[0] - notReady
  }

  /// Sends the events that pass, counts the others as filtered, and returns how many of these were undecided.
  mutating func pass(_ events: Span<E>, into output: inout Outlet<E>) -> Int {
    var undecided = 0
    runner.judge(events) { range, verdicts in
      var hits = 0
      for i in verdicts.indices {
        hits &+= verdicts[i] == .yes ? 1 : 0
        undecided &+= verdicts[i] == .undecided ? 1 : 0
      }
      let events = events.extracting(range)
      if hits == verdicts.count {
        output.pass(events)
      } else if hits == 0 {
        output.filter(verdicts.count)
      } else {
        output.pass(events) { verdicts[$0] == .yes }
      }
    }
    return undecided
  }
}
