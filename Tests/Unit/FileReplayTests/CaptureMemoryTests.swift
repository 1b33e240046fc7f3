import FileReplay
import StockbusPlugin
import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct CaptureMemoryTests {
  @Test func `messages that are larger than the budget pass one by one, and all of them`() async throws {
    let folder = TemporaryFolder()
    let text = String(repeating: "x", count: 3000)
    let rows = (0..<300).map { "\(1_700_000_000_000_000_000 + $0) {\"n\":\($0),\"text\":\"\($0 % 3 == 0 ? text : "")\"}\n" }
    folder.put(rows.joined(), in: "long.raw")
    let harness = try PipelineHarness(
      """
      sources: { live: { plugin: file_replay, path: \(folder.file("long.raw")), format: raw, event: raw, output: { memory: 1KiB } } }
      sinks:
        all: { plugin: probe, inputs: [live] }
        some: { plugin: probe, inputs: [{ from: live, overflow: drop_oldest, memory: 4KiB }] }
      """, plugins: [.fileReplay, .probe])
    let report = await harness.run()
    let counts = report.ledger.edges.map(\.counts)
    #expect(counts.first?.delivered == 300)
    #expect(counts.last.map { $0.delivered + $0.dropped } == 300)
    #expect(report.exitStatus == 0)
  }
}
