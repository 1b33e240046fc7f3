import EventBus
import MarketData
import StockbusInstruments
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import NotificationDispatcher

/// Rules against tables that were worked out by hand.
@Suite struct RuleTableTests {
  /// Which of these prices (in hundredths, one each second) fire the rule.
  private func firings(_ words: String, _ prices: [Int64], every step: Int64 = 1) throws -> [Int] {
    var book = RuleBook([Rule(try RuleWords.rule(words.split(separator: " ").map(String.init)))], windowLimit: 1000)
    var fired: [Int] = []
    for (i, price) in prices.enumerated() {
      if !process(&book, "AAPL", price, at: Int64(i) * step).isEmpty { fired.append(i) }
    }
    return fired
  }

  @Test func `a price that straddles a threshold fires once, and again after it got back by the margin`() throws {
    // The margin is 0.5% of 200, which is 1: it is armed again at 199.00 and not at 199.01.
    let prices: [Int64] = [
      19_900, 20_000, 20_001, 19_999, 20_001, 19_950, 20_100,  // crosses at 2; later crossings come before it is armed again
      19_901, 20_050,  // one cent above the margin
      19_900, 20_000, 20_010,  // below by the margin, at the threshold, above it
    ]
    #expect(try firings("AAPL crosses_above 200 rearm 0.5%", prices) == [2, 11])
    #expect(try firings("AAPL crosses_above 200", prices) == [2, 4, 6, 8, 11])
    #expect(try firings("AAPL crosses_above 200 rearm 0.99", prices) == [2, 8, 11])
    #expect(try firings("AAPL crosses_above 200 once", prices) == [2])
  }

  @Test func `downwards it is the same`() throws {
    let prices: [Int64] = [20_001, 20_000, 19_999, 20_001, 19_990, 20_100, 19_990]
    #expect(try firings("AAPL crosses_below 200 rearm 1.00", prices) == [2, 6])
    #expect(try firings("AAPL below 200 rearm 1.00", prices) == [2, 6])
    #expect(try firings("AAPL below 200", prices) == [2, 4, 6])
  }

  @Test func `a late start does not fire for a level already passed, unless told`() throws {
    let prices: [Int64] = [20_100, 20_200, 19_900, 20_100]
    #expect(try firings("AAPL above 200", prices) == [3])
    #expect(try firings("AAPL crosses_above 200", prices) == [3])
    #expect(try firings("AAPL above 200 initial", prices) == [0, 3])
    #expect(try firings("AAPL crosses_above 200 initial", prices) == [0, 3])
  }

  @Test func `a crossing within the cooldown is over, a level that still holds fires after it`() throws {
    // Armed at 0, fires at 1, back at 2, above again from 3 on; the cooldown ends at 6.
    let prices: [Int64] = [100, 300, 100, 300, 300, 300, 300, 300, 100, 300]
    #expect(try firings("AAPL crosses_above 2 cooldown 5s", prices) == [1, 9])
    #expect(try firings("AAPL above 2 cooldown 5s", prices) == [1, 6])
    #expect(try firings("AAPL above 2", prices) == [1, 3, 9])
  }

  @Test func `a reminder comes every so often while it holds`() throws {
    let prices: [Int64] = [100, 300, 300, 300, 300, 300, 100, 300, 300]
    #expect(try firings("AAPL above 2 remind 2s", prices) == [1, 3, 5, 7])
    #expect(try firings("AAPL above 2 remind 2s cooldown 3s", prices) == [1, 4, 7])
  }

  @Test func `a rule that has expired is silent`() throws {
    // The events' own times are used: 3 and 4 come at and after the end.
    let prices: [Int64] = [100, 300, 100, 300, 100, 300]
    #expect(try firings("AAPL above 2 expires 1970-01-01T00:00:03Z", prices) == [1])
    #expect(try firings("AAPL above 2 expires 1970-01-01T00:00:04Z", prices) == [1, 3])
  }

  @Test func `rises and falls are counted from the extremes of the window`() throws {
    // Lowest in force within 3 s: at 4 still the 100 of second 1, which went out of force at 2, 2 s before.
    let prices: [Int64] = [10_000, 10_000, 10_200, 10_300, 10_500, 10_500, 10_500, 10_400, 10_915]
    #expect(try firings("AAPL rises_by 5% window 3s", prices) == [4])
    // At 8 the lowest is 104.00, and 109.15 is 4.952% above it.
    #expect(try firings("AAPL rises_by 4.95% window 3s", prices) == [4, 8])
    #expect(try firings("AAPL rises_by 5.15 window 3s", prices) == [8])
    // Without a window the lowest is always 100.00; 104.00 at 7 arms it again.
    #expect(try firings("AAPL rises_by 5%", prices) == [4, 8])
    #expect(try firings("AAPL falls_by 1.00 window 2s", [10_300, 10_250, 10_200, 10_199, 10_300, 10_100]) == [2, 5])
    #expect(try firings("AAPL falls_by 50%", [10_000, 5001, 5000, 4000, 9000, 4500]) == [2, 5])
  }

  @Test func `a price from before a quiet stretch counts as long as it was the last one`() throws {
    // One price each minute: a jump after a pause is a rise within ten seconds.
    #expect(try firings("AAPL rises_by 5% window 10s", [10_000, 10_600], every: 60) == [1])
    #expect(try firings("AAPL rises_by 5% window 10s", [10_000, 10_300, 10_600], every: 60) == [])
  }

  @Test func `a change is counted from the beginning of the window or from the first price`() throws {
    let prices: [Int64] = [10_000, 10_300, 10_100, 10_310, 9900, 9600]
    #expect(try firings("AAPL of percent above 3%", prices) == [3])
    #expect(try firings("AAPL of change crosses_below -3.50", prices) == [5])
    // Two seconds before: 100.00, 103.00, 101.00, 103.10.
    #expect(try firings("AAPL of percent below -2% window 2s", prices) == [5])
    #expect(try firings("AAPL of change above 0 window 2s rearm 1", prices) == [1])
  }

  @Test func `a margin of a rise is in points of per cent`() throws {
    // Rises from 100: 5%, 4.5%, 5.2%, 3.9%, 5%.
    let prices: [Int64] = [10_000, 10_500, 10_450, 10_520, 10_390, 10_500]
    #expect(try firings("AAPL rises_by 5% rearm 1%", prices) == [1, 5])
    #expect(try firings("AAPL rises_by 5%", prices) == [1, 3, 5])
  }

  @Test func `times that go back a little do not move a window back`() throws {
    var book = RuleBook([Rule(try RuleWords.rule(["AAPL", "rises_by", "5.00", "window", "10s"]))], windowLimit: 100)
    #expect(process(&book, "AAPL", 10_000, at: 100).isEmpty)
    #expect(process(&book, "AAPL", 10_200, at: 105).isEmpty)
    #expect(process(&book, "AAPL", 10_400, at: 90).isEmpty)
    #expect(process(&book, "AAPL", 10_500, at: 106).count == 1)
  }

  @Test func `the price with which a symbol leaves a feed's first ranks is no news`() throws {
    var book = RuleBook([Rule(try RuleWords.rule(["AAPL", "above", "100"]))], windowLimit: 100)
    func fires(_ price: Price, rank: UInt32) -> Bool {
      let events = [
        Ranked(
          symbol: "AAPL", rank: rank, previousRank: 1, price: price, change: 0, percent: 0, volume: 0, time: Timestamp(ns: 0),
          received: Timestamp(ns: 0))
      ]
      return !book.process(events.span, isSilent: false).isEmpty
    }
    #expect(!fires(90, rank: 1))
    #expect(!fires(110, rank: 0))
    #expect(fires(110, rank: 2))
  }

  /// Which of these events (price in hundredths, time and time of receipt in seconds) fire, and how many times were not used.
  private func firings(_ words: String, _ events: [(price: Int64, time: Int64, received: Int64)]) throws -> ([Int], aside: Int) {
    var book = RuleBook([Rule(try RuleWords.rule(words.split(separator: " ").map(String.init)))], windowLimit: 1000)
    let second: Int64 = 1_000_000_000
    let fired = events.indices.filter { i in
      let event = events[i]
      let trade = Trade(
        symbol: "AHEAD", price: Price(raw: event.price * 10_000_000), size: 1, time: Timestamp(ns: event.time * second),
        received: Timestamp(ns: event.received * second), priceDecimals: 2)
      return !book.process([trade].span, isSilent: false).isEmpty
    }
    return (fired, book.takeAsides().datedAhead)
  }

  @Test func `an event dated ahead of its receipt moves no clock, and its price counts`() throws {
    let day: Int64 = 86_400
    // The event at 3 comes within the cooldown, whatever its own time is; the cooldown of 1 is over at 6, so 7 fires.
    let prices: [Int64] = [100, 300, 100, 300, 100, 300, 100, 300]
    let events = prices.enumerated().map { i, price in (price, Int64(i) + (i == 3 ? day : 0), Int64(i)) }
    #expect(try firings("* crosses_above 2 cooldown 5s", events) == ([1, 7], 1))
    // Its price alone fires, and the rule has not expired because of it.
    let year2200: Int64 = 7_258_118_400
    let late: [(Int64, Int64, Int64)] = [(100, 0, 0), (300, year2200, 1), (100, 2, 2), (300, 3, 3)]
    #expect(try firings("* above 2 expires 2000-01-01T00:00:00Z", late) == ([1, 3], 1))
    // Up to five seconds are accepted as the difference of two clocks.
    #expect(try firings("* above 2", [(100, 5, 0), (300, 7, 1)]) == ([1], 1))
  }

  @Test func `in a recording without times of receipt the clock is set back by three events`() throws {
    let day: Int64 = 86_400
    // 5 and 7 come while the clock is wrong: 5 fires because the clock says long after 3; 7 is the third contradicting event, which sets
    // the clock and the start of 5's cooldown back to its own second.
    let prices: [Int64] = [100, 300, 100, 300, 100, 300, 100, 300, 100, 300, 100, 300]
    let events = prices.enumerated().map { i, price in
      let time = Int64(i) + (i == 4 ? day : 0)
      return (price, time, time)
    }
    #expect(try firings("* above 2 cooldown 2s", events) == ([1, 3, 5, 9, 11], 1))
  }

  @Test func `the ends of the range of prices and times do not trap`() throws {
    for words in ["* rises_by 5% window 1s", "* falls_by 0.01", "* above 0 cooldown 5s", "* of percent below -50% window 5s"] {
      var book = RuleBook([Rule(try RuleWords.rule(words.split(separator: " ").map(String.init)))], windowLimit: 4)
      for price in [Int64.min, .max, 0, -1, 1, .min, .max] {
        for time in [Int64.min, 0, .max] { _ = process(&book, raw: price, "EDGE", ns: time) }
      }
    }
  }
}

/// Processes one event, with its price in hundredths and its time in seconds.
func process(_ book: inout RuleBook, _ symbol: Symbol, _ price: Int64, at second: Int64, isSilent: Bool = false) -> [RuleBook.Firing] {
  process(&book, raw: price * 10_000_000, symbol, ns: second * 1_000_000_000, isSilent: isSilent)
}

func process(
  _ book: inout RuleBook, raw price: Int64, _ symbol: Symbol, ns: Int64, isSilent: Bool = false
) -> [RuleBook.Firing] {
  let trades = [
    Trade(symbol: symbol, price: Price(raw: price), size: 1, time: Timestamp(ns: ns), received: Timestamp(ns: ns), priceDecimals: 2)
  ]
  return book.process(trades.span, isSilent: isSilent)
}

/// `since: previous_close`, by hand. The close before day 10 is 100.00.
@Suite struct SinceCloseTests {
  private static let day: Int64 = 86_400

  private func book(_ words: String, known: Bool = true) throws -> RuleBook {
    let past = known ? PastPrices(closes: ["AAPL": .init(day: 9, price: 100)]) : PastPrices()
    return RuleBook(
      [Rule(try RuleWords.rule(words.split(separator: " ").map(String.init)))], windowLimit: 100,
      closes: PreviousCloses(past, Instruments()))
  }

  /// Which of the prices, each with its second after day 10 has begun, fire the rule.
  private func firings(_ words: String, _ prices: [(Int64, Int64)], known: Bool = true) throws -> [Int] {
    var book = try book(words, known: known)
    return prices.indices.filter { !process(&book, "AAPL", prices[$0].1, at: 10 * Self.day + prices[$0].0).isEmpty }
  }

  @Test func `changes count from the close before, and a new date arms the rule`() throws {
    let prices: [(Int64, Int64)] = [
      (0, 10_300), (1, 10_499), (2, 10_500), (3, 10_600),
      // 106.00 is the close; 111.30 is 5 % above it.
      (Self.day, 11_129), (Self.day + 1, 11_130),
      // A date that begins above the threshold.
      (2 * Self.day, 11_700),
    ]
    #expect(try firings("AAPL rises_by 5% since previous_close", prices) == [2, 5, 6])
    #expect(try firings("AAPL of percent crosses_above 5% since previous_close", prices) == [3, 6])
    #expect(try firings("AAPL of change above 5.00 since previous_close", prices) == [3, 4, 6])
    #expect(try firings("AAPL rises_by 5% since previous_close once", prices) == [2])
    #expect(try firings("AAPL falls_by 1% since previous_close", [(0, 10_000), (1, 9901), (2, 9900)]) == [2])
    // What holds already with the first price of the run fires only if it is told to.
    #expect(try firings("AAPL rises_by 5% since previous_close", [(0, 10_600), (1, 10_700)]) == [])
    #expect(try firings("AAPL rises_by 5% since previous_close initial", [(0, 10_600), (1, 10_700)]) == [0])
  }

  @Test func `without a known close the first price counts, and the message says so`() throws {
    let prices: [(Int64, Int64)] = [(0, 10_300), (1, 10_600), (2, 10_815)]
    #expect(try firings("AAPL rises_by 5% since previous_close", prices, known: false) == [2])
    for (known, text) in [
      (true, "AAPL rose by 8.15 (8.15%) since the previous close: 100.00 → 108.15"),
      (false, "AAPL rose by 5.15 (5.00%) since its first price: 103.00 → 108.15"),
    ] {
      var book = try book("AAPL rises_by 5% since previous_close", known: known)
      _ = process(&book, "AAPL", 10_300, at: 10 * Self.day)
      let firing = try #require(process(&book, "AAPL", 10_815, at: 10 * Self.day + 1).first)
      let rule = try #require(book.rules[0])
      #expect(RuleMessage(rule: rule, firing: firing).text == text)
      #expect(book.takeAsides().withoutClose == (known ? 0 : 1))
    }
  }

  @Test func `a rule that is added later counts from the same close`() throws {
    var book = try book("AAPL rises_by 50% since previous_close")
    _ = process(&book, "AAPL", 10_300, at: 10 * Self.day)
    book.add(Rule(try RuleWords.rule(["AAPL", "rises_by", "5%", "since", "previous_close"])))
    #expect(process(&book, "AAPL", 10_499, at: 10 * Self.day + 1).isEmpty)
    #expect(process(&book, "AAPL", 10_500, at: 10 * Self.day + 2).count == 1)
  }

  @Test(arguments: [
    ("AAPL above 5 since previous_close", "'since' is for changes"),
    ("AAPL rises_by 5% since previous_close window 1m", "either 'since' or 'window'"),
  ])
  func `it goes with changes and without a window`(words: String, part: String) throws {
    var message = ""
    do { _ = try book(words) } catch { message = "\(error)" }
    #expect(message.contains(part), "\(message)")
  }
}
