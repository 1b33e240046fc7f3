import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusProgram

extension RecordingGate {
  /// Without it a test would call the default of the protocol, which is asynchronous.
  fileprivate func end() { stop() }
}

/// Where a recording ends, for the source that goes on behind it.
@Suite struct RecordingGateTests {
  private static let minute: Int64 = 60_000_000_000

  private func bar(_ symbol: Symbol, _ minute: Int64, _ status: BarStatus = .complete) -> Bar {
    Bar(
      symbol: symbol, open: 1, high: 1, low: 1, close: 1, volume: 1, time: Timestamp(ns: minute * Self.minute),
      received: Timestamp(ns: minute * Self.minute), length: .time(Self.minute), status: status)
  }

  @Test func `the end of each symbol is its newest time, and how many events had it`() async throws {
    let context = PluginHarness().context
    var settings = RecordingGateSettings()
    settings.keepsEnd = true
    let gate = RecordingGate<Bar>(settings, context)
    for bar in [bar("A", 1), bar("A", 3), bar("B", 2), bar("A", 3), bar("A", 2)] { await gate.note(bar) }
    await gate.end()
    let end = try #require(context.recall(PastEnd.memory))
    #expect(end.symbols.map { "\($0.symbol) \($0.time.ns / Self.minute) \($0.count)" }.sorted() == ["A 3 2", "B 2 1"])
  }

  @Test func `behind a part of a bar the whole one is not in the past`() async throws {
    let context = PluginHarness().context
    var settings = RecordingGateSettings()
    settings.keepsEnd = true
    let gate = RecordingGate<Bar>(settings, context)
    for bar in [bar("P", 1), bar("P", 2, .partial)] { await gate.note(bar) }
    await gate.end()
    var border = PastBorder(context)
    #expect(!border.admits(bar("P", 1)) && border.admits(bar("P", 2)) && border.admits(bar("P", 3)) && border.isOver)
  }
}
