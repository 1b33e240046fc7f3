import EventBus
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Testing

/// The clock of a run, over a machine's clock that is set.
@Suite(.timeLimit(.minutes(15))) struct SteadyTimekeeperTests {
  private let machine = ManualTimekeeper()
  private let log = CapturedLog()
  private let clock: SteadyTimekeeper

  init() { clock = SteadyTimekeeper(machine, log.logger()) }

  /// Seconds after the machine's epoch, 13:30.
  private var now: Double { Double(clock.now.ns - machine.epoch.ns) / 1e9 }

  @Test func `it follows the machine's clock`() {
    machine.advance(by: .seconds(5))
    #expect(clock.now == machine.now)
    machine.advance(by: .seconds(86_400))
    #expect(clock.now == machine.now)
    #expect(clock.uptime == machine.uptime)
    #expect(log.lines.isEmpty)
  }

  @Test func `when the machine's clock is set back, it goes on, and the step is named once`() {
    machine.advance(by: .seconds(10))
    #expect(now == 10)
    machine.advance(by: .seconds(1))
    machine.step(by: .seconds(-3600))
    #expect(now == 11)
    machine.advance(by: .milliseconds(250))
    #expect(now == 11.25)
    #expect(clock.wall == machine.now)
    #expect(
      log.texts(.warning) == [
        "warning the machine's clock was set back by 1h, to 2013-10-08T12:30:11Z; receive times go on evenly, 1h ahead of it, until it is set forward or the run is started again"
      ])
  }

  @Test func `when the machine's clock is set to rights again, it is followed again`() {
    machine.step(by: .seconds(-20))
    #expect(now == 0)
    machine.advance(by: .seconds(5))
    #expect(now == 5)
    machine.step(by: .seconds(12))
    #expect(now == 5)
    machine.step(by: .seconds(8))
    machine.advance(by: .seconds(1))
    #expect(now == 6)
    #expect(clock.now == machine.now)
    #expect(
      log.texts(.warning).map { String($0.drop { $0 != ";" }) } == [
        "; receive times go on evenly, 20s ahead of it, until it is set forward or the run is started again",
        "; receive times go on evenly, 8s ahead of it, until it is set forward or the run is started again",
        "; receive times follow it again",
      ])
  }

  @Test func `a clock that is set to rights a little short of the step is followed again`() {
    machine.step(by: .seconds(-3600))
    #expect(now == 0)
    machine.step(by: .seconds(3600) - .microseconds(10))
    #expect(now == 0)
    #expect(log.texts(.warning).last?.hasSuffix("; receive times follow it again") == true)
  }

  @Test func `when the machine's clock is set forward, it goes with it`() {
    machine.step(by: .seconds(3600))
    machine.advance(by: .seconds(2))
    #expect(now == 3602)
    #expect(
      log.texts(.warning) == [
        "warning the machine's clock was set forward by 1h, to 2013-10-08T14:30:02Z, or the machine has slept; receive times go with it, so what was due in between is due now"
      ])
    // Where it was wrong, and is set to rights: that is a step back.
    machine.step(by: .seconds(-3600))
    machine.advance(by: .seconds(2))
    #expect(now == 3604)
  }

  @Test func `a leap second is waited for`() {
    machine.advance(by: .seconds(3))
    #expect(now == 3)
    machine.step(by: .seconds(-1))
    #expect(now == 3)
    machine.advance(by: .milliseconds(500))
    #expect(now == 3)
    machine.advance(by: .milliseconds(700))
    #expect(now == 3.2)
    #expect(log.lines.isEmpty)
  }

  @Test func `a run goes on with its bars when the machine's clock is set back`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: rung } }
      processors: { bars: { plugin: seconds, inputs: [ticks] } }
      sinks: { out: { plugin: kept_bars, inputs: [bars] } }
      """, plugins: [.rung, .seconds, KeptBars.plugin])
    async let report = harness.run()
    let second = Duration.seconds(1) + .nanoseconds(1)
    while (try? await harness.perform("ticks ring")) == nil { await Task.yield() }
    await harness.clock.waitForSleeper(until: second)
    harness.clock.advance(by: second)
    await KeptBars.bars.wait { $0.count == 1 }
    harness.clock.step(by: .seconds(-3600))
    _ = try await harness.perform("ticks ring")
    await harness.clock.waitForSleeper(until: .seconds(2) + .nanoseconds(1))
    harness.clock.advance(by: second)
    await KeptBars.bars.wait { $0.count == 2 }
    _ = try await harness.perform("ticks end")
    #expect(await report.exitStatus == 0)
    #expect(KeptBars.bars.value.map { $0.received.ns - harness.clock.epoch.ns } == [1_000_000_000, 2_000_000_000])
    #expect(harness.log.texts(.warning).count { $0.contains("set back by 1h") } == 1)
  }
}

private actor KeptBars: Sink {
  struct Settings: Options { init() {} }
  static let bars = Watched<[Bar]>([])
  static let plugin = Plugin("kept_bars", "Keeps bars.", .sink(KeptBars.self))
  init(_: Settings, _: Context) {}
  func receive(_ events: Span<Bar>) { for i in events.indices { Self.bars.update { $0.append(events[i]) } } }
}
