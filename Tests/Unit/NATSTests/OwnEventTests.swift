import EventBus
import StockbusConfig
import StockbusTestKit
import TestServers
import Testing

@testable import NATS

/// An event type that no plugin of stockbus knows.
private struct Heartbeat: Event, Hashable {
  var machine: String
  var number: Int64
  var time: Timestamp

  static let schema = EventSchema<Heartbeat>(
    "heartbeat", "A machine is alive.", time: \.time,
    example: Heartbeat(machine: "a", number: 1, time: Timestamp(ns: 1_381_239_000_000_000_000)),
    fields: [
      .init("machine", \.machine, "Its name."), .init("number", \.number, "Counted from 1."), .init("time", \.time, "When it was."),
    ])

  static func beats(_ count: Int) -> [Heartbeat] {
    (1...count).map { Heartbeat(machine: "m\($0 % 3)", number: Int64($0), time: Timestamp(ns: Int64($0))) }
  }
}

private actor Pulse: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_ events: Span<Heartbeat>) {}
}

/// Event types of an author, by way of NATS.
@Suite(.timeLimit(.minutes(15))) struct OwnEventTests {
  @Test(arguments: ["", "\nbatch: 7"]) func `an author's event goes out and comes in by its name`(batch: String) async throws {
    let server = try await FakeNATS()
    let harness = PluginHarness()
    try await harness.consume(
      [Heartbeat.beats(20)], by: Plugin.natsOut, options: server.options("stream: TICKS\nsubject: ticks.beats\ninput: live" + batch))
    let reader = try harness.start(
      Plugin.natsIn.declaring(Heartbeat.self), options: server.options("stream: TICKS\nevent: heartbeat"), emitting: Heartbeat.self)
    #expect(await reader.output(count: 20) == Heartbeat.beats(20))
    #expect(harness.deadLetters == [])
    try? await reader.stop()
    await server.close()
  }

  @Test func `a reader of other events says which option reads them`() async throws {
    let server = try await FakeNATS()
    let harness = PluginHarness()
    try await harness.consume(
      [Heartbeat.beats(1)], by: Plugin.natsOut, options: server.options("stream: TICKS\nsubject: ticks.beats\ninput: live"))
    let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS"), emitting: Trade.self)
    await harness.notices.letters.wait { !$0.isEmpty }
    let reason = try #require(harness.deadLetters.first).reason
    #expect(reason.hasPrefix("it has 'heartbeat "))
    #expect(reason.hasSuffix("; 'event: heartbeat' reads it"))
    try? await reader.stop()
    await server.close()
  }

  @Test func `with an author's event it keeps the contract`() async throws {
    let server = try await FakeNATS()
    let writing = Task {
      var asked = 0
      while !Task.isCancelled {
        let before = asked
        await server.lines.wait { $0.count { $0.contains("CONSUMER.MSG.NEXT") } > before }
        asked += 1
        for beat in Heartbeat.beats(50) { server.store(.init(subject: "ticks.beats", payload: Heartbeat.schema.json(beat))) }
      }
    }
    let violations = await checkContract(
      .natsIn.declaring(Heartbeat.self), options: server.options("stream: TICKS\nevent: heartbeat"), jumps: .milliseconds(100))
    writing.cancel()
    await writing.value
    #expect(violations == [])
    await server.close()
  }

  private static func text(_ event: String) -> String {
    """
    sources: { beats: { plugin: nats_in, servers: "nats://127.0.0.1:1", subject: beats, event: \(event) } }
    sinks: { pulse: { plugin: pulse, inputs: [beats] } }
    """
  }

  @Test func `a configuration's schema names all types`() throws {
    let schema = Catalogue([.natsIn, Plugin("pulse", "Takes beats.", .sink(Pulse.self))]).configSchema
    #expect(try #require(schema["$defs"]?["event_type"]).description.contains(#""health","heartbeat","mover""#))
    let option = try #require(schema["$defs"]?["plugin_nats_in"]?["properties"]?["event"])
    #expect(option["$ref"] == "#/$defs/event_type")
    #expect(option["default"] == "trade")
  }

  @Test func `a type that another plugin brings along is one of those that 'event' names`() throws {
    let plugins = [.natsIn, Plugin("pulse", "Takes beats.", .sink(Pulse.self))]
    let harness = try PipelineHarness(Self.text("heartbeat"), plugins: plugins)
    #expect(harness.topology.nodes.first?.blueprint.output == Heartbeat.self)
    do throws(Problems) {
      _ = try PipelineHarness(Self.text("hartbeat"), plugins: plugins)
      Issue.record("there is no such type")
    } catch {
      #expect(
        error.description
          == "plugins.yaml:1:92: error: source 'beats': 'event' must be one of account, alert, bar, connection_status, dead_letter, fill, gap, "
          + "health, heartbeat, mover, order, position, quote, ranked, trade, got 'hartbeat'; did you mean 'heartbeat'?")
    }
  }
}
