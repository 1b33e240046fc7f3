import StockbusPlugin
import StockbusTestKit
import Testing

@Suite struct FakeRunTests {
  /// Sends a command to another component, and then stops the run.
  actor Asker: Sink {
    private let context: Context
    init(_: NoOptions, _ context: Context) { self.context = context }
    func receive(_ events: Span<Trade>) async {
      guard let able = context.run.components.first(where: { !$0.commands.isEmpty }) else { return }
      _ = try? await context.run.perform(Command(verb: "raise", arguments: ["AAPL"]), on: able.id)
      context.run.stop()
    }
  }

  @Test func `a component under test sees the run that the test has set, and what it asks is kept`() async throws {
    let ticks = RunComponent(id: "ticks", kind: .source, plugin: "generator", commands: [CommandInfo("raise SYMBOL", "Raises.")])
    let run = FakeRun(components: [ticks])
    let harness = PluginHarness(run: run)
    try await harness.consume([[Trade.schema.example]], by: Blueprint.sink(Asker.self))
    #expect(run.commands == ["ticks raise AAPL"])
    #expect(run.isStopped)
    await run.waitForCommands(1)
    #expect(run.offering(Bell.self, by: "ticks", Bell()).components(offering: Bell.self).map(\.id) == ["ticks"])
    run.offering(Int.self, by: "other", 7)
    #expect(try run.door(Int.self, of: "other") == 7)
    #expect(throws: CommandError.offersNo("other", door: "Bell")) { try run.door(Bell.self, of: "other") }
    #expect(throws: CommandError.unknownComponent("nobody")) { try run.door(Bell.self, of: "nobody") }
    await run.waitForStop()
  }
}
