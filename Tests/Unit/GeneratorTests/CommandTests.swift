import Generator
import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct CommandTests {
  static let options = "{ symbols: [AAPL, NVDA], lowest: 100, highest: 100, model: step, increment: 0.01, interval: 1m }"

  @Test func `prices are raised, lowered, set and randomised, and published at once`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.generator, options: Self.options, emitting: Trade.self)
    let first = await running.output(count: 2)
    let before = first[0].price
    await harness.clock.waitForSleepers(1)
    func price(_ change: Int64) -> String { Price(raw: before.raw + change * 1_000_000_000).formatted(decimals: 2) }
    #expect(try await running.perform("raise AAPL") == "AAPL is now \(price(10))")
    #expect(try await running.perform("raise AAPL 2.5") == "AAPL is now \(Price(raw: before.raw + 12_500_000_000).formatted(decimals: 2))")
    #expect(try await running.perform("lower AAPL") == "AAPL is now \(Price(raw: before.raw + 2_500_000_000).formatted(decimals: 2))")
    #expect(try await running.perform("set AAPL 77.1") == "AAPL is now 77.10")
    #expect(try await running.perform("lower AAPL 500") == "AAPL is now 0.01")
    #expect(try await running.perform("set AAPL 1000000000") == "AAPL is now 1000000000.00")
    #expect(try await running.perform("raise AAPL 1000000000") == "AAPL is now 1000000000.00")
    #expect(try await running.perform("randomise NVDA") == "NVDA is now 100.00")
    // None of them waits until the minute is over.
    let output = await running.output(count: 10)
    #expect(harness.clock.uptime == .zero)
    #expect(output.count == 10)
    #expect(output.last?.symbol == "NVDA")
    #expect(output.last?.price == 100)
    try await running.stop()
  }

  @Test func `prices go on with other options, unless these say where prices begin`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.generator, options: Self.options, emitting: Trade.self)
    _ = await running.output(count: 2)
    _ = try await running.perform("set NVDA 50")
    _ = await running.output(count: 3)
    try await running.replace(options: Self.options.replacing("AAPL, NVDA", with: "KO, NVDA").replacing("1m", with: "2m"))
    let next = await running.output(count: 5)[3...]
    #expect(next.map(\.symbol) == ["KO", "NVDA"])
    #expect(next.map { $0.price.raw / 1_000_000_000 }.first == 99 || next.map { $0.price.raw / 1_000_000_000 }.first == 100)
    #expect(next.last.map { abs($0.price.raw - 50_000_000_000) } == 10_000_000)
    try await running.replace(options: Self.options.replacing("lowest: 100, highest: 100", with: "lowest: 80, highest: 80"))
    let last = await running.output(count: 7)[5...]
    #expect(last.allSatisfy { abs($0.price.raw - 80_000_000_000) == 10_000_000 })
    try await running.stop()
  }

  @Test func `a price that is set is where the walk goes on`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.generator, options: Self.options, emitting: Trade.self)
    _ = await running.output(count: 2)
    await harness.clock.waitForSleepers(1)
    _ = try await running.perform("set NVDA 50")
    _ = await running.output(count: 3)
    await harness.clock.waitForSleepers(1)
    harness.clock.advance(by: .seconds(60))
    let output = await running.output(count: 5)
    #expect(output[2].line.hasPrefix("NVDA 50.00 "))
    #expect(abs(output[4].price.raw - 50_000_000_000) == 10_000_000)
    try await running.stop()
  }

  @Test(arguments: [
    ("raise", "'raise' needs a symbol"), ("raise TSLA", "no symbol 'TSLA'"), ("raise APPL 1", "no symbol 'APPL'; did you mean 'AAPL'?"),
    ("raise AAPL ten", "'ten' is not an amount between 0 and 1000000000"),
    ("lower AAPL 0", "'0' is not an amount between 0 and 1000000000"),
    ("lower AAPL -3", "'-3' is not an amount between 0 and 1000000000"),
    (
      "set AAPL 500,5",
      "'500,5' is not an amount between 0 and 1000000000; write 500.5, with a decimal point"
    ),
    ("raise aapl", "no symbol 'aapl'; did you mean 'AAPL'?"), ("set AAPL", "'set' needs a price"),
    ("set AAPL 1000000001", "'1000000001' is not an amount between 0 and 1000000000"),
    ("set AAPL 1 2", "'set' takes a symbol and an amount"), ("randomise AAPL 5", "'randomise' takes a symbol only"),
    ("rise AAPL", "unknown command 'rise'; did you mean 'raise'?"),
  ])
  func `a command that cannot be carried out says why`(line: String, message: String) async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.generator, options: Self.options, emitting: Trade.self)
    _ = await running.output(count: 2)
    await #expect {
      _ = try await running.perform(line)
    } throws: {
      ($0 as? CommandError)?.description == message
    }
    try await running.stop()
    #expect(running.output.count == 2)
  }
}
