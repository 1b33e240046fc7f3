internal import Bars
internal import Measuring
internal import StockbusPlugin

extension MarketBench {
  /// Bars of a minute of 1,000 symbols, with their average prices. The trades are those of `Peers`, so the sums have to be the same.
  ///
  /// The first life is measured; its output is as large as in a run. That of the second one has room for all bars, which are summed up.
  static func bars(_ count: Int) async throws {
    let trades = try Workload.knownTrades(count)
    var report = Report()
    let measured = filled(trades)
    let first = try Subject(.bars, options: "{ lengths: 1m }", reading: [measured.topic])
    measured.fill()
    report.add("cpu", try await seconds { try await first.live() })
    report.add("events", first.done)
    let summed = filled(trades)
    let second = try Subject(.bars, options: "{ lengths: 1m }", reading: [summed.topic], outputCapacity: count)
    let reader = try second.reader(of: Bar.self)
    summed.fill()
    try await second.live()
    var (bars, prices, volume, vwap) = (0, Int64(0), Int64(0), Int64(0))
    reader.results { bar in
      bars += 1
      prices += bar.open.raw + 2 * bar.high.raw + 3 * bar.low.raw + 4 * bar.close.raw
      volume += bar.volume.raw / 1_000_000_000
      vwap += bar.vwap.raw
    }
    report.add("bars", bars)
    report.add("prices", Int(prices))
    report.add("volume", Int(volume))
    report.add("vwap", Int(vwap))
    report.print()
  }
}

extension Workload {
  /// Trades that follow from their number alone, so that every peer can make the same: some 13 for each symbol and minute.
  static func knownTrades(_ count: Int) throws -> [Trade] {
    let symbols = try symbols(1000)
    return (0..<count).map { i in
      let random = mixed(UInt64(i))
      let cents = 10_000 + Int64(i) / 4096 % 500 + Int64(random >> 48 % 21)
      let time = Timestamp(ns: 1_719_840_600_000_000_000 + Int64(i) * 4_680_000)
      return Trade(
        symbol: symbols[Int(random % 1000)], price: Price(raw: cents * 10_000_000),
        size: Quantity(raw: (1 + Int64(random >> 32 % 999)) * 1_000_000_000),
        time: time, received: time, priceDecimals: 2)
    }
  }

  /// SplitMix64 (Steele, Lea, Flood 2014): the number `i` of its sequence.
  private static func mixed(_ i: UInt64) -> UInt64 {
    var z = (i &+ 1) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
