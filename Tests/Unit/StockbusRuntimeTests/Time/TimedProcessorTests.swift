import TestSupport
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusRuntime

@Suite struct TimedProcessorTests {
  private func trade(_ symbol: Symbol = "A", _ milliseconds: Int) -> Trade {
    let time = Timestamp(ns: Int64(milliseconds) * 1_000_000)
    return Trade(symbol: symbol, price: 1, size: 1, time: time, received: time)
  }

  private func quote(_ symbol: Symbol = "A", _ milliseconds: Int) -> Quote {
    let time = Timestamp(ns: Int64(milliseconds) * 1_000_000)
    return Quote(symbol: symbol, bid: 1, ask: 1, time: time, received: time)
  }

  /// Worked out by hand: three trades in second 0, none in 1, one in 2.
  private let trades: [Int] = [100, 200, 999, 2000]
  private let seconds = ["0 3 complete 1000", "2000 1 partial 3000"]

  private func text(_ bars: [Bar]) -> [String] {
    bars.map { "\($0.time.ns / 1_000_000) \($0.count) \($0.status.fieldName) \($0.received.ns / 1_000_000)" }
  }

  @Test func `what the next event makes due goes out before it`() async throws {
    let bars: [Bar] = try await PluginHarness().output(of: Plugin.seconds, inputs: [trades.map { trade("A", $0) }])
    #expect(text(bars) == seconds)
  }

  @Test func `the watermark makes due what no event does`() async throws {
    let running = try PluginHarness().start(Plugin.seconds, taking: Trade.self, emitting: Bar.self)
    try await running.send(trades.prefix(3).map { trade("A", $0) })
    await running.advance(to: Timestamp(ns: 999_999_999))
    await running.delivered()
    #expect(running.output == [])
    await running.advance(to: Timestamp(ns: 1_000_000_000))
    #expect(text(await running.output(count: 1)) == ["0 3 complete 1000"])
    try await running.stop()
    #expect(running.output.count == 1)
  }

  /// One bar a second, whatever the batches and the watermarks between them are.
  @Test func `batches and watermarks change nothing`() async throws {
    var random = SplitMix(11)
    let moments = (0..<300).map { _ in random.upTo(60_000) }.sorted()
    let expected: [Bar] = try await PluginHarness().output(of: Plugin.seconds, inputs: [moments.map { trade("A", $0) }])
    for _ in 0..<rounds(5) {
      let running = try PluginHarness().start(Plugin.seconds, taking: Trade.self, emitting: Bar.self)
      var rest = moments[...]
      while let first = rest.first {
        if random.upTo(2) == 0 {
          // Anything before the next event's receipt may be told.
          await running.advance(to: Timestamp(ns: Int64(first) * 1_000_000 - Int64(1 + random.upTo(3_000_000_00))))
        }
        let batch = rest.prefix(1 + random.upTo(40))
        try await running.send(batch.map { trade("A", $0) })
        rest = rest.dropFirst(batch.count)
        if random.upTo(1) == 0 { await running.delivered() }
      }
      try await running.stop()
      #expect(running.output == expected)
    }
  }

  @Test func `several inputs come in the order of their receipts, ties in the order of the inputs`() async throws {
    let a = [trade("A", 1), trade("A", 5), trade("A", 5), trade("A", 9)]
    let b = [trade("B", 1), trade("B", 2), trade("B", 5), trade("B", 20)]
    let c = [trade("C", 0), trade("C", 5)]
    let merged: [Trade] = try await PluginHarness().output(of: Plugin.inOrder, inputs: [a, b, c])
    #expect(merged.map { "\($0.symbol)\($0.received.ns / 1_000_000)" } == ["C0", "A1", "B1", "B2", "A5", "A5", "B5", "C5", "A9", "B20"])
  }

  @Test func `inputs of several types are merged too`() async throws {
    let feeds = [Feed([quote("Q", 3), quote("Q", 4)]), Feed([trade("T", 1), trade("T", 3), trade("T", 9)])]
    let alerts: [Alert] = try await PluginHarness().output(of: Plugin.typesInOrder, feeds: feeds)
    #expect(alerts.map { "\($0.rule) \($0.time.ns / 1_000_000)" } == ["trade 1", "quote 3", "trade 3", "quote 4", "trade 9"])
  }

  /// A slow model: all events sorted by receipt, stable in the order of the inputs; receipts that go back count as the largest before.
  @Test func `however the inputs are fed, the merged order is the same`() async throws {
    var random = SplitMix(12)
    for _ in 0..<rounds(12) {
      let count = 2 + random.upTo(2)
      let inputs = (0..<count).map { place in
        var moment = 0
        return (0..<(20 + random.upTo(60))).map { number in
          moment += [0, 0, 1, 1, 2, 30][random.upTo(5)]
          return Trade(
            symbol: ["A", "B", "C", "D"][place], price: 1, size: Quantity(raw: Int64(number)), time: Timestamp(ns: Int64(moment)),
            received: Timestamp(ns: Int64(moment)))
        }
      }
      let expected = inputs.enumerated().flatMap { place, trades in trades.map { (place, $0) } }
        .enumerated().sorted { ($0.1.1.received, $0.1.0, $0.0) < ($1.1.1.received, $1.1.0, $1.0) }.map(\.1.1)
      let running = try PluginHarness().start(Plugin.inOrder, taking: Trade.self, inputs: count, emitting: Trade.self)
      var rests = inputs.map { $0[...] }
      while rests.contains(where: { !$0.isEmpty }) {
        let place = random.upTo(count - 1)
        let batch = rests[place].prefix(1 + random.upTo(9))
        try await running.send(Array(batch), toInput: place)
        rests[place] = rests[place].dropFirst(batch.count)
        if let next = rests[place].first, random.upTo(2) == 0 { await running.advance(to: next.received.before, input: place) }
      }
      try await running.stop()
      #expect(running.output == expected)
    }
  }

  @Test func `an event waits until no input can bring an earlier one`() async throws {
    let running = try PluginHarness().start(Plugin.inOrder, taking: Trade.self, inputs: 2, emitting: Trade.self)
    try await running.send([trade("B", 5)], toInput: 1)
    await running.advance(to: Timestamp(ns: 4_999_999), input: 0)
    await running.advance(to: Timestamp(ns: 90_000_000), input: 1)
    #expect(running.output == [])
    // At the same receipt the first input comes first, so its time has to be over.
    await running.advance(to: Timestamp(ns: 5_000_000), input: 0)
    #expect(await running.output(count: 1).count == 1)
    // The second input comes after the first one, so one nanosecond less is enough.
    try await running.send([trade("A", 100)], toInput: 0)
    await running.advance(to: Timestamp(ns: 99_999_998), input: 1)
    await running.advance(to: Timestamp(ns: 99_999_999), input: 1)
    #expect(await running.output(count: 2).count == 2)
    try await running.stop()
  }

  @Test func `a processor passes the watermark on, also if it drops every event`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: rung } }
      processors:
        b: { plugin: only_b, inputs: [ticks] }
        merged: { plugin: in_order, inputs: [b, ticks] }
      sinks: { out: { plugin: last_trade, inputs: [merged] } }
      """, plugins: [.rung, .onlyB, .inOrder, LastTrade.plugin])
    async let report = harness.run()
    // The trade is only certain to be the next one when the dropped one is known to be over.
    for _ in 1...3 {
      while (try? await harness.perform("ticks ring")) == nil { await Task.yield() }
      harness.clock.advance(by: .seconds(1))
    }
    while LastTrade.count.value < 3 {
      harness.clock.advance(by: .milliseconds(1))
      await Task.yield()
    }
    _ = try await harness.perform("ticks end")
    #expect(await report.exitStatus == 0)
  }

  /// A plain processor behind `merge`, a timed one, and a filter on one way: whatever the sources' speed, one output.
  @Test func `twenty runs of two unsteady inputs give one order`() async throws {
    var first: [Trade]?
    for run in 1...20 {
      let collected = Watched<[Trade]>([])
      TradesOf.collected.update { $0[run] = collected }
      let harness = try PipelineHarness(
        """
        sources: { a: { plugin: unsteady, symbol: A }, b: { plugin: unsteady, symbol: B }, c: { plugin: unsteady, symbol: B } }
        processors:
          plain: { plugin: passes, inputs: [a, b], merge: received }
          some: { plugin: only_b, inputs: [plain] }
          both: { plugin: in_order, inputs: [some, c, plain] }
        sinks: { out: { plugin: trades_of, inputs: [both], run: \(run) } }
        """, plugins: [.unsteady, .onlyB, .inOrder, .passes, TradesOf.plugin])
      #expect(await harness.run().exitStatus == 0)
      if first == nil { first = collected.value }
      #expect(collected.value == first)
    }
    #expect(first?.count == 1600)
  }

  /// The filter drops half, and its watermark stays just before the one receipt, so the merge cannot know what is next.
  @Test func `more events at one receipt than a ring holds do not block the run`() async throws {
    let collected = Watched<[Trade]>([])
    TradesOf.collected.update { $0[100] = collected }
    let harness = try PipelineHarness(
      """
      sources: { a: { plugin: burst, output: { capacity: 16 } } }
      processors:
        some: { plugin: only_b, inputs: [a] }
        both: { plugin: in_order, inputs: [some, a] }
      sinks: { out: { plugin: trades_of, inputs: [both], run: 100 } }
      """, plugins: [.burst, .onlyB, .inOrder, TradesOf.plugin])
    #expect(await harness.run().exitStatus == 0)
    #expect(collected.value.count == 1500)
    // Each input's own order stays.
    let numbers = collected.value.filter { $0.symbol == "A" }.map(\.size.raw)
    #expect(numbers == numbers.sorted())
  }

  @Test func `a live source that waits lets time go on, as far as a reader asks`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: rung } }
      processors: { bars: { plugin: seconds, inputs: [ticks] } }
      sinks: { out: { plugin: last_bar, inputs: [bars] } }
      """, plugins: [.rung, .seconds, LastBar.plugin])
    async let report = harness.run()
    while (try? await harness.perform("ticks ring")) == nil { await Task.yield() }
    // The bar is due a second after the epoch of the clock; the only timer of the run is the one for it.
    await harness.clock.waitForSleeper(until: .seconds(1) + .nanoseconds(1))
    #expect(LastBar.bars.value == [])
    harness.clock.advance(by: .seconds(1) + .nanoseconds(1))
    await LastBar.bars.wait { $0.count == 1 }
    #expect(text(LastBar.bars.value).map { $0.split(separator: " ")[1...2].joined(separator: " ") } == ["1 complete"])
    _ = try await harness.perform("ticks end")
    #expect(await report.exitStatus == 0)
    #expect(LastBar.bars.value.count == 1)
  }
}

/// Keeps what it gets where a test can see it.
private actor LastBar: Sink {
  struct Settings: Options { init() {} }
  static let bars = Watched<[Bar]>([])
  static let plugin = Plugin("last_bar", "Keeps bars.", .sink(LastBar.self))
  init(_: Settings, _: Context) {}
  func receive(_ events: Span<Bar>) { for i in events.indices { Self.bars.update { $0.append(events[i]) } } }
}

private actor LastTrade: Sink {
  struct Settings: Options { init() {} }
  static let count = Watched(0)
  static let plugin = Plugin("last_trade", "Counts trades.", .sink(LastTrade.self))
  init(_: Settings, _: Context) {}
  func receive(_ events: Span<Trade>) { Self.count.update { $0 += events.count } }
}

/// Keeps what it gets, by the number of the run.
private actor TradesOf: Sink {
  struct Settings: Options {
    @Setting("Which run.") var run: Int
    init() {}
  }
  static let collected = Watched<[Int: Watched<[Trade]>]>([:])
  static let plugin = Plugin("trades_of", "Keeps trades.", .sink(TradesOf.self))
  private let mine: Watched<[Trade]>?
  init(_ settings: Settings, _: Context) { mine = Self.collected.value[settings.run] }
  func receive(_ events: Span<Trade>) { for i in events.indices { mine?.update { $0.append(events[i]) } } }
}

private actor Passes: EventProcessor {
  struct Settings: Options { init() {} }
  init(_: Settings, _: Context) {}
  func process(_ trade: Trade, into output: inout Outlet<Trade>) { output.send(trade) }
}

extension Plugin {
  fileprivate static let passes = Plugin("passes", "Passes trades on.", .processor(Passes.self))
}
