import FlashLogger
import Glibc
import StockbusPlugin
import StockbusTerminal
import StockbusTestKit
import TestTerminal
import Testing

/// The pane on a terminal, with a manual clock: a frame every 50 ms while something fades.
@Suite(.timeLimit(.minutes(15))) struct PaneTests {
  private let clock = ManualTimekeeper()
  private let screen = FakeTerminal(columns: 60, rows: 12)

  private func start(_ options: String = "", on screen: FakeTerminal? = nil) throws -> (RunningPlugin<Trade>, PluginHarness) {
    let harness = PluginHarness(id: "flashes", clock: clock, services: Services((screen ?? self.screen).terminal))
    return (try harness.start(Plugin.flashLogger, options: options, taking: Trade.self, emitting: Trade.self), harness)
  }

  /// Sends trades, and returns when they are on the screen.
  private func send(_ prices: [(Symbol, Int64)], from first: Int64 = 0, to running: RunningPlugin<Trade>) async throws {
    try await running.send(trades(prices, from: first))
    await running.delivered()
    await clock.waitForSleeper(until: clock.uptime + frame)
  }

  private let frame = Duration.milliseconds(50)

  /// Lets this many frames be drawn, one after the other.
  private func pass(frames: Int) async {
    for _ in 0..<frames {
      clock.advance(by: frame)
      await clock.waitForSleeper(until: clock.uptime + frame)
    }
  }

  private static let rise = "00:00:01.000Z ▲ AIG 48.80 → 48.90 +0.10 (+0.20%)"
  private static let fall = "00:00:03.000Z ▼ IBM 80.00 → 79.00 -1.00 (-1.25%)"

  @Test func `a change flashes, fades in steps of a quarter, a half and all of its time, and stays dim`() async throws {
    let (running, _) = try start()
    try await send([("AIG", 4880), ("AIG", 4890)], to: running)
    var looks: [(Int, [String])] = [(0, screen.looks)]
    for i in 1...20 {
      await pass(frames: 1)
      if screen.looks != looks.last?.1 { looks.append((i * 50, screen.looks)) }
    }
    #expect(looks.map(\.0) == [0, 250, 500, 1000])
    #expect(
      looks.map(\.1) == [
        ["[bold inverse bright green: \(Self.rise)]"], ["[bold bright green: \(Self.rise)]"], ["[green: \(Self.rise)]"],
        ["[dim green: \(Self.rise)]"],
      ])
    // Each style was sent once, and nothing for the frames between.
    #expect(screen.writes == 4)
    try await running.stop()
    #expect(screen.model.complaints == [])
  }

  @Test func `each line fades for itself, and rises and falls have colours of their own`() async throws {
    let (running, harness) = try start("fade: 400ms")
    try await send([("AIG", 4880), ("AIG", 4890)], to: running)
    await pass(frames: 4)
    #expect(screen.looks == ["[green: \(Self.rise)]"])
    try await running.send(trades([("IBM", 8000), ("IBM", 7900)], from: 2))
    await running.delivered()
    await pass(frames: 1)
    // 250 ms and 50 ms old: the second line came between two frames, at 200 ms.
    #expect(screen.looks == ["[green: \(Self.rise)]", "[bold inverse bright red: \(Self.fall)]"])
    await pass(frames: 3)
    #expect(screen.looks == ["[dim green: \(Self.rise)]", "[red: \(Self.fall)]"])
    await pass(frames: 4)
    #expect(screen.looks == ["[dim green: \(Self.rise)]", "[dim red: \(Self.fall)]"])
    try await running.stop()
    #expect(harness.counter("changes") == 2)
  }

  @Test func `the pane keeps its last lines, and what is too long is cut at the window's edge`() async throws {
    let narrow = FakeTerminal(columns: 30, rows: 12)
    let (running, _) = try start("{ pane: 2, fade: 0s }", on: narrow)
    try await send([("A", 1000), ("A", 1010), ("A", 1020), ("A", 1030)], to: running)
    #expect(narrow.looks == ["[dim green: 00:00:02.000Z ▲ A 10.10 → 10.2]", "[dim green: 00:00:03.000Z ▲ A 10.20 → 10.3]"])
    narrow.resize(columns: 20, rows: 12)
    try await running.stop()
    #expect(narrow.rows.suffix(2) == ["00:00:02.000Z ▲ A 10", "00:00:03.000Z ▲ A 10"])
    #expect(narrow.model.complaints == [])
  }

  @Test func `while nothing fades nobody is awake`() async throws {
    let (running, _) = try start("fade: 100ms")
    try await send([("AIG", 4880), ("AIG", 4890)], to: running)
    await pass(frames: 2)
    #expect(screen.looks == ["[dim green: \(Self.rise)]"])
    let writes = screen.writes
    clock.advance(by: .seconds(3600))
    try await send([("IBM", 8000), ("IBM", 7900)], from: 2, to: running)
    // One frame in an hour: for the next change.
    #expect(screen.writes == writes + 1)
    #expect(screen.looks == ["[dim green: \(Self.rise)]", "[bold inverse bright red: \(Self.fall)]"])
    try await running.stop()
  }

  @Test func `at the end everything is faded, and the lines stay when the terminal is given back`() async throws {
    let (running, _) = try start()
    try await send([("AIG", 4880), ("AIG", 4890)], to: running)
    await pass(frames: 1)
    #expect(screen.looks == ["[bold inverse bright green: \(Self.rise)]"])
    #expect(!screen.model.isCursorVisible)
    try await running.stop()
    try await screen.terminal.restore()
    try await screen.terminal.print("the ledger")
    #expect(screen.looks == ["[dim green: \(Self.rise)]", "the ledger"])
    #expect(screen.model.isCursorVisible && screen.model.wraps)
    #expect(screen.model.complaints == [])
  }

  @Test func `a frame that was on its way at the end is as faded as the last one`() async throws {
    let (running, _) = try start()
    try await send([("AIG", 4880), ("AIG", 4890)], to: running)
    // The next frame becomes due while the last one is still being written, as on a slow terminal.
    let (clock, frame) = (clock, frame)
    screen.whenWritten { clock.advance(by: frame) }
    try await running.stop()
    try await screen.terminal.restore()
    #expect(screen.looks == ["[dim green: \(Self.rise)]"])
  }

  @Test func `without a pane lines are printed for good, as they come`() async throws {
    let (running, _) = try start("pane: 0")
    try await running.send(trades([("AIG", 4880), ("AIG", 4890)]))
    await running.delivered()
    #expect(screen.looks == ["[dim green: \(Self.rise)]"])
    #expect(screen.model.isCursorVisible)
    try await running.stop()
  }

  @Test func `JSON lines on a terminal are whole`() async throws {
    let (running, _) = try start("format: jsonl")
    try await running.send(trades([("AIG", 4880), ("AIG", 4890)]))
    try await running.stop()
    let line =
      #"{"time":"1970-01-01T00:00:01Z","symbol":"AIG","direction":"up","old":48.80,"new":48.90,"change":0.10,"percent":0.204918032}"#
    #expect(screen.model.logicalLines.filter { !$0.isEmpty } == [line])
  }

  @Test func `elsewhere lines are plain`() async throws {
    let pipe = FakeTerminal(output: .pipe)
    let (running, _) = try start(on: pipe)
    try await running.send(trades([("AIG", 4880), ("AIG", 4890)]))
    try await running.stop()
    #expect(pipe.piped == Self.rise + "\n")
    #expect(pipe.rows == [])
  }

  @Test func `a harness without a terminal shows nothing to anybody`() async throws {
    let harness = PluginHarness()
    try await harness.consume([trades([("AIG", 4880), ("AIG", 4890)])], by: Plugin.flashLogger)
    #expect(harness.counter("changes") == 1)
    #expect(!harness.context.terminal.capabilities.isTerminal)
  }

  @Test func `a terminal that is gone is said once, and a pipe's reader that has gone ends the run`() async throws {
    let (running, harness) = try start()
    try await send([("AIG", 4880), ("AIG", 4890)], to: running)
    screen.fail(with: EIO)
    clock.advance(by: .milliseconds(250))
    await harness.log.wait(for: "is no longer drawn")
    try await running.send(trades([("IBM", 8000), ("IBM", 7900)], from: 2))
    try await running.stop()
    #expect(
      harness.log.texts(.error) == ["error flashes: cannot write to standard output: Input/output error; the pane is no longer drawn"])

    let pipe = FakeTerminal(output: .pipe)
    pipe.fail(with: EPIPE)
    let (unread, _) = try start(on: pipe)
    try await unread.send(trades([("AIG", 4880), ("AIG", 4890)]))
    let error = await #expect(throws: EnvironmentFailure.self) { try await unread.stop() }
    #expect(error?.description == "cannot write to standard output: Broken pipe")
  }
}
