import FileReplay
import StockbusPlugin
import StockbusTestKit
import Testing

/// Valid configurations of raw captures, and the errors for invalid ones.
@Suite struct CaptureOptionTests {
  private func problems(_ options: String) -> [String] {
    let folder = TemporaryFolder()
    folder.put("1 {}\n", in: "x")
    do {
      _ = try PipelineHarness(
        """
        sources: { live: { plugin: file_replay, path: \(folder.file("x")), \(options) } }
        sinks: { end: { plugin: probe, inputs: [live] } }
        """, plugins: [.fileReplay, .probe])
      return []
    } catch { return error.sorted.map(\.message) }
  }

  @Test(arguments: [
    "preset: binance", "format: raw, preset: kraken_v1, event: quote", "event: raw", "format: raw, event: raw, speed: 2x",
    "preset: binance, symbols: [BTC/USDT], decoding: { silence: 5s, messages: { mine: { when: { x: '*' }, role: heartbeat } } }",
    "decoding: { messages: { t: { when: { s: '*' }, event: trade, fields: { symbol: s, price: p } } } }",
  ]) func `these are allowed`(options: String) { #expect(problems(options) == []) }

  @Test(arguments: [
    (
      "preset: binanz",
      "'preset' must be one of binance, binance_futures, coinbase_exchange, coinbase_advanced, kraken, kraken_v1, bitfinex, gemini, alpaca, finnhub, massive, got 'binanz'; did you mean 'binance'?"
    ),
    ("preset: gemini, event: bar", "none of the messages becomes a bar; they become trade"),
    ("preset: gemini, header: false", "'header' is not for raw captures"), ("symbols: [A]", "'symbols' is for 'format: raw'"),
    ("format: csv, preset: gemini", "'preset' is for 'format: raw'"), ("format: csv, event: raw", "'event: raw' is for 'format: raw'"),
    (
      "format: raw",
      "'messages' is needed: the kinds of messages, as in decoding: { messages: { ticks: { when: { type: trade }, event: trade, fields: { symbol: data.s, price: data.p } } } }"
    ),
    (
      "preset: gemini, decoding: { messages: { trade: { fields: { price: 'a[' } } } }",
      "'decoding.messages.trade.fields.price' must be a path such as data.p, [1][0], $.stream or @symbol, got 'a['"
    ),
    (
      "preset: gemini, decoding: { messages: { trade: { each: '@row' } } }",
      "'decoding.messages.trade' uses '@row', which no message remembers; 'decoding.messages.trade.each' has '@row'"
    ),
  ]) func `these are not, and it is said why`(options: String, message: String) {
    let found = problems(options).map { $0.replacing("source 'live': ", with: "") }
    #expect(message.split(separator: "; 'decoding").allSatisfy { part in found.contains { $0.contains(part) } }, "\(found)")
  }

  @Test func `messages that are known and passed over are counted by kind, and those that correct trades are named at the end`()
    async throws
  {
    let folder = TemporaryFolder()
    folder.put(
      [
        #"1381239000 [{"T":"t","S":"A","p":1,"s":1,"t":"2021-02-22T15:51:44Z"},{"T":"c","S":"A"},{"T":"x","S":"A"}]"#,
        #"1381239001 [{"T":"c","S":"A"}]"#,
        #"1381239002 [{"T":"l","S":"A"}]"#,
      ].map { $0 + "\n" }.joined(), in: "a.raw")
    let harness = try PipelineHarness(
      """
      sources: { live: { plugin: file_replay, path: \(folder.file("a.raw")), preset: alpaca, loops: 2 } }
      sinks: { end: { plugin: probe, inputs: [live] } }
      """, plugins: [.fileReplay, .probe])
    let ledger = await harness.run().ledger
    let counts = Dictionary(ledger.counters.filter { $0.component == "live" }.map { ($0.name, $0.total) }) { first, _ in first }
    #expect(counts["rows"] == 2 && counts["passed over: correction"] == 4 && counts["passed over: cancel"] == 2)
    #expect(counts["passed over: limits"] == 2 && counts["passed over: quote"] == nil)
    #expect(
      ledger.notes.map(\.text) == [
        "the venue has cancelled or corrected trades (4 × 'correction', 2 × 'cancel'); they stay in bars, volumes and last prices"
      ])
  }

  @Test func `gaps and unknown messages of a capture are counted and told`() async throws {
    let folder = TemporaryFolder()
    folder.put(
      [1, 2, 4].map { "1381239000 {\"e\":\"trade\",\"s\":\"A\",\"t\":\($0),\"p\":\"1\",\"q\":\"1\",\"T\":1,\"m\":true}\n" }.joined()
        + "1381239001 {\"new\":1}\n1381239001 {\"new\":2}\n",
      in: "a.raw")
    let harness = try PipelineHarness(
      """
      sources: { live: { plugin: file_replay, path: \(folder.file("a.raw")), preset: binance } }
      sinks: { end: { plugin: probe, inputs: [live] } }
      """, plugins: [.fileReplay, .probe])
    let report = await harness.run()
    let counts = Dictionary(report.ledger.counters.filter { $0.component == "live" }.map { ($0.name, $0.total) }) { first, _ in first }
    #expect(counts["rows"] == 3 && counts["gaps"] == 1 && counts["unknown"] == 2 && counts["malformed"] == 0)
    #expect(harness.log.texts(.warning).contains("warning live: messages of unknown kinds: 2 × {new}"))
  }
}

actor Probe<E: Event>: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_ events: Span<E>) {}
}

enum ProbePlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(Probe<E>.self) }
}

extension Plugin {
  static let probe = Plugin("probe", "Takes everything.", ProbePlugin.self, hot: [.sink(Probe<Trade>.self)])
}
