import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusRuntime

/// Runs whose sources give nothing: no success for whoever has started the program.
@Suite(.timeLimit(.minutes(15))) struct EmptySourceTests {
  private func text(_ source: String) -> String {
    "sources: { source: { \(source) } }\nsinks: { keep: { plugin: keep, inputs: [source] } }"
  }

  /// Statuses of a plain run, a lenient one and a strict one, and the last line of the first.
  private func verdict(_ report: RunReport) -> (plain: Int32, lenient: Int32, strict: Int32, line: String) {
    let text = report.text(isQuiet: true, isLenient: false)
    #expect(report.text(isQuiet: true, isLenient: true) == "" && report.exitStatus == 0)
    return (
      report.exitStatus(isStrict: false, isLenient: false), report.exitStatus(isStrict: false, isLenient: true),
      report.exitStatus(isStrict: true, isLenient: false), text
    )
  }

  @Test(
    arguments: [
      ("count: 0", 0, "source ended without an event"),
      ("count: 0, rejects: 1", 65, "source sent no event, only 1 dead letter: bad"),
      ("count: 0, rejects: 3000", 65, "source sent no event, only 3,000 dead letters, the first: bad"),
    ] as [(String, Int32, String)])
  func `a source that ends without an event, or with dead letters only, is status 1 unless the run is lenient`(
    options: String, strict: Int32, line: String
  ) async throws {
    try await journalled { _ in
      let report = try await pipeline(text("plugin: numbers, \(options)")).run()
      let (plain, lenient, withStrict, last) = verdict(report)
      #expect(plain == 1 && lenient == 0 && withStrict == (strict == 0 ? 1 : strict))
      #expect(last == "FAILED: \(line) (--lenient accepts this)")
    }
  }

  @Test func `one event is enough, whatever else was set aside`() async throws {
    try await journalled { _ in
      let report = try await pipeline(text("plugin: numbers, count: 1, rejects: 3000")).run()
      #expect(report.emptySources.isEmpty && report.exitStatus(isStrict: false, isLenient: false) == 0)
    }
  }

  @Test(
    arguments: [
      (["disconnected"], true), (["connecting", "disconnected", "connecting"], true), (["failed"], true), (["connecting"], false),
      ([], false), (["disconnected", "connecting", "connected", "disconnected"], false), (["failed", "loaded", "failed"], false),
      (["failed", "empty"], false), (["malformed"], false),
    ] as [([String], Bool)])
  func `a venue that was never reached until the stop has given nothing; one that was, or had no chance, has not`(
    says: [String], isEmpty: Bool
  ) async throws {
    try await journalled { journal in
      let harness = try pipeline(text("plugin: venue, says: [\(says.joined(separator: ", "))]"))
      async let running = harness.run()
      await journal.wait(for: "said")
      harness.stop()
      let (plain, lenient, strict, line) = verdict(await running)
      #expect(plain == (isEmpty ? 1 : 0) && lenient == 0 && strict == plain)
      #expect(line == (isEmpty ? "FAILED: source was never connected: because (--lenient accepts this)" : ""))
    }
  }

  @Test func `a stop before the first event is no failure, unless all that came was set aside`() async throws {
    for rejects in [0, 2] {
      try await journalled { journal in
        let harness = try pipeline(text("plugin: numbers, count: 0, hold: true, rejects: \(rejects)"))
        async let running = harness.run()
        await journal.wait(for: "source has sent everything")
        harness.stop()
        #expect(verdict(await running).plain == (rejects == 0 ? 0 : 1))
      }
    }
  }

  @Test func `a source that sends events around and gets none back has given nothing; one that gets none is not to blame`() async throws {
    for count in [0, 3] {
      try await journalled { _ in
        let report = try await pipeline(
          """
          sources: { numbers: { plugin: numbers, count: \(count) }, back: { plugin: echo, inputs: [numbers], rejects: true } }
          sinks: { keep: { plugin: keep, inputs: [back] } }
          """
        ).run()
        #expect(report.emptySources.map(\.id) == [count == 0 ? "numbers" : "back"])
      }
    }
  }

  @Test func `of several the last line says how many, and those before it which`() async throws {
    try await journalled { _ in
      let report = try await pipeline(
        """
        sources: { a: { plugin: numbers, count: 0 }, b: { plugin: numbers, count: 0, rejects: 2 } }
        sinks: { keep: { plugin: keep, inputs: [a, b] } }
        """
      ).run()
      #expect(
        verdict(report).line == """
          a ended without an event (--lenient accepts this)
          b sent no event, only 2 dead letters, the first: bad (--lenient accepts this)
          FAILED: 2 sources sent no event
          """)
    }
  }

  @Test func `a source that a change has put out of the run need not have given anything`() async throws {
    try await journalled { journal in
      let both = """
        sources: { a: { plugin: numbers, count: 3, hold: true }, b: { plugin: venue, says: [disconnected] } }
        sinks: { keep: { plugin: keep, inputs: [a, b] } }
        """
      let harness = try pipeline(both)
      async let running = harness.run()
      await journal.wait(for: "said")
      await journal.wait(until: "keep", has: 3)
      try await harness.apply(
        "sources: { a: { plugin: numbers, count: 3, hold: true } }\nsinks: { keep: { plugin: keep, inputs: [a] } }")
      harness.stop()
      #expect(verdict(await running).plain == 0)
    }
  }
}
