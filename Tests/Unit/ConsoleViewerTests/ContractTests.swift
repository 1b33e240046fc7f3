import ConsoleViewer
import StockbusPlugin
import StockbusTestKit
import Testing

@Suite struct ContractTests {
  @Test func `console_viewer keeps the contract`() async {
    let violations = await checkContract(
      .consoleViewer, options: "state: '-'",
      inputs: [
        Feed([Trade.schema.example]), Feed([Ranked.schema.example]), Feed([Mover.schema.example]), Feed([Bar.schema.example]),
        Feed([Order.schema.example]),
        Feed([Fill.schema.example]), Feed([Position.schema.example]), Feed([AccountState.schema.example]),
      ])
    #expect(violations == [])
  }

  @Test func `without a full screen nothing can be opened`() async throws {
    let harness = PluginHarness()
    let running: RunningPlugin<Trade> = try harness.start(
      Blueprint.sink(ConsoleViewer.self), options: "{ plain: true, state: '-' }", taking: Trade.self, emitting: Trade.self)
    try await running.send([Trade.schema.example])
    await running.delivered()
    let error = await #expect(throws: CommandError.self) { _ = try await running.perform("open AAPL") }
    #expect(error?.description == "'plugin' has no pages here: 'plain: true' prints lines; leave it out for the full screen")
    try await running.stop()
    #expect(harness.counter("events") == 1)
  }

  @Test(arguments: [
    ("columns: [price, price]", "options.yaml:1:1: error: 'columns' names a column twice"),
    ("sort: trend", "options.yaml:1:1: error: the table cannot be sorted by 'trend'"),
    ("refresh: 10ms", "options.yaml:1:10: error: 'refresh' must be between 34ms and 1m, got 10ms"),
  ])
  func `options that cannot be are refused`(options: String, message: String) async {
    let harness = PluginHarness()
    do {
      try await harness.consume([[Trade.schema.example]], by: Plugin.consoleViewer, options: options)
      Issue.record("accepted")
    } catch { #expect("\(error)" == message) }
  }
}
