import EventBus
import Programs
import StockbusTestKit
import Testing

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

  static let beats = (1...5).map { Heartbeat(machine: "m", number: $0, time: Timestamp(ns: $0)) }
  static var lines: String { beats.map { Heartbeat.schema.json($0) + "\n" }.joined() }
}

/// Event types of an author, made by programs.
@Suite(.timeLimit(.minutes(15))) struct OwnEventTests {
  private let scripts = Scripts()
  private let harness = PluginHarness()
  private var beats: String { Heartbeat.beats.map { Heartbeat.schema.json($0) }.joined(separator: ",") }

  @Test func `a source may emit them, in messages and as plain lines`() async throws {
    let source = Plugin.programSource.declaring(Heartbeat.self)
    let script = scripts.program(ready: #"say '{"ready":true}'; say '{"events":[\#(beats)]}'; say '{"ended":true}'"#)
    #expect(try await harness.first(5, of: source, options: scripts.options(script, "emits: heartbeat")) == Heartbeat.beats)
    scripts.folder.put(Heartbeat.lines, in: "beats")
    let options = "run: [/bin/cat, \(scripts.folder.file("beats"))]\nprotocol: lines\nemits: heartbeat"
    #expect(try await harness.first(5, of: source, options: options) == Heartbeat.beats)
    #expect(await checkContract(source, options: options) == [])
  }

  @Test func `a processor may emit them for events of another type`() async throws {
    let processor = Plugin.programProcessor.declaring(Heartbeat.self)
    let script = scripts.program(events: #"say '{"events":[\#(beats)]}'; say "{\"done\":$n}""#)
    let output: [Heartbeat] = try await harness.output(
      of: processor, options: scripts.options(script, "emits: heartbeat"), inputs: [trades(1)])
    #expect(output == Heartbeat.beats)
    let again: [Heartbeat] = try await harness.output(of: processor, options: scripts.options(scripts.program()), inputs: [Heartbeat.beats])
    #expect(again == Heartbeat.beats)
    #expect(await checkContract(processor, options: scripts.options(scripts.program(), "emits: trade")) == [])
  }

  @Test func `a type that nothing brings along is an error that says which there are`() async {
    await #expect {
      let _: [Heartbeat] = try await harness.first(1, of: Plugin.programSource, options: "run: [cat]\nemits: heartbeat")
    } throws: { error in
      "\(error)".contains("2:8: error: 'emits' must be one of account, alert, bar, ") && "\(error)".hasSuffix(", trade, got 'heartbeat'")
    }
  }
}
