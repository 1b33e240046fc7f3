import MarketData
import StockbusInstruments
import Testing

@testable import Movers

/// Worked out by hand.
@Suite struct BoardTests {
  /// Monday's closes of A 100, B 100, C 100.
  private func afterMonday(_ change: (inout MoversSettings) -> Void = { _ in }, _ reference: MarketReference? = nil) -> MoverFeed {
    var feed = feed(
      {
        $0.by = [.percent]
        change(&$0)
      }, reference)
    _ = feed.take([trade("A", 10_000, at: 10), trade("B", 10_000, at: 20), trade("C", 10_000, at: 30)])
    return feed
  }

  private static let noon: Int64 = 86_400 + 12 * 3600

  @Test func `a day's movers are compared with the close of the day before`() {
    var feed = afterMonday()
    let moves = feed.take([
      trade("A", 10_200, at: Self.noon), trade("B", 10_500, at: Self.noon + 1), trade("C", 9900, at: Self.noon + 2),
      trade("A", 9800, at: Self.noon + 3), trade("B", 10_000, at: Self.noon + 4),
    ])
    #expect(
      moves.map(move) == [
        "gainers A 0→1 2%", "gainers B 0→1 5%", "gainers A 1→2 2%", "losers C 0→1 -1%",
        // A falls from the gainers to the losers.
        "gainers A 2→0 -2%", "losers A 0→1 -2%", "losers C 1→2 -1%",
        // B is where it was: neither a gainer nor a loser.
        "gainers B 1→0 0%",
      ])
    #expect(moves[5].reference == 100)
    #expect(moves[5].change == -2)
    #expect(moves[6].time.ns == monday.ns + (Self.noon + 3) * second)
  }

  @Test func `a symbol without a close before the period is ranked from the next period on`() {
    var feed = feed { $0.by = [.percent, .volume] }
    let first = feed.take([trade("A", 10_000, size: 5, at: 0), trade("A", 11_000, size: 2, at: 1)])
    #expect(first.map(move) == ["active A 0→1 0% new", "active A 1→1 0% new"])
    #expect(first[1].volume == 7)
    #expect(first[1].turnover == 720)
    #expect(first[1].reference == 0)
    let second = feed.take([trade("A", 11_550, at: Self.noon)])
    // The list of Monday is cleared first.
    #expect(second.map(move) == ["active A 1→0 0% new", "gainers A 0→1 5%", "active A 0→1 5%"])
    #expect(second[2].volume == 1)
  }

  @Test func `with first_price a new symbol is compared with its first price`() {
    var feed = feed {
      $0.by = [.percent]
      $0.reference = .firstPrice
    }
    #expect(feed.take([trade("A", 10_000, at: 0), trade("A", 11_000, at: 1)]).map(move) == ["gainers A 0→1 10% new"])
  }

  @Test func `a day ends by time when nothing is traded, with the figures it had`() {
    var feed = afterMonday { $0.wait = .seconds(2) }
    _ = feed.take([trade("A", 10_200, at: Self.noon), trade("B", 9500, at: Self.noon)])
    #expect(feed.advance(to: 2 * 86_400 + 1) == [])
    let end = feed.advance(to: 2 * 86_400 + 500)
    #expect(end.map(move) == ["gainers A 1→0 2%", "losers B 1→0 -5%"])
    // It was due two seconds after midnight, whenever that is noticed.
    #expect(end.allSatisfy { $0.received.ns == monday.ns + (2 * 86_400 + 2) * second && $0.time.ns == monday.ns + 2 * day })
    #expect(feed.advance(to: 10 * 86_400) == [])
    // Ten days later the last close is still the reference.
    #expect(feed.take([trade("A", 10_302, at: 10 * 86_400)]).map(move) == ["gainers A 0→1 1%"])
  }

  @Test func `a late trade counts in its day until that is over, and then only corrects the close`() {
    var feed = afterMonday()
    // Received on Tuesday, but traded on Monday, after the last price then.
    #expect(feed.take([trade("A", 10_200, at: Self.noon)]).map(move) == ["gainers A 0→1 2%"])
    #expect(feed.take([trade("A", 10_100, at: 86_399, delay: 12 * 3600 + 2)]).map(move) == ["gainers A 1→1 0.990099009%"])
    // Traded before that, it is not the close.
    #expect(feed.take([trade("A", 10_000, at: 86_398, delay: 12 * 3600 + 4)]) == [])
    // Within the day, a price that is older than the last one is not news.
    #expect(feed.take([trade("A", 10_300, at: Self.noon - 9, delay: 20)]).map(move) == ["gainers A 1→1 0.990099009%"])
  }

  @Test func `a trade that is dated more than five seconds ahead moves nothing`() {
    var feed = afterMonday()
    _ = feed.take([trade("A", 10_200, at: Self.noon)])
    // Dated a day ahead: it counts at its receipt, and the day goes on.
    #expect(feed.take([trade("A", 10_300, at: Self.noon + 86_400, delay: -86_390)]).map(move) == ["gainers A 1→1 3%"])
  }

  @Test func `a jump is marked and not ranked until the price comes back or the period ends`() {
    var feed = afterMonday()
    let moves = feed.take([
      trade("A", 15_000, at: Self.noon), trade("A", 15_100, at: Self.noon + 1), trade("A", 10_500, at: Self.noon + 2),
      // In steps it may go as far as it likes.
      trade("B", 13_000, at: Self.noon + 3), trade("B", 16_000, at: Self.noon + 4), trade("C", 5000, at: Self.noon + 5),
    ])
    #expect(
      moves.map(move) == [
        "gainers A 0→0 50% jump", "gainers A 0→1 5%", "gainers B 0→1 30%", "gainers A 1→2 5%", "gainers B 1→1 60%",
        "losers C 0→0 -50% jump",
      ])
    // On the next day the price after the jump is the reference.
    let next = feed.take([trade("C", 5050, at: Self.noon + 86_400)])
    #expect(next.map(move) == ["gainers B 1→0 60%", "gainers A 2→0 5%", "gainers C 0→1 1%"])
  }

  @Test func `a price exactly at the limit is no jump`() {
    var feed = afterMonday()
    #expect(feed.take([trade("A", 14_000, at: Self.noon)]).map(move) == ["gainers A 0→1 40%"])
    #expect(feed.take([trade("B", 6000, at: Self.noon)]).map(move) == ["losers B 0→1 -40%"])
    #expect(feed.take([trade("C", 5999, at: Self.noon)]).map(move) == ["losers C 0→0 -40.01% jump"])
  }

  @Test func `a jump after a long pause is a ticker that is used again`() {
    var feed = afterMonday()
    #expect(feed.take([trade("A", 15_000, at: 40 * 86_400)]).map(move) == ["gainers A 0→0 50% reused"])
    #expect(feed.take([trade("B", 11_000, at: 40 * 86_400 + 1)]).map(move) == ["gainers B 0→1 10%"])
  }

  @Test func `a split is applied to what is known from before it`() {
    let splits = MarketReference(
      calendars: [UTCPeriods.days],
      split: { symbol, time in
        let tuesday = monday.ns + day
        return symbol == "A" && time < tuesday ? PriceSplit(time: tuesday, new: 7, old: 1) : nil
      })
    var feed = afterMonday({ _ in }, splits)
    // 100 becomes 14.285714286, rounded half to even; 14.50 is 1.5 % more, cut towards zero.
    let moves = feed.take([trade("A", 1450, at: Self.noon), trade("A", 1400, at: Self.noon + 1)])
    #expect(
      moves.map(move) == ["gainers A 0→1 1.499999997% split", "gainers A 1→0 -2.000000001% split", "losers A 0→1 -2.000000001% split"])
    #expect(moves[0].reference == Price(raw: 14_285_714_286))
    // Wednesday knows nothing of it.
    #expect(feed.take([trade("A", 1428, at: Self.noon + 86_400)]).last.map(move) == "gainers A 0→1 2%")
  }

  @Test func `weeks begin on Monday`() {
    var feed = feed {
      $0.by = [.percent]
      $0.period = .week
    }
    // Friday and Sunday of the week before are one week with the Wednesday before; Sunday's price is its close.
    let moves = feed.take([
      trade("A", 9000, at: -3 * 86_400), trade("A", 10_000, at: -1), trade("A", 10_100, at: 0), trade("A", 10_200, at: 6 * 86_400),
      trade("A", 10_404, at: 7 * 86_400),
    ])
    #expect(moves.map(move) == ["gainers A 0→1 1%", "gainers A 1→1 2%", "gainers A 1→0 2%", "gainers A 0→1 2%"])
  }

  @Test func `the last hour moves on by its buckets`() {
    var feed = feed {
      $0.by = [.percent, .volume]
      $0.period = .rolling(.seconds(3600))
      $0.buckets = 6
      $0.wait = .zero
    }
    // Buckets of ten minutes. 00:00 A 100, 00:25 A 110.
    #expect(feed.take([trade("A", 10_000, size: 3, at: 0), trade("A", 11_000, size: 2, at: 1500)]).map(move).last == "active A 1→1 0% new")
    // At 01:10 the first bucket has left: its price is the reference, and two are left of five units.
    #expect(feed.advance(to: 4199) == [])
    let moved = feed.advance(to: 4200)
    #expect(moved.map(move) == ["gainers A 0→1 10%", "active A 1→1 10%"])
    #expect(moved.map(\.volume) == [2, 2])
    #expect(moved.allSatisfy { $0.received.ns == monday.ns + 4200 * second })
    // At 01:30 nothing is left of it, and it leaves.
    let left = feed.advance(to: 99_999)
    #expect(left.map(move) == ["gainers A 1→0 0%", "active A 1→0 0%"])
    #expect(left.allSatisfy { $0.received.ns == monday.ns + 5400 * second })
  }

  @Test func `the least price and volume decide who is ranked`() {
    var feed = afterMonday {
      $0.minPrice = 101
      $0.minVolume = 2
    }
    let moves = feed.take([
      trade("A", 10_200, at: Self.noon), trade("A", 10_200, at: Self.noon + 1), trade("A", 10_050, at: Self.noon + 2),
      trade("B", 9000, size: 9, at: Self.noon + 3),
    ])
    #expect(moves.map(move) == ["gainers A 0→1 2%", "gainers A 1→0 0.5%"])
  }

  @Test func `a list is as long as it says, and who falls behind makes room`() {
    var feed = afterMonday { $0.top = 2 }
    let moves = feed.take([
      trade("A", 10_100, at: Self.noon), trade("B", 10_200, at: Self.noon), trade("C", 10_300, at: Self.noon),
      trade("C", 10_050, at: Self.noon), trade("C", 10_060, at: Self.noon),
    ])
    #expect(
      moves.map(move) == [
        "gainers A 0→1 1%", "gainers B 0→1 2%", "gainers A 1→2 1%", "gainers C 0→1 3%", "gainers B 1→2 2%", "gainers A 2→0 1%",
        "gainers C 1→0 0.5%", "gainers B 2→1 2%", "gainers A 0→2 1%",
      ])
  }

  @Test func `sessions: what is traded outside counts for nothing, and the lists stay until the next one`() {
    /// From 9 to 17 o'clock.
    struct Hours: PeriodCalendar {
      func span(at time: Int64) -> PeriodSpan? {
        let hour = 3600 * second
        guard let date = UTCPeriods.days.span(at: time - 9 * hour) else { return nil }
        let start = date.start + 9 * hour
        return PeriodSpan(start: start, until: start + 8 * hour, end: start + day)
      }
    }
    var feed = feed(
      {
        $0.by = [.percent]
        $0.period = .session
      }, MarketReference(calendars: [Hours()]))
    let hour: Int64 = 3600
    let moves = feed.take([
      trade("A", 10_000, at: 16 * hour), trade("A", 12_000, at: 17 * hour), trade("A", 10_200, at: 33 * hour),
      trade("A", 10_900, at: 42 * hour), trade("A", 10_302, at: 57 * hour),
    ])
    #expect(moves.map(move) == ["gainers A 0→1 2%", "gainers A 1→0 2%", "gainers A 0→1 1%"])
    #expect(moves.allSatisfy { $0.period == .session })
  }

  @Test func `calendars of several exchanges end their days separately`() {
    /// Days that begin at six.
    struct Late: PeriodCalendar {
      func span(at time: Int64) -> PeriodSpan? {
        UTCPeriods.days.span(at: time - 6 * 3600 * second).map {
          PeriodSpan(start: $0.start + 6 * 3600 * second, end: $0.end + 6 * 3600 * second)
        }
      }
    }
    let both = MarketReference(calendars: [UTCPeriods.days, Late()], calendar: { $0 == "B" ? 1 : 0 })
    var feed = afterMonday({ _ in }, both)
    #expect(feed.take([trade("A", 10_100, at: Self.noon), trade("B", 10_200, at: Self.noon)]).count == 3)
    // At midnight A's day is over: B moves up from rank 1 to rank 1, so only A is told. B's day ends at six.
    #expect(feed.advance(to: 2 * 86_400 + 1).map(move) == ["gainers A 2→0 1%"])
    #expect(feed.advance(to: 3 * 86_400).map(move) == ["gainers B 1→0 2%"])
  }

  @Test func `a bar that is issued again replaces the one before, and bars of other lengths are left out`() {
    func bar(_ close: Price, _ volume: Quantity, at seconds: Int64, revision: UInt32 = 0, _ length: String = "1m") -> Bar {
      Bar(
        symbol: "A", open: close, high: close, low: close, close: close, volume: volume, time: Timestamp(ns: monday.ns + seconds * second),
        received: Timestamp(ns: monday.ns + (seconds + 60) * second), length: BarLength(length) ?? .unknown, revision: revision)
    }
    var feed = feed { $0.by = [.volume] }
    let moves = feed.take([
      bar(10, 5, at: 0), bar(11, 7, at: 0, revision: 1), bar(12, 1, at: 60), bar(12, 8, at: 0, revision: 2), bar(99, 9, at: 0, "1h"),
    ])
    #expect(moves.map { "\($0.price) \($0.volume)" } == ["10 5", "11 7", "12 8", "12 8"])
  }

  @Test func `of a ranking the growth of the volume counts, and who has left it is not news`() {
    func ranked(_ price: Price, _ volume: Quantity, rank: UInt32 = 1, at seconds: Int64) -> Ranked {
      let time = Timestamp(ns: monday.ns + seconds * second)
      return Ranked(
        symbol: "A", rank: rank, previousRank: 1, price: price, change: 0, percent: 0, volume: volume, time: time, received: time)
    }
    var feed = feed { $0.by = [.volume] }
    let moves = feed.take([ranked(10, 5, at: 1), ranked(11, 8, at: 2), ranked(11, 8, rank: 0, at: 3), ranked(12, 9, at: Self.noon)])
    #expect(moves.map { "\($0.rank) \($0.price) \($0.volume)" } == ["1 10 5", "1 11 8", "0 11 8", "1 12 1"])
  }

  @Test func `a trade whose price does not count adds its size, and no price`() {
    func marked(_ hundredths: Int64, _ size: Int64, _ condition: TradeCondition, at seconds: Int64) -> Trade {
      var trade = trade("A", hundredths, size: size, at: seconds)
      trade.condition = condition
      return trade
    }
    for period in [MoverSpan.day, .rolling(.seconds(86_400))] {
      var feed = feed {
        $0.by = [.volume]
        $0.period = period
      }
      #expect(feed.take([marked(99_900, 50, .averagePrice, at: 0)]).isEmpty)
      let moves = feed.take([
        marked(10_000, 1, .regular, at: 1), marked(99_900, 5, .oddLot, at: 2), marked(99_900, 5, .cancelled, at: 3),
        marked(11_000, 2, .regular, at: 4),
      ])
      #expect(moves.map { "\($0.price) \($0.volume) \($0.turnover)" }.last == "110 8 5315", "\(period)")
      #expect(moves.map(\.price) == [100, 100, 110], "\(period)")
    }
  }

  @Test func `numbers at the ends of their range do no harm`() {
    let prices: [Int64] = [.max, .min, 0, 1, -1, .max]
    for period in [MoverSpan.day, .week, .rolling(.seconds(60))] {
      var feed = feed { $0.period = period }
      var sent = 0
      for time in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
        for price in prices {
          let event = Trade(
            symbol: "A", price: Price(raw: price), size: Quantity(raw: price), time: Timestamp(ns: time), received: Timestamp(ns: time))
          sent += feed.take([event]).count
        }
        var output = Collected()
        feed.advance(to: Timestamp(ns: time), into: &output)
      }
      #expect(sent > 0)
    }
  }
}
