import StockbusPlugin
import StockbusTestKit
import TestSupport
import Testing

@testable import StockbusRuntime

/// Sinks that get time.
@Suite(.timeLimit(.minutes(15))) struct TimedSinkTests {
  private func trade(_ symbol: Symbol = "A", _ milliseconds: Int) -> Trade {
    let time = Timestamp(ns: Int64(milliseconds) * 1_000_000)
    return Trade(symbol: symbol, price: 1, size: 1, time: time, received: time)
  }

  /// What the sink of a run says.
  private func said(_ run: Int) -> [String] { Hush.said.value[run] ?? [] }

  @Test func `what the next event makes due is done before it, and several inputs come in the order of their receipts`() async throws {
    try await PluginHarness().consume(
      [[trade("A", 0), trade("A", 1000), trade("A", 3000)], [trade("B", 900), trade("B", 1000)]], by: Hush.plugin, options: "run: 1")
    #expect(said(1) == ["A 0", "B 900", "A 1000", "B 1000", "silent 2000", "A 3000", "drained"])
  }

  @Test func `the watermark makes due what no event does`() async throws {
    let running = try PluginHarness().start(Hush.plugin, options: "run: 2", taking: [Trade.self, Trade.self])
    try await running.send([trade("A", 100)])
    await running.advance(to: Timestamp(ns: 1_099_999_999), input: 0)
    await running.advance(to: Timestamp(ns: 5_000_000_000), input: 1)
    await Hush.said.wait { $0[2] == ["A 100"] }
    await running.advance(to: Timestamp(ns: 1_100_000_000), input: 0)
    await Hush.said.wait { $0[2] == ["A 100", "silent 1100"] }
    // The second input might still bring what was received before.
    try await running.send([trade("A", 6000)])
    await running.advance(to: Timestamp(ns: 6_000_000_000), input: 1)
    await Hush.said.wait { $0[2]?.last == "A 6000" }
    try await running.stop()
    #expect(said(2) == ["A 100", "silent 1100", "A 6000", "drained"])
  }

  /// Whatever the batches and the watermarks between them are.
  @Test func `batches and watermarks change nothing`() async throws {
    var random = SplitMix(21)
    let moments = (0..<300).map { _ in random.upTo(200_000) }.sorted()
    try await PluginHarness().consume([moments.map { trade("A", $0) }], by: Hush.plugin, options: "run: 3")
    for round in 0..<rounds(5) {
      let running = try PluginHarness().start(Hush.plugin, options: "run: \(100 + round)", taking: [Trade.self])
      var rest = moments[...]
      while let first = rest.first {
        if random.upTo(2) == 0 { await running.advance(to: Timestamp(ns: Int64(first) * 1_000_000 - Int64(1 + random.upTo(3_000_000_00)))) }
        let batch = rest.prefix(1 + random.upTo(40))
        try await running.send(batch.map { trade("A", $0) })
        rest = rest.dropFirst(batch.count)
        if random.upTo(1) == 0 { await running.delivered() }
      }
      try await running.stop()
      #expect(said(100 + round) == said(3))
    }
  }

  @Test func `in a live run without events the clock moves time, as far as the sink asks`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: rung } }
      processors: { b: { plugin: in_order, inputs: [ticks] } }
      sinks: { out: { plugin: hush, inputs: [b], run: 4 } }
      """, plugins: [.rung, .inOrder, Hush.plugin])
    async let report = harness.run()
    while (try? await harness.perform("ticks ring")) == nil { await Task.yield() }
    // A second after the epoch of the clock.
    await harness.clock.waitForSleeper(until: .seconds(1) + .nanoseconds(1))
    harness.clock.advance(by: .seconds(1) + .nanoseconds(1))
    await Hush.said.wait { $0[4]?.count == 2 }
    _ = try await harness.perform("ticks end")
    #expect(await report.exitStatus == 0)
    #expect(said(4).map { $0.split(separator: " ")[0] } == ["A", "silent", "drained"])
  }

  @Test func `a sink whose settings need no time is served as any other`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: rung } }
      sinks: { out: { plugin: hush, inputs: [ticks], run: 5, untimed: true } }
      """, plugins: [.rung, Hush.plugin])
    async let report = harness.run()
    while (try? await harness.perform("ticks ring")) == nil { await Task.yield() }
    await Hush.said.wait { $0[5]?.count == 1 }
    _ = try await harness.perform("ticks end")
    #expect(await report.exitStatus == 0)
    #expect(said(5).count == 2)
  }
}

/// Says which trades come, and when none has come for a second.
private actor Hush: TimedSink {
  struct Settings: Options {
    @Setting("Which run.") var run: Int
    @Setting("Works without time.") var untimed = false
    init() {}
  }

  static let said = Watched<[Int: [String]]>([:])
  static let plugin = Plugin("hush", "Says when nothing has come for a second.", .sink(Hush.self))
  static func worksWithTime(_ settings: Settings) -> Bool { !settings.untimed }

  private let run: Int
  private(set) var due: Timestamp?

  init(_ settings: Settings, _: Context) { run = settings.run }

  func advance(to time: Timestamp) {
    guard let due, due <= time else { return }
    say("silent \(due.ns / 1_000_000)")
    self.due = nil
  }

  func receive(_ trades: Span<Trade>) {
    for i in trades.indices {
      advance(to: trades[i].received.before)
      say("\(trades[i].symbol) \(trades[i].received.ns / 1_000_000)")
      due = Timestamp(ns: trades[i].received.ns + 1_000_000_000)
    }
  }

  func drain() { say("drained") }

  private func say(_ text: String) { Self.said.update { $0[run, default: []].append(text) } }
}
