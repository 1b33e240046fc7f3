import NullSink
import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct NullSinkTests {
  @Test func `counts events and the runs they came in`() async throws {
    let harness = PluginHarness()
    try await harness.consume([Array(repeating: Trade.schema.example, count: 2500)], by: Plugin.nullSink)
    #expect(harness.counter("events") == 2500)
    // Batches of at most 1,024.
    #expect(harness.counter("runs") == 3)
  }

  @Test func `takes any event type, one at a time`() async throws {
    let harness = PluginHarness()
    try await harness.consume([[DeadLetter.schema.example]], by: Plugin.nullSink)
    #expect(harness.counters == ["events": 1, "runs": 1])
    await #expect(throws: HarnessError.self) {
      try await harness.consume([Feed([Trade.schema.example]), Feed([Quote.schema.example])], by: Plugin.nullSink)
    }
  }

  @Test func `has no options`() async {
    await #expect {
      try await PluginHarness().consume([[Trade.schema.example]], by: Plugin.nullSink, options: "path: x")
    } throws: { "\($0)" == "options.yaml:1:1: error: unknown option 'path'; there are none" }
  }
}
