import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusExpressions

/// Functions over bars: revised, late, partial and missing ones, of several lengths.
@Suite struct BarTests {
  struct Key: Hashable {
    let symbol: Symbol
    let length: BarLength
  }

  static func bars(_ count: Int, seed: Int) -> [Bar] {
    var random = SplitMix(seed)
    var minutes: [Key: Int64] = [:]
    var revisions: [Key: [Int64: UInt32]] = [:]
    var received = opening
    func price() -> Int64 { Int64(90_00 + random.upTo(2000)) * 10_000_000 }
    return (0..<count).map { _ in
      let minute: Int64 = random.oneIn(3) ? 5 : 1
      let key = Key(symbol: random.oneIn(2) ? "BAR.A" : "BAR.B", length: .time(minute * 60 * second))
      let newest = minutes[key] ?? 0
      var (at, revision, status) = (newest, UInt32(0), BarStatus.complete)
      switch random.upTo(20) {
      // The newest one or an older one again, or one that comes late.
      case 0...3 where newest > 0:
        at -= Int64(random.oneIn(2) ? 0 : random.upTo(6)) * minute
        revision = (revisions[key]?[at] ?? 0) + (random.oneIn(4) ? 0 : 1)
      case 4: (at, status) = (newest + minute, .partial)
      // Some are missing.
      case 5: at += 3 * minute
      default: at += minute
      }
      if status == .complete {
        minutes[key] = max(newest, at)
        revisions[key, default: [:]][at] = revision
      }
      let (a, b, close) = (price(), price(), price())
      let volume = Quantity(raw: Int64(random.upTo(300)) * second)
      let time = Timestamp(ns: opening + at * 60 * second)
      received = max(received, time.ns + minute * 60 * second)
      return Bar(
        symbol: key.symbol, open: Price(raw: a), high: Price(raw: max(a, b, close)), low: Price(raw: min(a, b, close)),
        close: Price(raw: close), volume: volume, time: time, received: Timestamp(ns: received), length: key.length,
        turnover: random.oneIn(5) ? .zero : Amount(Price(raw: close), times: volume), revision: revision, status: status)
    }
  }

  static func replay(_ bars: [Bar], _ body: (_ i: Int, Past) throws -> Void) rethrows {
    var pasts: [Key: Past] = [:]
    for (i, bar) in bars.enumerated() {
      let key = Key(symbol: bar.symbol, length: bar.length)
      var past = pasts[key] ?? Past()
      let newest = past.taken.last?.time ?? .min
      past.now = max(past.now, bar.time.ns)
      if bar.status == .complete {
        if past.first == nil { past.first = bar.time.ns }
        let entry = Past.Entry(
          time: bar.time.ns, value: bar.close.raw, volume: bar.volume.raw, high: bar.high.raw, low: bar.low.raw, now: past.now)
        // Windows of events have the bar at its place; a bar that comes late has none.
        if let place = past.prices.lastIndex(where: { $0.time == entry.time }) {
          past.prices[place] = entry
        } else if entry.time > newest {
          past.prices.append(entry)
        }
        if let place = past.volumes.lastIndex(where: { $0.time == entry.time }) {
          past.volumes[place].value = entry.value
          past.volumes[place].volume = entry.volume
        } else {
          past.volumes.append(entry)
        }
        if entry.time == newest { past.taken[past.taken.count - 1] = entry } else if entry.time > newest { past.taken.append(entry) }
      }
      pasts[key] = past
      try body(i, past)
    }
  }

  static let functions: [(String, @Sendable (Past) -> Int64?)] = [
    ("sma(close, 5)", { $0.last(5).flatMap(Past.mean) }), ("sma(close, 12)", { $0.last(12).flatMap(Past.mean) }),
    ("sum(volume, 4)", { $0.last(4, \.volume).flatMap(Past.sum) }), ("wma(close, 6)", { $0.last(6).flatMap(Past.weighted) }),
    ("highest(high, 7)", { $0.last(7, \.high)?.max() }), ("lowest(low, 3)", { $0.last(3, \.low)?.min() }),
    ("prev(close)", { $0.previous(1) }), ("prev(close, 6)", { $0.previous(6) }),
    ("change(close, 2)", { past in past.previous(2).flatMap { old in past.previous(0).map { $0 - old } } }),
    ("sma(close, 10m)", { $0.within(600 * second, $0.volumes).flatMap { Past.mean($0.map(\.value)) } }),
    ("highest(close, 20m)", { $0.within(1200 * second, $0.volumes)?.map(\.value).max() }),
    ("vwap(15m)", { $0.within(900 * second, $0.volumes).flatMap(Past.vwap) }),
    ("vwap(session)", { $0.session(Self.begin($0), $0.volumes).flatMap(Past.vwap) }),
    ("lowest(close, session)", { $0.session(Self.begin($0), $0.volumes)?.map(\.value).min() }),
    ("first(close, session)", { $0.session(Self.begin($0), $0.volumes)?.min { $0.time < $1.time }?.value }),
    (
      "sum(volume, first 10m)",
      {
        $0.session(Self.begin($0), until: Self.begin($0) + 600 * second, $0.volumes).flatMap { Past.sum($0.map(\.volume)) }
      }
    ),
  ]

  /// Sessions of an hour.
  static func begin(_ past: Past) -> Int64 { past.now / (3600 * second) * 3600 * second }

  struct Hours: SessionSource {
    func session(of _: Symbol, at time: Timestamp) -> Range<Timestamp> {
      let begin = time.ns / (3600 * second) * 3600 * second
      return Timestamp(ns: begin)..<Timestamp(ns: begin + 3600 * second)
    }
  }

  @Test(arguments: [1, 2, 3]) func `windows of bars have the values of the model`(seed: Int) throws {
    let bars = Self.bars(1500, seed: seed)
    let results = try results(Self.functions.map(\.0), bars, .init(sessions: Hours()), seed: seed)
    var ready = Self.functions.map { _ in 0 }
    Self.replay(bars) { i, past in
      for (k, function) in Self.functions.enumerated() {
        let expected = function.1(past)
        if results[k][i] != expected { Issue.record("\(function.0) of bar \(i) is \(results[k][i] ?? -1), not \(expected ?? -1)") }
        if expected != nil { ready[k] += 1 }
      }
    }
    for (k, function) in Self.functions.enumerated() { #expect(ready[k] > 100, "\(function.0)") }
  }

  @Test func `recursions over bars take the newest one again and leave older ones out`() throws {
    let bars = Self.bars(900, seed: 6)
    let names = ["ema(close, 5)", "rsi(close, 7)", "macd(close, 3, 8)", "atr(6)"]
    let results = try results(names, bars)
    Self.replay(bars) { i, past in
      #expect(Past.isNear(results[0][i], past.average(5, 2 / 6)))
      #expect(Past.isNear(results[1][i], past.strength(7)))
      #expect(Past.isNear(results[2][i], past.convergences(3, 8).last))
      #expect(Past.isNear(results[3][i], past.range(6)))
    }
  }

  @Test func `the bands of a trend have the values of the model`() throws {
    let bars = Self.bars(240, seed: 2)
    let results = try results(["supertrend(4, 1.5)"], bars)
    Self.replay(bars) { i, past in #expect(Past.isNear(results[0][i], past.trend(4, 1.5))) }
    #expect(results[0].count { $0 != nil } > 100)
  }

  @Test func `a partial bar counts for nothing, and its final form not twice`() throws {
    let bars = [bar(10, minute: 0), bar(12, minute: 1), bar(99, minute: 2, status: .partial), bar(14, minute: 2), bar(16, minute: 3)]
    #expect(try decimals("sma(close, 2)", bars) == ["-", "11", "11", "13", "15"])
    #expect(try decimals("ema(close, 2)", bars) == ["-", "11", "11", "13", "15"])
    #expect(try decimals("highest(close, 3)", bars) == ["-", "-", "-", "14", "16"])
    #expect(try verdicts("crosses_above(close, 13)", bars) == [.no, .no, .no, .yes, .no])
  }

  @Test func `a bar of a time of which one has come replaces it, also without a revision`() throws {
    let bars = [bar(10, minute: 0), bar(12, minute: 1), bar(14, minute: 1), bar(20, minute: 0, revision: 1), bar(16, minute: 2)]
    #expect(try decimals("sma(close, 2)", bars) == ["-", "11", "12", "17", "15"])
    #expect(try decimals("prev(close)", bars) == ["-", "10", "10", "20", "14"])
    // The average goes on from the bar before the newest one; the older one is left out.
    #expect(try decimals("ema(close, 2)", bars) == ["-", "11", "12", "12", "14.666666667"])
  }

  @Test func `lengths of bars do not mix`() throws {
    let bars = (0..<6 as Range<Int64>).flatMap { minute in
      [bar(Price(raw: (minute + 1) * second), minute: minute)]
        + (minute % 5 == 0 ? [bar(100, minute: minute, length: 300)] : [])
    }
    #expect(try decimals("sma(close, 2)", bars) == ["-", "-", "1.5", "2.5", "3.5", "4.5", "5.5", "100"])
  }

  @Test func `a day's bar is not dated ahead, although its date begins earlier in the east`() throws {
    // Received at 15:00 in Tokyo, nine hours before the date begins in UTC plus six.
    let bars = (0..<4 as Range<Int64>).map { day in
      var bar = bar(Price(raw: (day + 1) * second), minute: day * 1440, length: 86_400)
      bar.received = Timestamp(ns: bar.time.ns - 3 * 3600 * second)
      return bar
    }
    #expect(try decimals("sma(close, 2d)", bars) == ["-", "-", "2.5", "3.5"])
  }

  @Test func `the bands of a trend by hand`() throws {
    let bars = [
      bar(10, high: 11, low: 9, minute: 0), bar(10, high: 11, low: 9, minute: 1), bar(11, high: 12, low: 10, minute: 2),
      bar(15, high: 15, low: 13, minute: 3), bar(14, high: 15, low: 13, minute: 4), bar(8, high: 10, low: 8, minute: 5),
    ]
    // Ranges 2, 2, 4, 2, 6; averages of two: 2, 3, 2.5, 4.25.
    #expect(try decimals("atr(2)", bars) == ["-", "-", "2", "3", "2.5", "4.25"])
    // Middles 11, 14, 14, 9. The upper band 13 is passed by 15; then the lower one is 11, stays above 14 - 2.5 = 11.5, and is passed by 8:
    // then the upper band is the smaller of 16.5 and 13.25.
    #expect(try decimals("supertrend(2, 1)", bars) == ["-", "-", "13", "11", "11.5", "13.25"])
  }

  @Test func `stochastic of bars, and the average price from the turnover`() throws {
    var bars = [
      bar(10, high: 11, low: 9, volume: 2, minute: 0), bar(12, high: 13, low: 10, volume: 3, minute: 1),
      bar(9, high: 12, low: 9, volume: 5, minute: 2),
    ]
    #expect(try decimals("sma(stochastic(2), 1)", bars) == ["-", "75", "0"])
    // (20 + 36) / 5, (36 + 45) / 8.
    #expect(try decimals("vwap(2m)", bars) == ["-", "-", "10.125"])
    bars[2].turnover = .zero
    bars[2].vwap = 11
    #expect(try decimals("vwap(2m)", bars).last == "11.375")
  }
}
