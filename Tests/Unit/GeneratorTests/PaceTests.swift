import Generator
import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct PaceTests {
  static let epoch = ManualTimekeeper().epoch.ns

  @Test func `a round of all symbols every interval`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.generator, options: "{ symbols: 3, interval: 2s }", emitting: Trade.self)
    #expect(await running.output(count: 3).count == 3)
    for round in 1...4 {
      await harness.clock.waitForSleeper(until: .seconds(2 * round))
      #expect(harness.clock.deadlines == [.seconds(2 * round)])
      #expect(running.output.count == 3 * round)
      harness.clock.advance(by: .seconds(2))
      #expect(await running.output(count: 3 * round + 3).count == 3 * round + 3)
    }
    try await running.stop()
    let times = running.output.map { ($0.time.ns - Self.epoch) / 1_000_000_000 }
    #expect(times == [0, 0, 0, 2, 2, 2, 4, 4, 4, 6, 6, 6, 8, 8, 8])
    #expect(running.output.allSatisfy { $0.time == $0.received })
  }

  @Test func `the rounds of the past come at once, before those of the present`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.generator, options: "{ symbols: 3, interval: 2s, past: 5s }", emitting: Trade.self)
    #expect(await running.output(count: 9).count == 9)
    await harness.clock.waitForSleeper(until: .seconds(2))
    harness.clock.advance(by: .seconds(2))
    #expect(await running.output(count: 12).count == 12)
    try await running.stop()
    let times = running.output.map { ($0.time.ns - Self.epoch) / 1_000_000_000 }
    #expect(times == [-4, -4, -4, -2, -2, -2, 0, 0, 0, 2, 2, 2])
    #expect(running.output.allSatisfy { $0.time == $0.received })
  }

  @Test func `a rate is kept exactly`() async throws {
    // Trade n is due n thirds of a second after the first.
    let harness = PluginHarness()
    let running = try harness.start(Plugin.generator, options: "rate: 3/s", emitting: Trade.self)
    var deadlines: [Duration] = []
    for _ in 0..<6 {
      await harness.clock.waitForSleepers(1)
      deadlines += harness.clock.deadlines
      harness.clock.advanceToNextDeadline()
    }
    #expect(
      deadlines == [333_333_334, 666_666_667, 1_000_000_000, 1_333_333_334, 1_666_666_667, 2_000_000_000].map { .nanoseconds($0) })
    #expect(await running.output(count: 7).count == 7)
    try await running.stop()
  }

  @Test func `a pause is made up for`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.generator, options: "rate: 1000/s", emitting: Trade.self)
    await harness.clock.waitForSleeper(until: .milliseconds(1))
    harness.clock.advance(by: .seconds(5))
    await harness.clock.waitForSleeper(until: .milliseconds(5001))
    #expect(await running.output(count: 5001).count == 5001)
    try await running.stop()
  }

  @Test(arguments: ["9000000000000000000/ns", "9000000000000000000/s", "1/366d"])
  func `a rate beyond all measure neither traps nor hangs`(rate: String) async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.generator, options: "{ rate: \(rate), start: '2013-10-08T13:30:00Z' }", emitting: Trade.self)
    await harness.clock.waitForSleepers(1)
    harness.clock.advance(by: .seconds(366 * 86_400))
    await harness.clock.waitForSleepers(1)
    #expect(await running.output(count: 2).count >= 2)
    try await running.stop()
  }

  @Test(arguments: ["interval: 2s", "rate: 10/s", "rate: max"])
  func `it ends after so many trades, without waiting for a further round`(pace: String) async throws {
    let harness = PluginHarness()
    let trades: [Trade] = try await harness.first(1000, of: Plugin.generator, options: "{ symbols: 4, count: 10, \(pace) }")
    #expect(trades.count == 10)
    let end: [String: Duration] = ["interval: 2s": .seconds(4), "rate: 10/s": .milliseconds(900), "rate: max": .zero]
    #expect(harness.clock.uptime == end[pace])
  }

  @Test func `event times begin at start and go on by the interval, exactly`() async throws {
    let trades = try await generate(13, "{ symbols: 3, interval: 1s, start: '2020-01-01T00:00:00Z' }")
    let start = try Timestamp(iso8601: "2020-01-01T00:00:00Z").ns
    #expect(
      trades.map { $0.time.ns - start }
        == (0..<13).map { $0 * 1_000_000_000 / 3 })
    #expect(trades.allSatisfy { $0.received == $0.time })
    let paced = try await generate(1000, "{ rate: 7/s, start: '2020-01-01T00:00:00Z' }")
    #expect(paced.map { $0.time.ns - start } == (0..<1000).map { $0 * 1_000_000_000 / 7 })
  }

  @Test func `times that come to their end stand still`() async throws {
    let trades = try await generate(3, "{ symbols: 1, interval: 1h, start: '2262-04-11T23:00:00Z' }")
    #expect(trades.map(\.time.description) == ["2262-04-11T23:00:00Z", "2262-04-11T23:47:16.854775807Z", "2262-04-11T23:47:16.854775807Z"])
  }
}
