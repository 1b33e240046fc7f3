import Stockbus
import StockbusConfig
import StockbusTestKit
import Testing

@testable import StockbusProgram

/// `sample: 1s` of an input: a component stands in between.
@Suite struct SampledEdgeTests {
  private func topology(_ one: String, two: String = "ranked", sample: String = "1s") throws(Problems) -> Topology {
    let text = """
      sources: { ticks: { plugin: generator, count: 1 } }
      processors: { ranked: { plugin: sorting_feed, inputs: [ticks] } }
      sinks:
        one: { plugin: null_sink, inputs: [\(one)] }
        two: { plugin: null_sink, inputs: [{ from: \(two), sample: \(sample), overflow: conflate }] }
      """
    return try Topology.check(ConfigLoader().load(text: text), catalogue: Catalogue(.builtIn), mayBeUnread: true)
  }

  private func inputs(_ topology: Topology) -> [String] {
    topology.nodes.filter { !$0.inputs.isEmpty }.map { node in "\(node.id) < \(node.inputs.map(\.from).joined(separator: ", "))" }.sorted()
  }

  @Test func `readers that want the same share a sample`() throws {
    #expect(
      inputs(try topology("{ from: ranked, sample: 1s }")) == [
        "one < ranked.sample_1s", "ranked < ticks", "ranked.sample_1s < ranked", "two < ranked.sample_1s",
      ])
    #expect(
      inputs(try topology("ranked", two: "ticks", sample: "500ms")) == [
        "one < ranked", "ranked < ticks", "ticks.sample_500ms < ticks", "two < ticks.sample_500ms",
      ])
  }

  @Test(arguments: [
    ("ranked", "soon", ["5:62: sink 'two': input 'ranked': 'sample' must be a duration such as 250ms, got 'soon'"]),
    ("ranked", "1us", ["5:62: processor 'ranked.sample_1us': 'every' must be between 1ms and 1d, got 1us"]),
    ("rankd", "1s", ["5:46: processor 'rankd.sample_1s': unknown input 'rankd'; did you mean 'ranked'?"]),
    (
      "health", "1s",
      [
        "5:62: processor 'health.sample_1s': 'every' needs events about a symbol or an account, of each of which one is sent, and health has neither",
        "5:66: sink 'two': 'overflow: conflate' needs events about a symbol, but its input 'health.sample_1s' emits health",
      ]
    ),
  ])
  func `mistakes are told where they are`(from: String, sample: String, messages: [String]) {
    do throws(Problems) {
      _ = try topology("ticks", two: from, sample: sample)
      Issue.record("no error")
    } catch {
      #expect(error.list.map { "\($0.mark.line):\($0.mark.column): \($0.message)" } == messages)
    }
  }
}
