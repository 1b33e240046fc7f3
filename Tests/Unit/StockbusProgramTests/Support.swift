import FileWriter
import Foundation
import Generator
import NullSink
import SortingFeed
import StockbusConfig
import StockbusPlugin
import TestSupport
import Testing
import WatchlistFilter

/// A catalogue that does not change when plugins are added to the program.
let fixedCatalogue = Catalogue([.generator, .sortingFeed, .watchlistFilter, .fileWriter, .nullSink, .probe])

/// A plugin with options and commands of all kinds.
extension Plugin {
  static let probe = Plugin("probe", "Measures how long trades take to arrive, and stops when told.", .sink(Probe.self))
}

struct ProbeSettings: Options {
  @Setting("Where the results go.", length: 1...) var path: String
  @Setting("How many trades are measured together, the oldest leaving first.", in: 1...100_000) var window = 1000
  init() {}
}

actor Probe: Sink, CommandableComponent {
  static let commands = [CommandInfo("pause", "Measures nothing for a while."), CommandInfo("mark NAME", "Begins a new result.")]
  init(_: ProbeSettings, _: Context) {}
  func receive(_ events: Span<Trade>) {}
  func perform(_ command: Command) throws(CommandError) -> String { "done" }
}

/// The topology for the drawings.
func drawnTopology() throws -> Topology {
  let text = """
    sources:
      ticks-1: { plugin: generator, symbols: 3 }
    processors:
      ranked: { plugin: sorting_feed, inputs: [ticks-1] }
      mine: { plugin: watchlist_filter, inputs: [{ from: ranked, overflow: conflate, initial: true }], symbols: [AAPL] }
    sinks:
      end: { plugin: null_sink, inputs: [mine] }
      file: { plugin: file_writer, inputs: [ranked, mine], path: out.csv }
      lost: { plugin: null_sink, inputs: [dead_letters] }
    """
  return try Topology.check(ConfigLoader(environment: { _ in nil }).load(text: text), catalogue: fixedCatalogue)
}

/// Compares with `Tests/Fixtures/cli/NAME`.
func expect(_ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  #expect(try text + "\n" == Repository.golden("cli/\(name)", updatedTo: text + "\n"), sourceLocation: sourceLocation)
}
