import StockbusTestKit
import Testing

@testable import StockbusRuntime

@Suite(.timeLimit(.minutes(15))) struct FlowTests {
  @Test func `three republishing stages and a fan-out neither hang nor lose with tiny rings`() async throws {
    try await journalled { journal in
      let count = 20_000
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: \(count), single: true, output: { capacity: 2 } } }
        processors:
          one: { plugin: pass, inputs: [ticks], output: { capacity: 2 } }
          two: { plugin: async_pass, inputs: [one], output: { capacity: 4 } }
          three: { plugin: pass, inputs: [two], output: { capacity: 2 } }
        sinks:
          a: { plugin: keep, inputs: [three] }
          b: { plugin: keep, inputs: [three] }
          c: { plugin: keep, inputs: [one] }
          d: { plugin: keep, inputs: [ticks] }
        """)
      let end = await harness.run()
      let all = Array(1...Int64(count))
      for id in ["a", "b", "c", "d"] { #expect(journal.received(by: id) == all) }
      #expect(end.ledger.total == counts(in: 7 * count, delivered: 7 * count))
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `a component with several inputs gets each of them in order`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 5000, output: { capacity: 4 } } }
        processors: { odd: { plugin: pass, inputs: [ticks], output: { capacity: 2 } }, even: { plugin: pass, inputs: [ticks] } }
        sinks: { end: { plugin: keep, inputs: [odd, even, ticks] } }
        """)
      let end = await harness.run()
      let numbers = journal.received(by: "end")
      #expect(numbers.sorted() == (1...5000).flatMap { [$0, $0, $0] })
      #expect(end.counts("even", "end") == counts(in: 5000, delivered: 5000))
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `the run's seed and the component's name decide random numbers`() async throws {
    func throwDice(_ seed: Int, id: String = "dice") async throws -> [Int64] {
      try await journalled { journal in
        let harness = try pipeline(
          """
          runtime: { seed: \(seed) }
          sources: { \(id): { plugin: dice } }
          sinks: { end: { plugin: keep, inputs: [\(id)] } }
          """)
        _ = await harness.run()
        return journal.received(by: "end")
      }
    }
    let first = try await throwDice(1)
    #expect(first.count == 5)
    #expect(try await throwDice(1) == first)
    #expect(try await throwDice(2) != first)
    #expect(try await throwDice(1, id: "other") != first)
  }

  @Test func `commands that cannot be carried out say why`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        "{ sources: { ticks: { plugin: numbers, hold: true } }, sinks: { end: { plugin: keep, inputs: [ticks] } } }")
      #expect(await refusal(harness, "ticks raise") == "'ticks' is not running")
      async let report = harness.run()
      await journal.wait(for: "ticks has sent everything")
      #expect(await refusal(harness, "tick raise AAPL") == "no component 'tick'; did you mean 'ticks'?")
      #expect(await refusal(harness, "market raise AAPL") == "no component 'market'")
      #expect(await refusal(harness, "ticks raise AAPL") == "'ticks' takes no commands")
      #expect(await refusal(harness, "ticks") == "a line is COMPONENT COMMAND …, got 'ticks'")
      harness.pipeline.stop()
      _ = await report
      #expect(await refusal(harness, "ticks raise") == "'ticks' is not running")
      #expect(harness.pipeline.commands.isEmpty)
    }
  }

  private func refusal(_ harness: PipelineHarness, _ line: String) async -> String {
    do throws(CommandError) { return "did: " + (try await harness.perform(line)) } catch { return error.description }
  }
}
