import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusExpressions

/// Functions over trades, each against the model.
@Suite struct WindowTests {
  /// Random trades of some symbols: late ones, several at one time, with conditions that do not count, and some that are dated ahead.
  static func trades(_ count: Int, seed: Int) -> [Trade] {
    var random = SplitMix(seed)
    let symbols: [Symbol] = ["WIN.A", "WIN.B", "WIN.C"]
    var prices: [Int64] = [100_00, 20_00, 3_00]
    var time = opening - 600 * second
    return (0..<count).map { _ in
      let i = random.upTo(2)
      prices[i] = max(1, prices[i] + Int64(random.upTo(40)) - 20)
      if !random.oneIn(4) { time += Int64(random.upTo(3_000)) * 1_000_000 }
      let late = random.oneIn(6) ? Int64(random.upTo(90)) * second : 0
      let conditions: [TradeCondition] = [.oddLot, .cancelled, .averagePrice, .correctedClose]
      return Trade(
        symbol: symbols[i], price: Price(raw: prices[i] * 10_000_000), size: Quantity(raw: Int64(random.upTo(500)) * second),
        time: Timestamp(ns: random.oneIn(50) ? time + 3600 * second : time - late), received: Timestamp(ns: time),
        condition: random.oneIn(8) ? conditions[random.upTo(3)] : .regular)
    }
  }

  /// Calls `body` for each trade with what is known of its symbol.
  static func replay(_ trades: [Trade], _ body: (_ i: Int, Past) throws -> Void) rethrows {
    var pasts: [Symbol: Past] = [:]
    var clocks: [Symbol: EventClock] = [:]
    for (i, trade) in trades.enumerated() {
      var past = pasts[trade.symbol] ?? Past()
      _ = clocks[trade.symbol, default: EventClock()].take(trade.time, received: trade.received)
      past.now = clocks[trade.symbol]?.now ?? 0
      let time = EventClock.fair(trade.time, received: trade.received).ns
      if past.first == nil { past.first = time }
      let entry = Past.Entry(time: time, value: trade.price.raw, volume: trade.size.raw, high: 0, low: 0, now: past.now)
      if trade.condition.countsForLast {
        past.prices.append(entry)
        past.taken.append(entry)
      }
      if trade.condition.countsForVolume { past.volumes.append(entry) }
      pasts[trade.symbol] = past
      try body(i, past)
    }
  }

  static let functions: [(String, @Sendable (Past) -> Int64?)] = [
    ("sma(price, 1)", { $0.last(1).flatMap(Past.mean) }), ("sma(price, 20)", { $0.last(20).flatMap(Past.mean) }),
    ("sma(price, 50)", { $0.last(50).flatMap(Past.mean) }), ("sum(price, 7)", { $0.last(7).flatMap(Past.sum) }),
    ("wma(price, 9)", { $0.last(9).flatMap(Past.weighted) }), ("highest(price, 12)", { $0.last(12)?.max() }),
    ("lowest(price, 5)", { $0.last(5)?.min() }), ("highest(price, 60)", { $0.last(60)?.max() }), ("prev(price)", { $0.previous(1) }),
    ("prev(price, 13)", { $0.previous(13) }),
    ("change(price, 4)", { past in past.previous(4).flatMap { old in past.previous(0).map { $0 - old } } }),
    ("sma(price, 30s)", { $0.within(30 * second, $0.prices).flatMap { Past.mean($0.map(\.value)) } }),
    ("sum(size, 1m)", { $0.within(60 * second, $0.volumes).flatMap { Past.sum($0.map(\.volume)) } }),
    ("count(20s)", { $0.within(20 * second, $0.volumes).map { Int64($0.count) * second } }),
    ("vwap(45s)", { $0.within(45 * second, $0.volumes).flatMap(Past.vwap) }),
    ("vwap(2m)", { $0.within(120 * second, $0.volumes).flatMap(Past.vwap) }),
    ("highest(price, 1m)", { $0.within(60 * second, $0.prices)?.map(\.value).max() }),
    ("lowest(price, 10s)", { $0.within(10 * second, $0.prices)?.map(\.value).min() }),
    ("vwap(session)", { $0.session(Self.begin($0), $0.volumes).flatMap(Past.vwap) }),
    ("sum(size, session)", { $0.session(Self.begin($0), $0.volumes).flatMap { Past.sum($0.map(\.volume)) } }),
    ("count(session)", { $0.session(Self.begin($0), $0.volumes).map { Int64($0.count) * second } }),
    ("sma(price, session)", { $0.session(Self.begin($0), $0.prices).flatMap { Past.mean($0.map(\.value)) } }),
    ("lowest(price, session)", { $0.session(Self.begin($0), $0.prices)?.map(\.value).min() }),
    ("first(price, session)", { $0.session(Self.begin($0), $0.prices)?.first?.value }),
    (
      "highest(price, first 2m)",
      {
        $0.session(Self.begin($0), until: Self.begin($0) + 120 * second, $0.prices)?.map(\.value).max()
      }
    ),
    ("sum(price - 100, 3)", { $0.last(3).map { $0.reduce(0) { $0 + $1 - 100 * second } } }),
  ]

  /// Sessions begin every 500 seconds.
  static func begin(_ past: Past) -> Int64 { past.now / (500 * second) * 500 * second }

  struct ShortSessions: SessionSource {
    func session(of _: Symbol, at time: Timestamp) -> Range<Timestamp> {
      let begin = time.ns / (500 * second) * 500 * second
      return Timestamp(ns: begin)..<Timestamp(ns: begin + 500 * second)
    }
  }

  @Test(arguments: [1, 2, 3]) func `windows of trades have the values of the model, in any batches`(seed: Int) throws {
    let trades = Self.trades(1500, seed: seed)
    let results = try results(Self.functions.map(\.0), trades, .init(sessions: ShortSessions()), seed: seed)
    var ready = Self.functions.map { _ in 0 }
    Self.replay(trades) { i, past in
      for (k, function) in Self.functions.enumerated() {
        let expected = function.1(past)
        if results[k][i] != expected { Issue.record("\(function.0) of trade \(i) is \(results[k][i] ?? -1), not \(expected ?? -1)") }
        if expected != nil { ready[k] += 1 }
      }
    }
    for (k, function) in Self.functions.enumerated() { #expect(ready[k] > 100, "\(function.0)") }
  }

  @Test func `deviations are exact, and scores are near`() throws {
    let trades = Self.trades(1200, seed: 9)
    let names = ["stddev(price, 20)", "stddev(price, 30s)", "stddev(price, session)", "zscore(price, 20)", "zscore(price, 1m)"]
    let results = try results(names, trades, .init(sessions: ShortSessions()))
    Self.replay(trades) { i, past in
      let recent = past.within(30 * second, past.prices)?.map(\.value)
      #expect(Past.isDeviation(results[0][i], past.last(20)))
      #expect(Past.isDeviation(results[1][i], recent))
      #expect(Past.isDeviation(results[2][i], past.session(Self.begin(past), past.prices)?.map(\.value)))
      #expect(Past.isScore(results[3][i], past.previous(0), past.last(20)))
      #expect(Past.isScore(results[4][i], past.previous(0), past.within(60 * second, past.prices)?.map(\.value)))
    }
  }

  @Test func `recursions have the values of the model`() throws {
    let trades = Self.trades(900, seed: 4)
    let names = ["ema(price, 10)", "rma(price, 14)", "rsi(price, 14)", "macd(price, 5, 12)", "macd_signal(price, 5, 12, 4)"]
    let results = try results(names, trades)
    Self.replay(trades) { i, past in
      #expect(Past.isNear(results[0][i], past.average(10, 2 / 11)))
      #expect(Past.isNear(results[1][i], past.average(14, 1 / 14)))
      #expect(Past.isNear(results[2][i], past.strength(14)))
      if i % 7 != 0 { return }
      let lines = past.convergences(5, 12)
      #expect(Past.isNear(results[3][i], lines.last))
      #expect(Past.isNear(results[4][i], Past.average(lines, 4, 2 / 5)))
    }
  }

  @Test(arguments: [7, 8]) func `crossings and times since have the verdicts of the model`(seed: Int) throws {
    let trades = Self.trades(1500, seed: seed)
    let crossings = try verdicts("crosses_above(price, sma(price, 7))", trades)
    let times = try results(["since(size > 450)"], trades, seed: seed)[0]
    var sides: [Symbol: Bool] = [:]
    var last: [Symbol: Int64] = [:]
    var crossed = 0
    Self.replay(trades) { i, past in
      let trade = trades[i]
      if trade.condition.countsForLast {
        if let mean = past.last(7).flatMap(Past.mean) {
          let isAbove = trade.price.raw > mean
          let isCrossing = isAbove && sides[trade.symbol] == false
          #expect(crossings[i] == (isCrossing ? .yes : .no))
          sides[trade.symbol] = isAbove
          crossed += isCrossing ? 1 : 0
        } else {
          #expect(crossings[i] == .undecided)
        }
      } else {
        #expect(crossings[i] == .no)
      }
      if trade.condition.countsForVolume, trade.size > 450 {
        last[trade.symbol] = max(last[trade.symbol] ?? .min, past.volumes.last?.time ?? .min)
      }
      #expect(times[i] == last[trade.symbol].map { past.now - $0 })
    }
    #expect(crossed > 50)
  }

  @Test func `results by hand`() throws {
    let trades = [10, 11, 13, 12, 16].enumerated().map {
      trade(Price(raw: Int64($1) * second), Quantity(raw: Int64($0 + 1) * second), at: Double($0))
    }
    #expect(try decimals("sma(price, 3)", trades) == ["-", "-", "11.333333333", "12", "13.666666667"])
    #expect(try decimals("wma(price, 3)", trades) == ["-", "-", "11.833333333", "12.166666667", "14.166666667"])
    #expect(try decimals("ema(price, 3)", trades) == ["-", "-", "11.333333333", "11.666666667", "13.833333333"])
    #expect(try decimals("rma(price, 2)", trades) == ["-", "10.5", "11.75", "11.875", "13.9375"])
    #expect(try decimals("stddev(price, 2)", trades) == ["-", "0.5", "1", "0.5", "2"])
    #expect(try decimals("zscore(price, 2)", trades) == ["-", "1", "1", "-1", "1"])
    #expect(try decimals("sum(size, 2s)", trades) == ["-", "-", "5", "7", "9"])
    #expect(try decimals("count(2s)", trades) == ["-", "-", "2", "2", "2"])
    // (11 x 2 + 13 x 3) / 5, (39 + 48) / 7, (48 + 80) / 9.
    #expect(try decimals("vwap(2s)", trades) == ["-", "-", "12.2", "12.428571429", "14.222222222"])
    // Moves 1, 2, -1, 4: gains 1.5, losses 0; 0.75 and 0.5; 2.375 and 0.25.
    #expect(try decimals("rsi(price, 2)", trades) == ["-", "-", "100", "60", "90.476190476"])
    #expect(try decimals("sma(stochastic(price, 3), 1)", trades) == ["-", "-", "100", "50", "100"])
    #expect(try decimals("sma(bollinger_upper(price, 2, 2), 1)", trades) == ["-", "11.5", "14", "13.5", "18"])
    #expect(try decimals("sma(bollinger_lower(price, 2, 2), 1)", trades) == ["-", "9.5", "10", "11.5", "10"])
    #expect(try decimals("since(price >= 13)", trades) == ["-", "-", "0", "1", "0"])
  }

  @Test func `what has not moved has no strength and no score`() throws {
    let trades = (0..<20).map { trade(5, at: Double($0)) }
    for function in ["rsi(price, 3)", "zscore(price, 3)", "zscore(price, 5s)", "sma(stochastic(price, 3), 1)"] {
      #expect(try decimals(function, trades) == Array(repeating: "-", count: 20), "\(function)")
    }
    #expect(
      try decimals(
        "vwap(5s)",
        trades.map {
          var quiet = $0
          quiet.size = 0
          return quiet
        }
      ).last == "-")
  }

  @Test func `values at the ends of the range`() throws {
    let huge = Price(raw: .max - 5)
    let trades = [huge, huge, huge, Price(raw: .min), huge, 1, 2, 3, 4].enumerated().map { trade($1, at: Double($0)) }
    let max = Syntax.decimal(Int128(Int64.max - 5))
    #expect(try decimals("sma(price, 3)", trades).prefix(3).last == max)
    let sums = try decimals("sum(price, 3)", trades)
    #expect(sums == ["-", "-", "-", "9223372036.854775796", "9223372036.854775796", "0.999999994", "-", "6", "9"])
    #expect(try decimals("sma(price, 3)", trades).suffix(2) == ["2", "3"])
    #expect(try decimals("stddev(price, 2)", trades).suffix(2) == ["0.5", "0.5"])
    #expect(try decimals("change(price)", trades).prefix(5) == ["-", "0", "0", "-", "-"])
  }

  @Test func `a clock that is set back begins windows of time anew`() throws {
    func dated(_ seconds: Double, received: Double, _ price: Price) -> Trade {
      var trade = trade(price, at: seconds)
      trade.received = Timestamp(ns: opening + Int64(received * 1e9))
      return trade
    }
    // The clock was an hour ahead; three trades received before its time prove it wrong.
    var trades = (0..<5).map { dated(3600 + Double($0), received: 3600 + Double($0), 9) }
    for i in 0..<8 { trades.append(dated(Double(i), received: Double(i), Price(raw: Int64(i + 1) * second))) }
    let highest = try decimals("highest(price, 2s)", trades)
    #expect(highest == ["-", "-", "9", "9", "9", "9", "9", "-", "-", "5", "6", "7", "8"])
    #expect(try decimals("sma(price, 2s)", trades).suffix(4) == ["4.5", "5.5", "6.5", "7.5"])
  }

  @Test(arguments: ["sum(size, 1m)", "sma(price, 30s)", "count(20s)", "vwap(45s)"])
  func `a window that is the only one has the values of the model, however many leave at once`(function: String) throws {
    var trades = Self.trades(1500, seed: 5)
    for i in trades.indices {
      let pauses = Int64(i / 40) * 25 * second
      trades[i].time = Timestamp(ns: trades[i].time.ns + pauses)
      trades[i].received = Timestamp(ns: trades[i].received.ns + pauses)
    }
    let model = try #require(Self.functions.first { $0.0 == function }).1
    let results = try results([function], trades)[0]
    Self.replay(trades) { i, past in #expect(results[i] == model(past), "trade \(i)") }
  }

  @Test func `three, none, four and all leave`() throws {
    let trades = [0, 1, 2, 3, 4, 5, 6, 12, 12, 17, 40].enumerated().map {
      trade(Price(raw: Int64($0 + 1) * second), Quantity(raw: Int64($0 + 1) * second), at: $1)
    }
    #expect(try decimals("sum(size, 10s)", trades).suffix(5) == ["-", "30", "39", "27", "11"])
    #expect(try decimals("count(10s)", trades).suffix(5) == ["-", "5", "6", "3", "1"])
    // 190 / 30, 271 / 39, 245 / 27, 121 / 11.
    #expect(try decimals("vwap(10s)", trades).suffix(5) == ["-", "6.333333333", "6.948717949", "9.074074074", "11"])
  }

  @Test func `quotients are rounded half away from zero`() {
    let (max, word, power) = (Int128(Int64.max), Int128(UInt64.max), Int128(1) << 70)
    let cases: [(Int128, Int128, Int64?)] = [
      (7, 2, 4), (-7, 2, -4), (5, 3, 2), (4, 3, 1), (-5, 3, -2), (1, 3, 0), (0, 9, 0), (1, 0, nil), (1, -1, nil),
      (max * 2, 2, .max), (max * 2 + 1, 2, nil), (max * 3 + 1, 3, .max), (-max * 2, 2, -.max), (-max * 2 - 1, 2, nil),
      (power, 3, nil), (power * 5, power, 5), (power * 3, power * 2, 2), (-power, power * 2, -1), (power - 1, power * 2, 0),
      (word * 5 + max, word, 5), (word * 5 + max + 1, word, 6), (Int128.max, Int128.max, 1), (Int128.min, Int128.max, -1),
    ]
    for (a, b, quotient) in cases { #expect(Rounding.quotient(a, b) == quotient, "\(a) / \(b)") }
  }

  @Test func `so many symbols that their windows are fetched ahead have the results of each alone`() throws {
    let names = (0..<200).map { Symbol(stringLiteral: "TIMED.\($0)") }
    var random = SplitMix(3)
    let events = (0..<24_000).map { i in
      trade(
        Price(raw: Int64(random.upTo(999)) * 10_000_001), Quantity(raw: Int64(random.upTo(99)) * second), at: Double(i) / 10,
        symbol: names[random.upTo(199)], condition: random.oneIn(50) ? .averagePrice : .regular)
    }
    for function in ["sum(size, 3m)", "vwap(2m)", "stddev(price, 1m)", "lowest(price, 1m)"] {
      let together = try results([function], events)[0]
      for name in names.prefix(10) {
        let own = events.indices.filter { events[$0].symbol == name }
        #expect(own.map { together[$0] } == (try results([function], own.map { events[$0] }, seed: 2)[0]), "\(function) of \(name)")
      }
    }
  }

  @Test func `so many symbols that their memory is fetched ahead have the results of each alone`() throws {
    let functions = [
      "sma(price, 20)", "sma(price, 50)", "sma(size, 9)", "highest(price, 30)", "prev(price, 12)", "stddev(size, 10)", "ema(price, 5)",
    ]
    let names = (0..<200).map { Symbol(stringLiteral: "MANY.\($0)") }
    var random = SplitMix(8)
    let events = (0..<24_000).map { i in
      // Some of the values are too large for sums of 64 bits, and some trades do not count for the price.
      let price = random.oneIn(400) ? Price(raw: .max) : Price(raw: Int64(random.upTo(999)) * 10_000_001)
      return trade(
        price, Quantity(raw: Int64(random.upTo(99)) * second), at: Double(i), symbol: names[random.upTo(199)],
        condition: random.oneIn(50) ? .oddLot : .regular)
    }
    let together = try results(functions, events)
    for name in names.prefix(20) {
      let own = events.indices.filter { events[$0].symbol == name }
      let alone = try results(functions, own.map { events[$0] }, seed: 2)
      for k in functions.indices { #expect(own.map { together[k][$0] } == alone[k], "\(functions[k]) of \(name)") }
    }
  }
}
