import ConsoleViewer
import FlashLogger
import NotificationDispatcher
import StockbusPlugin
import StockbusTerminal
import StockbusTestKit
import TestTerminal
import Testing

/// Several components share one terminal, as in a run.
@Suite(.timeLimit(.minutes(15))) struct SharedTerminalTests {
  private let clock = ManualTimekeeper()
  private let screen = FakeTerminal(columns: 80, rows: 24)
  private let prices: [(Symbol, Int64)] = [("AIG", 4880), ("AIG", 4890)]
  private static let flash = "00:00:01.000Z ▲ AIG 48.80 → 48.90 +0.10 (+0.20%)"

  private func start<Out: Event>(
    _ plugin: Plugin, _ id: String, _ options: String, emitting _: Out.Type = Trade.self
  ) throws -> RunningPlugin<Out> {
    try PluginHarness(id: id, clock: clock, services: Services(screen.terminal))
      .start(plugin, options: options, taking: Trade.self, emitting: Out.self)
  }

  /// Advances the clock until the terminal meets the condition.
  private func see(_ condition: @escaping @Sendable (ScreenModel) -> Bool) async {
    await clock.running { await screen.wait(until: condition) }
  }

  @Test func `a table, a pane under it and lines above both tear nothing, whoever ends first`() async throws {
    let viewer: RunningPlugin<Trade> = try start(.consoleViewer, "screen", "{ screen: inline, state: '-' }")
    await see { !$0.text.isEmpty }
    let flashes: RunningPlugin<Trade> = try start(.flashLogger, "flashes", "fade: 0s")
    let alerts: RunningPlugin<Alert> = try start(
      .notificationDispatcher, "alerts", "{ rules: [{ name: high, above: 48.85 }], channels: [{ console: {} }] }", emitting: Alert.self)
    try await viewer.send(trades(prices))
    try await flashes.send(trades(prices))
    await see { $0.text.last == Self.flash && $0.text.contains { $0.contains("48.90") && !$0.contains("→") } }
    try await alerts.send(trades(prices))
    await see { $0.text.first?.contains("high: AIG is above 48.85: 48.90") == true }
    let table = screen.rows.dropFirst().dropLast()
    #expect(table.contains { $0.contains("AIG") && $0.contains("48.90") })
    #expect(screen.rows.last == Self.flash)

    // A component that has ended leaves its last table above the output of the others.
    try await clock.running { try await viewer.stop() }
    #expect(screen.rows.contains { $0.contains("AIG") && $0.contains("48.90") && !$0.contains("→") })
    #expect(screen.rows.last == Self.flash)
    try await flashes.stop()
    try await alerts.stop()
    try await screen.terminal.restore()
    #expect(screen.rows.filter { $0.contains("48.90") }.count == 3)
    #expect(screen.model.isCursorVisible && screen.model.complaints == [])
  }

  @Test func `under a full screen the pane is a part of it, and stands alone when the screen is given back`() async throws {
    let viewer: RunningPlugin<Trade> = try start(.consoleViewer, "screen", "state: '-'")
    await screen.wait { $0.isFullScreen }
    let flashes: RunningPlugin<Trade> = try start(.flashLogger, "flashes", "fade: 0s")
    let alerts: RunningPlugin<Alert> = try start(
      .notificationDispatcher, "alerts", "{ rules: [{ name: high, above: 48.85 }], channels: [{ console: {} }] }", emitting: Alert.self)
    try await viewer.send(trades(prices))
    try await flashes.send(trades(prices))
    await see { $0.text.contains { $0.contains(Self.flash) } && $0.text.contains { $0.contains("48.90") && !$0.contains("→") } }
    #expect(screen.model.isFullScreen)
    try await alerts.send(trades(prices))
    await alerts.delivered()
    try await alerts.stop()
    #expect(screen.model.isFullScreen)

    try await clock.running { try await viewer.stop() }
    #expect(!screen.model.isFullScreen)
    // The lines printed meanwhile, the last table, and the pane below, which continues.
    #expect(screen.rows.first?.contains("high: AIG is above 48.85: 48.90") == true)
    #expect(screen.rows.contains { $0.contains("AIG") && $0.contains("48.90") && !$0.contains("→") && !$0.contains("high") })
    #expect(screen.rows.last == Self.flash)
    try await flashes.stop()
    try await screen.terminal.restore()
    #expect(screen.model.complaints == [])
  }
}
