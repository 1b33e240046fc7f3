import ConsoleViewer
import Glibc
import StockbusPlugin
import StockbusTerminal
import StockbusTestKit
import TestTerminal
import Testing

/// The viewer on a terminal: opening the screen, drawing, restoring the terminal, and running without one.
@Suite(.timeLimit(.minutes(15))) struct TerminalTests {
  private let clock = ManualTimekeeper()
  private let run = FakeRun()

  private func start(_ options: String = "state: '-'", on screen: FakeTerminal) throws -> (RunningPlugin<Trade>, PluginHarness) {
    let harness = PluginHarness(id: "screen", clock: clock, run: run, services: Services(screen.terminal))
    return (try harness.start(Plugin.consoleViewer, options: options, taking: Trade.self, emitting: Trade.self), harness)
  }

  private let prices: [Trade] = ([("AAPL", 18_925), ("AAPL", 18_950)] as [(Symbol, Int64)]).enumerated().map { i, price in
    let time = Timestamp(ns: opening + Int64(i) * second)
    return Trade(symbol: price.0, price: Price(raw: price.1 * 10_000_000), size: 1, time: time, received: time, priceDecimals: 2)
  }

  /// Advances the clock until the terminal meets the condition.
  private func see(_ screen: FakeTerminal, _ condition: @escaping @Sendable (ScreenModel) -> Bool) async {
    await clock.running { await screen.wait(until: condition) }
  }

  private static let taken = ["keyboard opened", "keys one by one", "other screen on"]
  private static let given = ["other screen off", "keys as they were found", "keyboard closed"]

  @Test func `the window is taken before anything is drawn, given back as a whole, and the last prices are left`() async throws {
    let screen = FakeTerminal()
    try await screen.terminal.print("what stood there")
    let (running, _) = try start(on: screen)
    await screen.wait { $0.isFullScreen }
    #expect(screen.journal == Self.taken)
    #expect(screen.model.hasMouse && !screen.model.isCursorVisible)
    try await running.send(prices)
    await see(screen) { $0.text.contains { $0.contains("AAPL") && $0.contains("189.50") } }
    #expect(!screen.rows.contains("what stood there"))

    try await clock.running { try await running.stop() }
    #expect(screen.journal == Self.taken + Self.given)
    #expect(screen.rows.first == "what stood there")
    #expect(screen.rows.contains { $0.contains("AAPL") && $0.contains("189.50") })
    #expect(screen.model.isCursorVisible && screen.model.wraps && !screen.model.hasMouse)
    #expect(screen.model.complaints == [])
  }

  @Test func `who presses q asks the run to stop, and no table is left`() async throws {
    let screen = FakeTerminal()
    let (running, _) = try start(on: screen)
    await screen.wait { $0.isFullScreen }
    try await running.send(prices)
    await see(screen) { $0.text.contains { $0.contains("189.50") } }
    screen.type("q")
    await clock.running { await run.waitForStop() }
    try await clock.running { try await running.stop() }
    #expect(screen.journal == Self.taken + Self.given)
    #expect(screen.rows == [])
  }

  @Test func `what others print meanwhile comes when the window is free again, the log's only where it matters`() async throws {
    let screen = FakeTerminal()
    let (running, _) = try start(on: screen)
    await screen.wait { $0.isFullScreen }
    try await screen.terminal.print("an answer", to: .standardError)
    try await screen.terminal.print("a warning", to: .standardError, role: .log(isImportant: true))
    try await screen.terminal.print("a remark", to: .standardError, role: .log(isImportant: false))
    #expect(screen.model.isFullScreen)
    try await clock.running { try await running.stop() }
    #expect(screen.rows == ["an answer", "a warning"])
  }

  @Test func `the picture follows the window, and comes back after Ctrl-Z`() async throws {
    let screen = FakeTerminal(columns: 100, rows: 30)
    let (running, _) = try start(on: screen)
    await screen.wait { $0.isFullScreen }
    try await running.send(prices)
    await see(screen) { $0.text.contains { $0.contains("189.50") } }
    screen.resize(columns: 60, rows: 12)
    await see(screen) { $0.screen.last?.text.isEmpty == false && $0.text.contains { $0.contains("189.50") } }
    #expect(screen.rows.count == 12)

    screen.suspend()
    await screen.wait(for: "process stopped")
    #expect(screen.journal == Self.taken + ["other screen off", "keys as they were found", "process stopped"])
    #expect(screen.model.isCursorVisible && screen.rows == [])
    screen.resume()
    await see(screen) { $0.isFullScreen && $0.text.contains { $0.contains("189.50") } }
    #expect(screen.journal.suffix(2) == ["keys one by one", "other screen on"])
    try await clock.running { try await running.stop() }
    #expect(screen.journal.suffix(3) == Self.given)
    #expect(screen.model.complaints == [])
  }

  @Test func `a window that was closed asks the run to stop`() async throws {
    let screen = FakeTerminal()
    let (running, _) = try start(on: screen)
    await screen.wait { $0.isFullScreen }
    screen.close()
    await clock.running { await run.waitForStop() }
    try await clock.running { try await running.stop() }
    #expect(screen.journal == Self.taken + Self.given)
  }

  /// The reasons why there is no full screen, with a terminal for each.
  enum Obstacle: CaseIterable, Sendable {
    case inline, keyboardTaken, noKeyboard, background, anotherScreen

    var sentence: String {
      switch self {
      case .inline: "'screen: inline' draws a table in place; leave it out for the full screen"
      case .keyboardTaken: "'--commands -' reads the keyboard; give it a file or a named pipe for the full screen"
      case .noKeyboard: "there is no keyboard: neither standard input nor /dev/tty is a terminal"
      case .background: "it was started in the background; start it in the foreground for the full screen"
      case .anotherScreen: "'other' uses the screen"
      }
    }
  }

  @Test(arguments: Obstacle.allCases)
  func `where the window cannot be had a table is drawn in place, and pages are refused with the reason`(_ obstacle: Obstacle) async throws
  {
    let screen = FakeTerminal()
    var options = "state: '-'"
    switch obstacle {
    case .inline: options = "{ state: '-', screen: inline }"
    case .keyboardTaken: screen.terminal.takeKeyboard()
    case .noKeyboard: screen.refuseKeyboard(.noKeyboard)
    case .background: screen.refuseKeyboard(.background)
    case .anotherScreen: #expect(try await screen.terminal.openScreen(owner: "other") { _ in } == nil)
    }
    let journal = screen.journal
    let (running, _) = try start(options, on: screen)
    try await running.send(prices)
    await running.delivered()
    let error = await #expect(throws: CommandError.self) { _ = try await running.perform("open AAPL") }
    #expect(error?.description == "'screen' has no pages here: \(obstacle.sentence)")
    if obstacle == .anotherScreen {
      try await clock.running { try await running.stop() }
      try await screen.terminal.closeScreen(owner: "other")
    } else {
      await see(screen) { $0.text.contains { $0.contains("AAPL") && $0.contains("189.50") } }
      #expect(!screen.model.isFullScreen && !screen.model.isCursorVisible)
      #expect(screen.journal == journal)
      try await clock.running { try await running.stop() }
    }
    try await screen.terminal.restore()
    // The table stays.
    #expect(screen.rows.contains { $0.contains("AAPL") && $0.contains("189.50") })
    #expect(screen.model.isCursorVisible && screen.model.complaints == [])
  }

  @Test(arguments: [
    ("pipe", "standard output is not a terminal, so it prints lines; run it on a terminal for the full screen"),
    (
      "dumb",
      "TERM says that this terminal cannot move its cursor, so it prints lines; set TERM, such as TERM=xterm-256color, for the full screen"
    ),
  ])
  func `where nothing can be drawn lines are printed`(place: String, sentence: String) async throws {
    let screen = place == "pipe" ? FakeTerminal(output: .pipe) : FakeTerminal(environment: ["TERM": "dumb", "LANG": "C.UTF-8"])
    let (running, _) = try start(on: screen)
    try await running.send(prices)
    await running.delivered()
    let error = await #expect(throws: CommandError.self) { _ = try await running.perform("open AAPL") }
    #expect(error?.description == "'screen' has no pages here: \(sentence)")
    try await running.stop()
    let lines = place == "pipe" ? screen.piped.split(separator: "\n").map(String.init) : screen.rows
    #expect(lines.count == 2 && lines.allSatisfy { $0.contains("AAPL") })
    #expect(screen.journal == [])
  }

  @Test func `a terminal that cannot be written to is given back, and the viewer fails for good`() async throws {
    let screen = FakeTerminal()
    screen.fail(with: EIO)
    let (running, _) = try start(on: screen)
    let error = await #expect(throws: EnvironmentFailure.self) { try await running.stop() }
    #expect(error?.description == "cannot write to standard output: Input/output error")
    #expect(error?.isPermanent == true)
    #expect(screen.journal == ["keyboard opened", "keys one by one", "keys as they were found", "keyboard closed"])
  }

  @Test func `a harness without a terminal shows nothing to anybody`() async throws {
    let harness = PluginHarness()
    try await harness.consume([prices], by: Plugin.consoleViewer, options: "state: '-'")
    #expect(harness.counter("events") == 2)
  }
}
