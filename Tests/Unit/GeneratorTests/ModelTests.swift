import Generator
import StockbusTestKit
import Testing

func generate(_ count: Int, _ options: String, id: String = "ticks", seed: UInt64 = 42) async throws -> [Trade] {
  try await PluginHarness(id: id, seed: seed).first(count, of: Plugin.generator, options: options)
}

func bySymbol(_ trades: [Trade]) -> [[Trade]] { Array(Dictionary(grouping: trades, by: \.symbol).values) }

extension Trade {
  /// `AAPL 367.02 500 buy`.
  var line: String { "\(symbol) \(price.formatted(decimals: Int(priceDecimals))) \(size) \(side.fieldName)" }
}

@Suite(.timeLimit(.minutes(15))) struct ModelTests {
  // Computed by a program in another language from the published algorithms: SplitMix64, xoshiro256**, FNV-1a.
  @Test(arguments: [
    ("random_walk", ["AAPL 367.02 500 buy", "NVDA 176.30 100 buy", "TSLA 429.43 600 sell", "AAPL 365.41 400 buy"]),
    ("uniform", ["AAPL 491.50 500 buy", "NVDA 495.89 100 buy", "TSLA 442.75 600 sell", "AAPL 77.33 400 buy"]),
    ("step", ["AAPL 364.26 500 buy", "NVDA 174.44 100 buy", "TSLA 426.84 600 sell", "AAPL 365.26 400 buy"]),
  ])
  func `a seed gives literally these trades`(model: String, expected: [String]) async throws {
    let trades = try await generate(4, "{ symbols: [AAPL, NVDA, TSLA], seed: 7, model: \(model) }", seed: 99)
    #expect(trades.map(\.line) == expected)
  }

  @Test func `without a seed of its own the run's seed and the component's name decide`() async throws {
    let options = "symbols: [AAPL, NVDA, TSLA]"
    let trades = try await generate(3, options)
    #expect(trades.map(\.line) == ["AAPL 113.83 1000 sell", "NVDA 316.28 800 buy", "TSLA 148.75 1000 sell"])
    #expect(try await generate(3, options, id: "others") != trades)
    #expect(try await generate(3, options, seed: 43) != trades)
    #expect(try await generate(3, options + "\nseed: 7", id: "others") == generate(3, options + "\nseed: 7"))
  }

  @Test(arguments: [("0.01", "0.01"), ("0.25", "3"), ("0.03", "0.01"), ("2", "2"), ("0.000000001", "0.000000001")])
  func `uniform prices stay between lowest and highest and are multiples of the tick`(tick: String, slack: String) async throws {
    let trades = try await generate(3000, "{ model: uniform, lowest: 50, highest: 57, tick: \(tick), symbols: 4, rate: max }")
    let prices = trades.map(\.price)
    #expect(prices.allSatisfy { $0 >= 50 && $0 <= 57 })
    let step = try Price(tick).raw
    #expect(prices.allSatisfy { $0.raw % step == 0 })
    // Three thousand draws come close to both limits.
    #expect(try #require(prices.min()).raw < 50_500_000_000 + step)
    #expect(try #require(prices.max()).raw > 56_500_000_000 - step)
  }

  @Test(arguments: ["0.01", "0.5", "0.000000001"])
  func `a random walk moves by at most its volatility, or one tick`(tick: String) async throws {
    let trades = try await generate(6000, "{ symbols: 3, tick: \(tick), volatility: 0.8%, rate: max }")
    let step = try Price(tick).raw
    var farthest = 0.0
    for walk in bySymbol(trades) {
      for (old, new) in zip(walk, walk.dropFirst()) {
        let move = abs(new.price.raw - old.price.raw)
        #expect(move <= max(step, Int64(Double(old.price.raw) * 0.008) + 1))
        #expect(new.price.raw % step == 0)
        farthest = max(farthest, Double(move) / Double(old.price.raw))
      }
    }
    // It uses most of the allowed range.
    #expect(farthest > 0.006)
  }

  @Test func `a cheap symbol moves too, and never to zero`() async throws {
    let trades = try await generate(2000, "{ symbols: 1, lowest: 0.01, highest: 0.02, rate: max }")
    #expect(trades.allSatisfy { $0.price.raw >= 10_000_000 })
    #expect(Set(trades.map(\.price)).count > 3)
  }

  @Test(arguments: ["{ lowest: 100, highest: 100, increment: 2.5 }", "{ lowest: 1, highest: 2, increment: 2 }"])
  func `the step model moves by exactly its increment, also at the bottom`(options: String) async throws {
    let trades = try await generate(1000, options.dropLast() + ", model: step, symbols: 2, rate: max }")
    let increment: Int64 = options.contains("2.5") ? 2_500_000_000 : 2_000_000_000
    var directions: Set<Int64> = []
    for walk in bySymbol(trades) {
      for (old, new) in zip(walk, walk.dropFirst()) {
        #expect(abs(new.price.raw - old.price.raw) == increment)
        #expect(new.price.raw > 0)
        directions.insert((new.price.raw - old.price.raw).signum())
      }
    }
    #expect(directions == [-1, 1])
  }

  @Test func `sizes are round lots of one to ten hundred, and both sides trade`() async throws {
    let trades = try await generate(2000, "rate: max")
    #expect(Set(trades.map(\.size)) == Set((1...10).map { Quantity(raw: $0 * 100_000_000_000) }))
    #expect(Set(trades.map(\.side)) == [.buy, .sell])
  }

  @Test func `symbols come in turn`() async throws {
    let trades = try await generate(60, "symbols: 30")
    let names = trades.map(\.symbol.description)
    #expect(names.prefix(3) == ["AAPL", "MSFT", "NVDA"])
    #expect(names[24...29] == ["NFLX", "S00026", "S00027", "S00028", "S00029", "S00030"])
    #expect(Array(names.prefix(30)) == Array(names.suffix(30)))
  }

  @Test func `a million symbols start`() async throws {
    let trades = try await generate(3, "symbols: 1000000")
    #expect(trades.map(\.symbol.description) == ["AAPL", "MSFT", "NVDA"])
  }

  @Test(arguments: [
    ("{ lowest: 9, highest: 8 }", "1:3: error: 'lowest' must not be above 'highest'"),
    ("{ tick: 60 }", "1:3: error: 'tick' must not be above 'lowest'"),
    ("{ lowest: 50, highest: 50, tick: 0.03 }", "1:28: error: no multiple of 'tick' lies between 'lowest' and 'highest'"),
    ("{ model: step, increment: 0.015 }", "1:16: error: 'increment' must be a multiple of 'tick'"),
    ("{ symbols: [A, B, A] }", "1:3: error: 'symbols' names a symbol twice"),
    ("{ symbols: 1000001 }", "1:3: error: 'symbols' must be between 1 and 1000000, got 1000001"),
    ("{ count: 0 }", "1:10: error: 'count' must be at least 1, got 0"),
  ])
  func `options that contradict each other are refused`(options: String, message: String) async throws {
    await #expect {
      _ = try await generate(1, options)
    } throws: { error in
      (error as? Problems)?.description == "options.yaml:" + message
    }
  }
}
