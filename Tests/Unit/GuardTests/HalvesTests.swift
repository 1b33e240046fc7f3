import StockbusConfig
import StockbusRuntime
import StockbusTestKit
import Testing

@testable import Guard

/// `NAME.odd` in a configuration.
@Suite(.timeLimit(.minutes(15))) struct HalvesTests {
  private func text(_ options: String = "odd: 20%, of: 5", edge: String = "ticks") -> String {
    """
    sources: { ticks: { plugin: jumpy } }
    processors:
      clean: { plugin: guard, inputs: [\(edge)], \(options) }
    sinks:
      good: { plugin: forget, inputs: [clean] }
      bad: { plugin: forget, inputs: [clean.odd] }
    """
  }

  private func problems(_ text: String) -> String {
    do throws(Problems) {
      _ = try PipelineHarness(text, plugins: [.guard, .jumpy, .forget])
      return ""
    } catch { return error.description }
  }

  @Test func `each event is in one of the halves, which both read the inputs`() async throws {
    let report = await (try PipelineHarness(text(), plugins: [.guard, .jumpy, .forget])).run()
    // 10, 10, 10, 20, 10.
    func counts(_ to: String) -> [Int] {
      report.ledger.edges.filter { $0.to == to }.flatMap { [$0.counts.published, $0.counts.filtered, $0.counts.delivered] }.map { Int($0) }
    }
    #expect(counts("clean") == [5, 1, 4] && counts("good") == [4, 0, 4])
    #expect(counts("clean.odd") == [5, 4, 1] && counts("bad") == [1, 0, 1])
    #expect(report.ledger.edges.filter { $0.to.hasPrefix("clean") }.allSatisfy { $0.from == "ticks" })
    #expect(report.exitStatus == 0)
  }

  @Test func `a mistake in the options of both is told once`() {
    let text = problems(text("odd: 20%, of: 1"))
    #expect(text.split(separator: "\n").count == 1)
    #expect(text.hasPrefix("plugins.yaml:3:") && text.contains("processor 'clean': 'of'"), "\(text)")
  }

  @Test func `an edge that drops events would give the halves different ones`() {
    let text = problems(text(edge: "{ from: ticks, overflow: drop_oldest }"))
    #expect(
      text.contains("processor 'clean': 'clean.odd' has to get the same events, so its input 'ticks' needs 'overflow: block'"), "\(text)")
  }

  @Test func `another half is not there`() {
    #expect(problems(text().replacing("clean.odd", with: "clean.od")).contains("did you mean 'clean.odd'?"))
  }
}

actor Jumpy: Source {
  init(_: NoOptions, _: Context) {}
  func run(into output: inout Outlet<Trade>) async throws { for trade in trades([10, 10, 10, 20, 10]) { output.send(trade) } }
}

actor Forget: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_: Span<Trade>) {}
}

extension Plugin {
  static let jumpy = Plugin("jumpy", "Sends five.", .source(Jumpy.self))
  static let forget = Plugin("forget", "Forgets.", .sink(Forget.self))
}
