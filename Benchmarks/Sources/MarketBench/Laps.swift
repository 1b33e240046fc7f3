internal import Derive
internal import Measuring
internal import NullSink
internal import Sample
internal import StockbusPlugin
internal import WatchlistFilter

extension MarketBench {
  /// A component between a source and a sink, whose rings stay in the caches as in a run: nanoseconds of the processor that it adds to the
  /// chain of the source and the sink alone, each the least of five. 4,096 trades come again and again, 200,000 a second by their times.
  static func laps(_ work: String, _ count: Int) async throws {
    let symbols = try Numbered.symbols(1000)
    Laps.trades.withLock { $0 = Numbered.trades(4096, symbols: symbols) }
    let all = "symbols: [\(symbols.map(\.description).joined(separator: ", "))]"
    let arithmetic = "columns: { value: price * size, far: price - 102.5, part: price / size }"
    let middle: (plugin: Plugin, options: String, columns: Int)
    switch work {
    case "pass": middle = (.watchlistFilter, all, 8)
    case "pass-plain": middle = (.watchlistFilter, all, 0)
    case "derive": middle = (.derive, arithmetic, 0)
    case "sample": middle = (.sample, "every: 1s", 0)
    default: throw HotPathError("pass, pass-plain, derive or sample")
    }
    let laps = count / 4096
    func chain(_ plugins: [(Plugin, String)]) async throws -> Double {
      var subjects = [try Subject(.laps, options: "{ laps: \(laps), columns: \(middle.columns) }")]
      for (plugin, options) in plugins + [(.nullSink, "{}")] {
        subjects.append(try Subject(plugin, options: options, reading: [subjects.last?.slot.output].compactMap(\.self)))
      }
      let all = subjects
      return try await seconds {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for subject in all {
            group.addTask {
              try await subject.live()
              subject.slot.retire()
            }
          }
          try await group.waitForAll()
        }
      } / Double(laps * 4096) * 1e9
    }
    var (with, without) = (Double.infinity, Double.infinity)
    for _ in 0..<5 {
      with = min(with, try await chain([(middle.plugin, middle.options)]))
      without = min(without, try await chain([]))
    }
    var report = Report()
    report.add("cpu", with - without)
    report.add("events", laps * 4096)
    report.print()
  }
}

extension Plugin {
  fileprivate static let laps = Plugin("laps", "Sends the same trades again and again.", .source(Laps.self))
}

private struct LapSettings: Options {
  @Setting("How often they are sent.", in: 1...1_000_000) var laps: Int
  @Setting("How many columns are beside them.", in: 0...8) var columns = 0

  init() {}
}

/// Sends the same trades again and again, each time a little later, with columns that hold numbers.
private actor Laps: Source {
  static let trades = Guarded<[Trade]>([])
  private let settings: LapSettings

  static func columns(_ settings: LapSettings, reading _: ColumnLayout) -> ColumnLayout {
    ColumnLayout((0..<settings.columns).map { ColumnInfo("c\($0)", .number) })
  }

  init(_ settings: LapSettings, _: Context) { self.settings = settings }

  func run(into output: inout Outlet<Trade>) async throws {
    var trades = Self.trades.withLock { $0 }
    let rows = [Int64](repeating: 7, count: 1024 * settings.columns)
    var time = Numbered.begin
    for _ in 0..<settings.laps {
      for i in trades.indices {
        time += 5000
        trades[i].received = Timestamp(ns: time)
        if i % 1024 == 1023 {
          let some = trades.span.extracting((i - 1023)...i)
          if rows.isEmpty { output.send(contentsOf: some) } else { output.send(some, rows: rows.span) }
          try await output.flush()
        }
      }
    }
  }
}
