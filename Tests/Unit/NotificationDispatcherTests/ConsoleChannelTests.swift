import EventBus
import Glibc
import NotificationDispatcher
import StockbusPlugin
import StockbusTestKit
import StockbusTerminal
import TestTerminal
import Testing

/// Alerts on standard output.
@Suite(.timeLimit(.minutes(15))) struct ConsoleChannelTests {
  private let options = "{ rules: [{ name: high, symbol: AAPL, above: 200 }], channels: [{ console: {} }] }"

  private func alerts(on screen: FakeTerminal) async throws -> PluginHarness {
    let harness = PluginHarness(id: "alerts", services: Services(screen.terminal))
    let _: [Alert] = try await harness.output(of: Plugin.notificationDispatcher, options: options, inputs: [trades([19_990, 20_010])])
    return harness
  }

  @Test func `an alert is a line above what is drawn in place`() async throws {
    let screen = FakeTerminal(columns: 70, rows: 6)
    try await screen.terminal.setBlock(["the table"], owner: "screen")
    let harness = try await alerts(on: screen)
    #expect(screen.rows == ["1970-01-01T00:00:01Z high: AAPL is above 200: 200.10", "the table"])
    #expect(screen.model.complaints == [])
    #expect(harness.counter("console delivered") == 1)
  }

  @Test func `an alert that cannot be written is a dead letter with the reason`() async throws {
    let screen = FakeTerminal(output: .pipe)
    screen.fail(with: ENOSPC)
    let harness = try await alerts(on: screen)
    #expect(
      harness.deadLetters.map(\.reason)
        == ["not delivered: standard output: cannot write to standard output: No space left on device"])
    #expect(harness.deadLetters.map(\.origin) == ["channel console"])
    #expect(harness.counter("console failed") == 1)
  }
}
