import FileReplay
import Foundation
import MarketData
import Recorder
import StockbusDecoding
import StockbusPlugin
import StockbusTestKit
import Testing

/// Messages of Binance, each with its time of receipt.
private func capture(_ count: Int) -> String {
  (1...count).map { i in
    let trade =
      #"{"stream":"btcusdt@trade","data":{"e":"trade","s":"BTCUSDT","t":\#(i),"p":"\#(60_000 + i % 7).50","q":"0.\#(i)","T":\#(1_723_161_600_000 + i),"m":\#(i % 2 == 0)}}"#
    return "\(1_723_161_600_000_000_000 + i * 1_000_003) \(trade)\n"
  }.joined()
}

@Suite(.timeLimit(.minutes(15))) struct RecorderTests {
  let folder = TemporaryFolder()

  private func run(_ text: String, _ plugins: [Plugin] = [.fileReplay, .recorder]) async throws -> RunReport {
    await (try PipelineHarness(text, plugins: plugins)).run()
  }

  private func record(_ options: String = "", as name: String = "out.raw") async throws -> RunReport {
    try await run(
      """
      sources: { all: { plugin: file_replay, path: \(folder.file("in.raw")), format: raw, event: raw } }
      sinks: { kept: { plugin: recorder, inputs: [all], path: \(folder.file(name)), \(options) } }
      """)
  }

  private func trades(_ name: String) async throws -> [Trade] {
    let harness = PluginHarness()
    return try await harness.output(
      of: Plugin.fileReplay, options: "{ path: \(folder.file(name)), preset: binance }", feeds: [], as: Trade.self)
  }

  @Test func `a capture that is replayed and recorded is the same, byte for byte, and gives the same events`() async throws {
    let text = capture(3000)
    folder.put(text, in: "in.raw")
    let report = try await record()
    #expect(report.exitStatus == 0)
    #expect(folder.content("out.raw") == text)
    let before = try await trades("in.raw")
    #expect(before.count == 3000)
    #expect(try await trades("out.raw") == before)
  }

  @Test func `a file that is no recording is not gone on with`() throws {
    func fault(_ text: String, raw: Bool) throws -> String? {
      try Data(text.utf8).write(to: URL(filePath: folder.file("r")))
      defer { folder.remove("r") }
      let (use, settings) = (FileUse.writing(folder.file("r"), at: "path"), RecorderSettings())
      return raw ? Recorder<RawMessage>.fault(in: use, settings) : Recorder<Trade>.fault(in: use, settings)
    }
    let end = ": another path leaves it alone, 'append: false' empties it first"
    #expect(try fault(capture(2), raw: true) == nil)
    #expect(try fault("", raw: true) == nil)
    #expect(try fault("my notes\n", raw: true) == "it begins with 'my notes', which is not a line of a capture" + end)
    #expect(try fault("\u{feff}\n {\"a\":1}\n", raw: false) == nil)
    #expect(try fault("time,price\n", raw: false) == "it begins with 'time,price', which is no JSON line" + end)
  }

  @Test func `rotated parts hold whole lines, and together everything`() async throws {
    let text = capture(200)
    folder.put(text, in: "in.raw")
    _ = try await record("rotate: 2KiB, keep: 100")
    var parts = folder.names.filter { $0.hasPrefix("out.raw.") }.compactMap { Int($0.dropFirst(8)) }.sorted(by: >).map {
      folder.content("out.raw.\($0)")
    }
    #expect(parts.count > 10 && parts.allSatisfy { $0.hasSuffix("}}\n") && $0.utf8.count <= 2048 })
    parts.append(folder.content("out.raw"))
    #expect(parts.joined() == text)
  }

  @Test func `events are recorded as JSON lines that replay to themselves`() async throws {
    folder.put(capture(50), in: "in.raw")
    let report = try await run(
      """
      sources: { live: { plugin: file_replay, path: \(folder.file("in.raw")), preset: binance } }
      sinks: { kept: { plugin: recorder, inputs: [live], path: \(folder.file("out.jsonl")) } }
      """)
    #expect(report.exitStatus == 0)
    #expect(
      folder.content("out.jsonl").split(separator: "\n").first
        == #"{"symbol":"BTCUSDT","price":60001.50,"size":0.1,"side":"buy","time":"2024-08-09T00:00:00.001Z","received":"2024-08-09T00:00:00.001000003Z"}"#
    )
    let again = try await PluginHarness().output(
      of: Plugin.fileReplay, options: "path: \(folder.file("out.jsonl"))", feeds: [], as: Trade.self)
    #expect(again == (try await trades("in.raw")))
  }

  @Test func `line ends inside a message become blanks, and a message can be kept as JSON`() async throws {
    let message = RawMessage(component: "live", received: Timestamp(ns: 5), text: "{\n  \"a\":\r\n 1 }")
    try await PluginHarness().consume([[message]], by: Plugin.recorder, options: "path: \(folder.file("a.raw"))")
    #expect(folder.content("a.raw") == "5 {   \"a\":   1 }\n")
    try await PluginHarness().consume([[message]], by: Plugin.recorder, options: "{ path: \(folder.file("a.jsonl")), format: jsonl }")
    #expect(
      folder.content("a.jsonl") == #"{"component":"live","received":"1970-01-01T00:00:00.000000005Z","text":"{\n  \"a\":\r\n 1 }"}"# + "\n")
  }

  @Test func `raw is for raw messages only`() {
    #expect(throws: Problems.self) {
      try PipelineHarness(
        """
        sources: { live: { plugin: file_replay, path: x } }
        sinks: { kept: { plugin: recorder, inputs: [live], path: y, format: raw } }
        """, plugins: [.fileReplay, .recorder])
    }
  }

  @Test func `a full disk fails the run, and what was lost is counted`() async throws {
    folder.put(capture(10), in: "in.raw")
    let report = try await run(
      """
      sources: { all: { plugin: file_replay, path: \(folder.file("in.raw")), event: raw } }
      sinks: { kept: { plugin: recorder, inputs: [all], path: /dev/full, patience: 0s } }
      """)
    #expect(report.ledger.lost == 10 && report.exitStatus == 1)
  }

  @Test func `recorder keeps the contract`() async {
    let message = RawMessage.schema.example
    #expect(await checkContract(.recorder, options: "path: /dev/null", inputs: [Feed([message, message])]) == [])
    #expect(await checkContract(.recorder, options: "path: /dev/null", inputs: [Feed([Trade.schema.example])]) == [])
  }

  @Test func `messages have a complete declaration`() { #expect(RawMessage.schema.undeclaredProperties() == []) }
}
