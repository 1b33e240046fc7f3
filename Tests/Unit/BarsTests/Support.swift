import TestSupport
import StockbusPlugin

@testable import Bars

let second: Int64 = 1_000_000_000
/// 2013-10-08T13:30:00Z, a Tuesday.
let morning: Int64 = 1_381_239_000 * second

/// The price of a trade.
struct TradePrice: PriceReader {
  func price(of trade: Trade) -> Price? { trade.price }
}

/// What a book did.
struct Outcome: Equatable {
  var bars: [Bar] = []
  /// One for each refusal: the event's number and the reason.
  var refusals: [String] = []
}

/// Drives a book without a runtime.
struct Driver: ~Copyable {
  private var book: BarBook
  private let topic = Topic<Bar>("bars", capacity: 1 << 12)
  private let inlet: Inlet<Bar>
  private var output: Outlet<Bar>
  private(set) var outcome = Outcome()
  private var taken = 0

  init(_ rules: BarRules, calendar: (@Sendable (Symbol) -> (any BarCalendar)?)? = nil) {
    book = BarBook(rules, calendar: calendar)
    inlet = topic.attach(Parker())
    output = Outlet(topic)
  }

  mutating func take(_ trades: some Collection<Trade>) {
    let trades = Array(trades)
    book.take(trades.span, by: TradePrice(), into: &output)
    settle(trades.count)
  }

  mutating func take(_ bars: some Collection<Bar>) {
    let bars = Array(bars)
    book.take(bars.span, into: &output)
    settle(bars.count)
  }

  mutating func advance(to time: Int64) {
    book.advance(to: time, into: &output)
    settle(0)
  }

  mutating func drain() {
    book.drain(into: &output)
    settle(0)
  }

  /// Goes on with another book, which gets what this one leaves, through a file.
  mutating func handOver(to rules: BarRules) {
    let left = try? written(book.snapshot)
    book = BarBook(rules)
    if let left { book.restore(left) }
  }

  /// What the book leaves, damaged; false if that is refused.
  mutating func handOverDamaged(to rules: BarRules, _ random: inout SplitMix) throws -> Bool {
    guard let left = try damaged(book.snapshot, &random) else { return false }
    book = BarBook(rules)
    book.restore(left)
    return true
  }

  /// How many bars were not sent for want of a price.
  var unpriced: Int { book.unpriced }

  /// How many cells the book has, used or not.
  var cellCount: Int { book.cells.count }

  private mutating func settle(_ count: Int) {
    outcome.refusals += book.refusals.map { "\(taken + $0.event) \($0.reason) \($0.length)" }
    book.refusals = []
    taken += count
    output.commit()
    while true {
      let batch = inlet.nextBatch(limit: 4096)
      if batch.isEmpty { return }
      inlet.begin(batch.count)
      outcome.bars += Array(batch)
      inlet.finish(batch.count)
    }
  }
}

/// A trade `time` seconds after the beginning, received `after` seconds later.
func trade(
  _ symbol: Symbol = "A", _ price: Price, _ size: Quantity = 1, at time: Int64, after delay: Int64 = 0, decimals: UInt8 = 0
) -> Trade {
  Trade(
    symbol: symbol, price: price, size: size, time: Timestamp(ns: morning + time), received: Timestamp(ns: morning + time + delay),
    priceDecimals: decimals)
}

/// What a book makes of these trades in one batch, with its end.
func bars(_ trades: [Trade], _ rules: BarRules) -> Outcome {
  var driver = Driver(rules)
  driver.take(trades)
  driver.drain()
  return driver.outcome
}

/// A bar in one line: `A 1m +0 10/12/9/11 x30 vwap 10.5 n3 @+60.2`; times are seconds after `morning`.
func line(_ bar: Bar) -> String {
  var words = ["\(bar.symbol)", "\(bar.length)", seconds(bar.time)]
  words.append([bar.open, bar.high, bar.low, bar.close].map { "\($0)" }.joined(separator: "/"))
  words.append("x\(bar.volume) vwap \(bar.vwap) n\(bar.count)")
  if bar.revision > 0 { words.append("r\(bar.revision)") }
  if bar.status == .partial { words.append("partial") }
  words.append("@" + seconds(bar.received))
  return words.joined(separator: " ")
}

private func seconds(_ time: Timestamp) -> String {
  let (difference, overflow) = time.ns.subtractingReportingOverflow(morning)
  return overflow ? "\(time.ns)ns" : (difference < 0 ? "" : "+") + "\(Quantity(raw: difference))"
}
