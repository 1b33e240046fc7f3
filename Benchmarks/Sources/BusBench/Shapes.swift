internal import Logging
internal import Measuring
internal import StockbusConfig
internal import StockbusPlugin
internal import StockbusRuntime

/// The topologies; each is a configuration as a user writes it.
enum Shape: String, CaseIterable {
  /// One reader, three readers, and a chain of three readers, of which two send the events to the next.
  case fanout1, fanout3, stages3

  func yaml(events: Int, batch: Int) -> String {
    let source = "sources:\n  ticks: { plugin: ticks, events: \(events), batch: \(batch) }\n"
    switch self {
    case .fanout1: return source + "sinks:\n  end: { plugin: tally, inputs: [ticks], events: \(events) }\n"
    case .fanout3:
      let sinks = (1...3).map { "  end\($0): { plugin: tally, inputs: [ticks], events: \(events) }\n" }
      return source + "sinks:\n" + sinks.joined()
    case .stages3:
      return source + """
        processors:
          one: { plugin: stage, inputs: [ticks], add: 1 }
          two: { plugin: stage, inputs: [one], add: 2 }
        sinks:
          end: { plugin: tally, inputs: [two], events: \(events) }

        """
    }
  }
}

enum BenchError: Error {
  case failed(String)
}

/// One repetition through the whole runtime: configuration, supervision, ledger.
func runPipeline(_ shape: Shape, events: Int, batch: Int) async throws -> Report {
  Scoreboard.shared.reset()
  let config = ConfigLoader().load(text: shape.yaml(events: events, batch: batch))
  let topology = try Topology.check(config, catalogue: Catalogue([.ticks, .stage, .tally]))
  let report = await Pipeline(topology, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }).run()
  guard report.exitStatus == 0, report.ledger.isBalanced else { throw BenchError.failed("\(report)") }
  return Scoreboard.shared.report
}
