internal import StockbusExpressions
internal import StockbusInstruments
public import StockbusPlugin

extension Plugin {
  /// Adds computed columns to events.
  public static let derive = Plugin(
    "derive", "Passes events with computed columns beside them, such as a VWAP beside a trade, which stays a trade.", DerivePlugin.self,
    hot: [
      .processor(Derive<Trade>.self), .processor(Derive<Quote>.self), .processor(Derive<Bar>.self), .processor(Derive<Ranked>.self),
    ]
  ).example("columns: { vwap: vwap(session), off: price - vwap }")
}

enum DerivePlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .processor(Derive<E>.self) }
}

/// Passes every event with its columns, and adds those of the options.
///
/// A column has no value while a function of it is not ready, and where the event does not count for what it reads. What functions over
/// earlier events remember survives a change of the run, as far as the new columns have the same functions.
package actor Derive<E: Event>: Processor, PastNeedingComponent {
  private let settings: DeriveSettings
  private let context: Context
  private var runner: ColumnRunner<E>
  /// The places of the columns in a row of the output.
  private let places: [Int]
  private var hasHadEvents = false

  package static func textFaults(in settings: DeriveSettings, reading columns: ColumnLayout) -> [TextFault] {
    if let fault = nameFault(settings, columns) { return [fault.inside("columns")] }
    do throws(ColumnExpressions<E>.Fault) { _ = try ColumnExpressions<E>(settings.texts, reading: columns) } catch {
      return [TextFault(settings.texts[error.number].name, error.error).inside("columns")]
    }
    return []
  }

  private static func nameFault(_ settings: DeriveSettings, _ columns: ColumnLayout) -> TextFault? {
    for (name, _) in settings.texts {
      if let words = ColumnInfo.nameFault(name, beside: E.self) { return TextFault(name, words, character: 0) }
    }
    if Set(columns.names + settings.texts.map(\.name)).count > ColumnLayout.limit, let last = settings.texts.last {
      return TextFault(last.name, "together with those of the inputs there are more than \(ColumnLayout.limit) columns", character: 0)
    }
    return nil
  }

  package static func columns(_ settings: DeriveSettings, reading columns: ColumnLayout) -> ColumnLayout {
    var all = columns
    for column in (try? ColumnExpressions<E>(settings.texts, reading: columns))?.columns ?? [] { all.add(column) }
    return all
  }

  package static func needs(_ settings: DeriveSettings) -> [PastNeed] {
    .all((try? ColumnExpressions<E>(settings.texts))?.needs ?? [])
  }

  package init(_ settings: DeriveSettings, _ context: Context) throws {
    self.settings = settings
    self.context = context
    let all = Self.columns(settings, reading: context.columns.layout)
    places = settings.texts.compactMap { all.place(of: $0.name) }
    do throws(ColumnExpressions<E>.Fault) {
      let expressions = try ColumnExpressions<E>(settings.texts, reading: context.columns.layout)
      runner = ColumnRunner(expressions, context.functionSettings(settings.sessions, for: E.self))
    } catch { throw EnvironmentFailure("'columns': \(error.error)", isPermanent: true) }
    if let snapshot = context.takeFunctions() { runner.restore(snapshot) }
  }

  package static func carryOver(_ old: Memory, from before: DeriveSettings, to after: DeriveSettings, into memory: Memory) {
    // Values of other sessions do not belong into the same window.
    if before.sessions == after.sessions { FunctionMemory.carryOver(old, into: memory) }
  }

  package func process(_ events: Span<E>, into output: inout Outlet<E>) {
    hasHadEvents = true
    let places = places
    runner.compute(events) { chunk, results in
      output.pass(events.extracting(chunk)) { range, row, stride in
        for (number, place) in places.enumerated() {
          results.copy(number, from: range.lowerBound, count: range.count, to: row + place, stride: stride)
        }
      }
    }
  }

  package func keepMemory() { context.leaveFunctions(runner.snapshot(), hasHadEvents: hasHadEvents) }

  package func handOver(into output: inout Outlet<E>) {
    context.count(runner.memoryUse)
    keepMemory()
  }

  package func drain(into output: inout Outlet<E>) { context.count(runner.memoryUse) }
}
