import FileReplay
import StockbusPlugin
import StockbusTestKit
import Testing

/// No source can fill the table of symbols at the expense of the others, and each reports once that it has reached its limit.
@Suite struct SymbolLimitTests {
  @Test func `symbols of a capture that never came are told`() async throws {
    let folder = TemporaryFolder()
    folder.put(
      """
      1381239545000000001 {"stream":"btcusdt@trade","data":{"e":"trade","s":"BTCUSDT","t":1,"p":"61685.990","q":"0.5","T":1618677544990,"m":true}}
      1381239545.25: {"e":"trade","s":"ETHUSDT","t":7,"p":"2682.51","q":"1","T":1618677545111,"m":false}

      """, in: "capture")
    func notes(_ options: String) async throws -> [String] {
      let harness = try PipelineHarness(
        """
        sources: { ticks: { plugin: file_replay, path: \(folder.file("capture")), preset: binance, \(options) } }
        sinks: { end: { plugin: probe, inputs: [ticks] } }
        """, plugins: [.fileReplay, .probe])
      return await harness.run().ledger.notes.map(\.text)
    }
    #expect(
      try await notes("symbols: [BTC-USDT, ETH-USTD, XRP-USDT]") == [
        "'ETH-USTD' never came; did you mean 'ETHUSDT'?", "'XRP-USDT' never came",
      ])
    #expect(try await notes("symbols: [BTC-USDT]") == [])
    #expect(try await notes("symbols: [ETH-USDT, SOL-USDT]") == ["'SOL-USDT' never came"])
    #expect(try await notes("symbols: []") == [])
  }

  @Test func `a file with too many symbols is told so once, and the others go on`() async throws {
    let folder = TemporaryFolder()
    func rows(_ prefix: String, _ count: Int) -> String {
      "symbol,price,size,time\n" + (0..<count).map { "\(prefix)\($0),1,1,\($0)\n" }.joined()
    }
    // Each name comes twice: names that were accepted are accepted again.
    folder.put(rows("FLOOD-", 40) + (0..<40).map { "FLOOD-\($0),2,1,\($0)\n" }.joined(), in: "evil.csv")
    folder.put(rows("CALM-", 10), in: "good.csv")
    let harness = try PipelineHarness(
      """
      runtime: { symbols_per_source: 10 }
      sources:
        evil: { plugin: file_replay, path: \(folder.file("evil.csv")), time: ns }
        good: { plugin: file_replay, path: \(folder.file("good.csv")), time: ns }
      sinks: { end: { plugin: probe, inputs: [evil, good] } }
      """, plugins: [.fileReplay, .probe])
    let report = await harness.run()
    func counter(_ component: String, _ name: String) -> Int? {
      report.ledger.counters.first { $0.component == component && $0.name == name }?.total
    }
    #expect(counter("evil", "rows") == 20)
    #expect(counter("evil", "dead letters") == 60)
    #expect(counter("good", "rows") == 10)
    #expect(counter("good", "dead letters") == nil)
    let state =
      "'evil' has sent 10 different symbols, its limit; events of further symbols become dead letters ('symbols_per_source' in 'runtime' sets the limit)"
    #expect(harness.log.texts(.error) == ["error evil: \(state)"] || harness.log.texts(.error) == ["error \(state)"])
    #expect(harness.log.texts(.warning).count == 5)
    #expect(report.ledger.notes.map(\.text) == [state])
  }
}
