internal import EventBus
internal import MarketData

/// Events that follow from their number alone, so that every peer can make the same: in 6.5 hours, as of a session.
enum Numbered {
  static let (begin, session): (Int64, Int64) = (1_719_840_600_000_000_000, 23_400_000_000_000)

  static func symbols(_ count: Int) throws -> [Symbol] { try (0..<count).map { try Symbol("S\($0)") } }

  static func random(_ i: Int) -> UInt64 {
    var z = (UInt64(i) &+ 1) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  static func trades(_ count: Int, symbols: [Symbol]) -> [Trade] {
    let step = session / Int64(count)
    return (0..<count).map { i in
      let random = random(i)
      let cents = 10_000 + Int64(i) / 4096 % 500 + Int64(random >> 48 % 21)
      let time = Timestamp(ns: begin + Int64(i) * step)
      return Trade(
        symbol: symbols[Int(random % UInt64(symbols.count))], price: Price(raw: cents * 10_000_000),
        size: Quantity(raw: (1 + Int64(random >> 32 % 999)) * 1_000_000_000), time: time, received: time, priceDecimals: 2)
    }
  }

  /// As many quotes, at random moments between the trades' steps.
  static func quotes(_ count: Int, symbols: [Symbol]) -> [Quote] {
    let step = session / Int64(count)
    return (0..<count).map { i in
      let random = random(i + 1_000_000_000)
      let cents = 10_000 + Int64(i) / 4096 % 500 + Int64(random >> 48 % 21)
      let time = Timestamp(ns: begin + Int64(i) * step + Int64(random >> 20 % UInt64(step)))
      return Quote(
        symbol: symbols[Int(random % UInt64(symbols.count))], bid: Price(raw: (cents - 1) * 10_000_000),
        ask: Price(raw: (cents + 1) * 10_000_000),
        bidSize: 1, askSize: 1, time: time, received: time)
    }
  }
}
