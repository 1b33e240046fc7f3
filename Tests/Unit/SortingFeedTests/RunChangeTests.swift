import SortingFeed
import StockbusPlugin
import StockbusTestKit
import Testing

/// What the test tells the components of its run, and what they tell the test.
private struct Stage: Sendable {
  @TaskLocal static var current = Stage([])

  let trades: [Trade]
  /// How many of them the source may publish.
  let released = Watched(0)
  let told = Watched<[Ranked]>([])

  init(_ trades: [Trade]) { self.trades = trades }
}

private actor Releaser: Source {
  private let stage = Stage.current

  init(_ settings: NoOptions, _ context: Context) {}

  func run(into output: inout Outlet<Trade>) async throws {
    for (number, trade) in stage.trades.enumerated() {
      await stage.released.wait { $0 > number }
      try await output.publish(trade)
    }
  }
}

private struct ListenerSettings: Options {
  @Setting("Whether it fails to start.") var fails = false
}

private actor Listener: Sink {
  private struct Failure: Error, CustomStringConvertible { let description = "no start" }

  private let settings: ListenerSettings
  private let stage = Stage.current

  init(_ settings: ListenerSettings, _ context: Context) { self.settings = settings }

  func start() throws { if settings.fails { throw Failure() } }

  func receive(_ events: Span<Ranked>) {
    for i in events.indices { stage.told.update { $0.append(events[i]) } }
  }
}

@Suite struct RunChangeTests {
  private static let plugins = [
    Plugin("releaser", "Publishes as told.", .source(Releaser.self)), Plugin("listener", "Listens.", .sink(Listener.self)), .sortingFeed,
  ]

  private func text(_ by: String, fails: Bool = false) -> String {
    """
    sources: { trades: { plugin: releaser } }
    processors: { ranked: { plugin: sorting_feed, inputs: [trades], by: \(by) } }
    sinks: { listener: { plugin: listener, inputs: [ranked], fails: \(fails) } }
    """
  }

  @Test(.timeLimit(.minutes(15))) func `a change of the run in which another component does not start loses nothing`() async throws {
    let trades = [("A", 10, 1), ("B", 20, 1), ("C", 5, 9), ("C", 6, 1), ("A", 30, 1)] as [(Symbol, Int64, Int64)]
    let stage = Stage(trades.enumerated().map { FeedTests.trade($1.0, $1.1, size: $1.2, at: Int64($0)) })
    try await Stage.$current.withValue(stage) {
      let harness = try PipelineHarness(text("price"), plugins: Self.plugins)
      async let report = harness.run()
      stage.released.update { $0 = 3 }
      await stage.told.wait { $0.count == 3 }
      await #expect(throws: (any Error).self) { try await harness.apply(text("volume", fails: true)) }
      stage.released.update { $0 = 4 }
      await stage.told.wait { $0.count == 7 }
      try await harness.apply(text("volume"))
      stage.released.update { $0 = 5 }
      let end = await report
      #expect(
        stage.told.value.map { "\($0.symbol) \($0.previousRank)→\($0.rank) \($0.volume)" } == [
          "A 0→1 1", "B 0→1 1", "C 0→3 9",
          // By price as before, which is told once more.
          "B 1→1 1", "A 2→2 1", "C 3→3 9", "C 3→3 10",
          // By volume; A and B in the order of their first appearance.
          "C 3→1 10", "A 3→2 1", "B 3→3 1", "A 2→2 2",
        ])
      #expect(end.exitStatus == 0 && end.ledger.isBalanced)
    }
  }
}
