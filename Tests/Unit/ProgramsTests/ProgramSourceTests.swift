import Programs
import StockbusTestKit
import Testing

/// Programs that make events.
@Suite(.timeLimit(.minutes(15))) struct ProgramSourceTests {
  private let scripts = Scripts()
  private let harness = PluginHarness()

  private func line(_ events: [Trade]) -> String {
    #"say '{"events":["# + events.map { Trade.schema.json($0) }.joined(separator: ",") + "]}'"
  }

  @Test func `its events are published until it ends`() async throws {
    let script = scripts.program(ready: #"say '{"ready":true}'; \#(line(trades(3))); \#(line(trades(2))); say '{"ended":true}'"#)
    let events: [Trade] = try await harness.first(10, of: Plugin.programSource, options: scripts.options(script))
    #expect(events == trades(3) + trades(2))
  }

  @Test func `it is asked to stop, and may send what it has`() async throws {
    let script = scripts.program(
      ready: #"say '{"ready":true}'; \#(line(trades(2)))"#, cases: #"'{"stop"'*) \#(line(trades(1))); say '{"ended":true}' ;;"#)
    let running: RunningPlugin<Trade> = try harness.start(
      Plugin.programSource, options: scripts.options(script), emitting: Trade.self)
    _ = await running.output(count: 2)
    try await running.stop()
    #expect(running.output == trades(2) + trades(1))
  }

  @Test func `commands are answered between its events`() async throws {
    let script = scripts.program(
      ready: #"say '{"ready":true}'"#,
      cases: #"'{"command"'*) \#(line(trades(2))); say '{"reply":"two"}'; \#(line(trades(1))) ;; '{"stop"'*) say '{"ended":true}' ;;"#)
    let running: RunningPlugin<Trade> = try harness.start(
      Plugin.programSource, options: scripts.options(script), emitting: Trade.self)
    #expect(try await running.perform("send more") == "two")
    #expect(await running.output(count: 3) == trades(2) + trades(1))
    try await running.stop()
  }

  @Test func `a program that ends without a word has failed`() async throws {
    let script = scripts.program(ready: #"say '{"ready":true}'; \#(line(trades(2))); exit 7"#)
    await #expect {
      let _: [Trade] = try await harness.first(10, of: Plugin.programSource, options: scripts.options(script))
    } throws: { "\($0)" == "the program ended with status 7" }
  }
}
