import Foundation
import StockbusConfig
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import Stockbus
@testable import StockbusProgram

/// Configurations of several runs that are given together.
@Suite struct SeparateTests {
  private static let gate = """
    sources: { ticks: { plugin: generator } }
    sinks:
      out: { plugin: nats_out, inputs: [ticks], servers: [nats://a, nats://b], stream: TICKS, subject: "ticks.{partition}", partitions: 4 }
    """
  private static let worker = """
    sources:
      ticks: { plugin: nats_in, servers: nats://b, stream: TICKS, subject: "ticks.{partition}", partitions: [0, 1, 2, 3] }
    processors:
      ranked: { plugin: sorting_feed, inputs: [ticks], by: percent, top: 20, ties: name }
    sinks:
      out: { plugin: nats_out, inputs: [ranked], servers: nats://a, stream: "RANKED_${WORKER}", subject: "ranked.${WORKER}" }
    """
  private static let desk = """
    sources:
      list: { plugin: nats_in, servers: nats://a, event: ranked, stream: RANKED_0 }
    processors:
      ranked: { plugin: sorting_feed, inputs: [list], by: percent, top: 20, merge_lists: true }
    sinks:
      screen: { plugin: null_sink, inputs: [ranked] }
    """

  /// The configurations, of which one text has been changed.
  private func checked(_ texts: [String]) throws -> (topologies: [Topology], check: OriginCheck) {
    let folder = TemporaryFolder()
    let catalogue = Catalogue(.builtIn)
    let topologies = try zip(["gate", "worker", "desk"], texts).map { name, text in
      let path = folder.file("\(name).yaml")
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      return try Topology.check(ConfigLoader(environment: { ["WORKER": "0"][$0] }).load(paths: [path]), catalogue: catalogue)
    }
    return (topologies, OriginCheck(topologies))
  }

  private func problems(_ texts: [String]) throws -> [String] {
    try checked(texts).check.problems.sorted.map { $0.description.replacing(#/[^ (]*\/(?=[a-z]+\.yaml)/#, with: "") }
  }

  private func doubts(_ texts: [String]) throws -> [String] {
    try checked(texts).check.doubts.map { $0.replacing(#/[^ (]*\/(?=[a-z]+\.yaml)/#, with: "") }
  }

  @Test func `what fits has no problems`() throws {
    #expect(try problems([Self.gate, Self.worker, Self.desk]) == [])
    #expect(try doubts([Self.gate, Self.worker, Self.desk]) == [])
  }

  @Test func `the other type of event is reported where it is read`() throws {
    let desk = Self.desk.replacing("event: ranked, stream: RANKED_0", with: "event: ranked, stream: TICKS")
    #expect(
      try problems([Self.gate, Self.worker, desk]) == [
        "desk.yaml:2:54: error: source 'list': reads ranked from NATS stream 'TICKS', but sink 'out' (gate.yaml:3:3) writes trade to it"
      ])
  }

  @Test func `a partition that is not written is reported, one that is not read is told`() throws {
    #expect(
      try problems([Self.gate, Self.worker.replacing("2, 3]", with: "2, 4]"), Self.desk])
        == ["worker.yaml:2:105: error: source 'ticks': sink 'out' (gate.yaml:3:3) writes no 'ticks.4' to NATS stream 'TICKS'"])
    #expect(
      try doubts([Self.gate, Self.worker.replacing("2, 3]", with: "2]"), Self.desk])
        == ["gate.yaml:3:133: warning: sink 'out': none of these configurations reads 'ticks.3' of NATS stream 'TICKS'"])
  }

  @Test func `a stream that nobody writes, or nobody reads, is told; on other servers it is another one`() throws {
    #expect(
      try doubts([Self.gate.replacing("nats://a, nats://b", with: "nats://c"), Self.worker, Self.desk]) == [
        "worker.yaml:2:56: warning: source 'ticks': none of these configurations writes NATS stream 'TICKS'; "
          + "sink 'out' (gate.yaml:3:3) writes it on other servers",
        "gate.yaml:3:74: warning: sink 'out': none of these configurations reads NATS stream 'TICKS'; "
          + "source 'ticks' (worker.yaml:2:3) reads it on other servers",
      ])
  }

  @Test func `two writers of a stream, and two readers of one durable name, are told`() throws {
    let other = Self.gate.replacing("  out:", with: "  other:")
    let rival =
      "worker.yaml:3:86: warning: sink 'other': sink 'out' (gate.yaml:3:3) is already the writer of NATS stream 'TICKS', and there can be only one, "
      + "unless 'ids' are given"
    #expect(try doubts([Self.gate, other]).filter { !$0.contains("none of these") } == [rival])
    let ids = { (text: String) in text.replacing("stream: TICKS", with: "ids: [symbol, time], stream: TICKS") }
    #expect(try doubts([Self.gate, ids(other)]).filter { !$0.contains("none of these") } == [])
    let durable = Self.worker.replacing("stream: TICKS", with: "durable: a, stream: TICKS")
    #expect(
      try doubts([Self.gate, durable, durable]).first { $0.contains("durable") }
        == "desk.yaml:2:68: warning: source 'ticks': source 'ticks' (worker.yaml:2:3) is already the reader 'a' of NATS stream 'TICKS', and "
        + "there can be only one, so give each reader its own 'durable'")
  }

  @Test(arguments: [
    ("core.all", "core.>", true), ("core.{symbol}", "core.>", true), ("core.all", "core.*", true), ("core.all", "cores.*", false),
  ])
  func `subjects without a stream match by their wildcards`(_ written: String, _ read: String, _ isSame: Bool) throws {
    let gate = """
      sources: { ticks: { plugin: generator } }
      sinks: { out: { plugin: nats_out, inputs: [ticks], servers: nats://a, subject: "\(written)" } }
      """
    let worker = """
      sources: { ticks: { plugin: nats_in, servers: nats://a, subject: "\(read)" } }
      sinks: { end: { plugin: null_sink, inputs: [ticks] } }
      """
    #expect(try doubts([gate, worker]).count == (isSame ? 0 : 2))
    #expect(try problems([gate, worker]) == [])
  }

  @Test func `lists that cannot be merged exactly are refused across configurations`() throws {
    let worker = Self.worker.replacing("by: percent, top: 20, ties: name", with: "by: price, top: 10")
    #expect(
      try problems([Self.gate, worker, Self.desk]) == [
        "desk.yaml:4:44: error: processor 'ranked': its input 'list' has equal keys in the order of "
          + "their appearance in processor 'ranked' (worker.yaml:4:3), which the other lists do not know; write 'ties: name' there",
        "desk.yaml:4:55: error: processor 'ranked': its input 'list' is ordered by price in processor 'ranked' (worker.yaml:4:3), so 'by' "
          + "must be the same",
        "desk.yaml:4:69: error: processor 'ranked': its input 'list' has fewer ranks than 'top' (see 'top' of processor 'ranked' (worker.yaml:4:3)), so "
          + "the ranks after them are unknown; 'top' may be at most that number",
      ])
    let single = Self.desk.replacing(", merge_lists: true", with: "")
    #expect(try problems([Self.gate, Self.worker, single]).map { $0.prefix(21) } == ["desk.yaml:4:44: error"])
  }

  @Test func `graph of several configurations shows what is between them`() throws {
    let topologies = try checked([Self.gate, Self.worker, Self.desk]).topologies
    let drawing = Drawing(zip(["gate.yaml", "worker.yaml", "desk.yaml"], topologies).map { Drawing.Part(title: $0, topology: $1) })
    try expect(drawing.asText(width: nil), is: "graph-separate.txt")
    try expect(drawing.asMermaid, is: "graph-separate.mmd")
    try expect(drawing.asDOT, is: "graph-separate.dot")
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `the program checks configurations each by itself and then together`() throws {
    let folder = TemporaryFolder()
    for (name, text) in [("gate", Self.gate), ("worker", Self.worker), ("desk", Self.desk)] {
      try text.write(toFile: folder.file("\(name).yaml"), atomically: true, encoding: .utf8)
    }
    func run(_ command: String) throws -> (status: Int32, output: String, errors: String) {
      try ProgramTests.run(
        command.split(separator: " ").map(String.init), in: URL(filePath: folder.path), environment: ["WORKER": "1"])
    }
    let valid = try run("validate --separate gate.yaml worker.yaml desk.yaml")
    #expect(valid.status == 0)
    #expect(
      valid.output == """
        gate.yaml: valid: 2 components, 1 edge
        worker.yaml: valid: 3 components, 2 edges
        desk.yaml: valid: 3 components, 2 edges

        """)
    #expect(
      valid.errors == """
        desk.yaml:2:70: warning: source 'list': none of these configurations writes NATS stream 'RANKED_0'
        worker.yaml:6:73: warning: sink 'out': none of these configurations reads NATS stream a text with the value of ${WORKER}

        """)
    #expect(try run("graph --separate gate.yaml worker.yaml").output.contains("NATS stream TICKS"))
    try Self.worker.replacing("ties: name", with: "ties: name, isolation: process").write(
      toFile: folder.file("apart.yaml"), atomically: true, encoding: .utf8)
    #expect(try run("graph apart.yaml").output.contains("ranked     sorting_feed (isolation: process)  ranked  ticks"))
    // As one configuration they have names in common.
    #expect(try run("validate gate.yaml worker.yaml").status == 78)
    try Self.desk.replacing("ranked, stream", with: "trade, stream").write(
      toFile: folder.file("desk.yaml"), atomically: true, encoding: .utf8)
    #expect(try run("validate --separate gate.yaml worker.yaml desk.yaml").status == 78)
  }
}
