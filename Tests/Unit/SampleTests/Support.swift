import StockbusPlugin
import TestSupport

@testable import Sample

let second: Int64 = 1_000_000_000
/// 2013-10-08T13:30:00Z.
let morning: Int64 = 1_381_239_000 * second

/// A trade that came so many milliseconds after `morning`, half a millisecond after its time.
func trade(_ symbol: Symbol, _ price: Price, at milliseconds: Int64, _ condition: TradeCondition = .regular) -> Trade {
  let received = morning + milliseconds * 1_000_000
  return Trade(
    symbol: symbol, price: price, size: 1, time: Timestamp(ns: received - 500_000), received: Timestamp(ns: received), condition: condition)
}

/// `A 10 @+1000`: a trade with its receipt in milliseconds after `morning`.
func line(_ trade: Trade) -> String {
  let (after, overflow) = trade.received.ns.subtractingReportingOverflow(morning)
  return "\(trade.symbol) \(trade.price) " + (overflow ? "\(trade.received.ns)ns" : "@+\(after / 1_000_000)")
}

/// Drives a book without a runtime.
struct Driver: ~Copyable {
  private var book: SampleBook<Trade>
  private let topic = Topic<Trade>("thin", capacity: 1 << 12)
  private let inlet: Inlet<Trade>
  private var output: Outlet<Trade>
  private(set) var sent: [Trade] = []
  private(set) var filtered = 0
  var passedOver: Int { book.passedOver }
  var due: Int64? { book.due }

  init(every: Int64) {
    book = SampleBook(every: every)
    inlet = topic.attach(Parker())
    output = Outlet(topic)
  }

  mutating func take(_ trades: some Collection<Trade>) {
    book.take(Array(trades).span, into: &output)
    settle()
  }

  mutating func advance(to time: Int64) {
    book.advance(to: time, into: &output)
    settle()
  }

  mutating func drain() {
    book.drain(into: &output)
    settle()
  }

  /// Goes on with another book, which gets what this one leaves, through a file.
  mutating func handOver(every: Int64) throws {
    let left = try written(book.saved)
    book = SampleBook(every: every)
    book.restore(left)
  }

  /// The same with damage; false if it is refused.
  mutating func handOverDamaged(every: Int64, _ random: inout SplitMix) throws -> Bool {
    guard let left = try damaged(book.saved, &random) else { return false }
    book = SampleBook(every: every)
    book.restore(left)
    return true
  }

  private mutating func settle() {
    filtered += output.takeFiltered()
    output.commit()
    while true {
      let batch = inlet.nextBatch(limit: 4096)
      if batch.isEmpty { return }
      inlet.begin(batch.count)
      sent += Array(batch)
      inlet.finish(batch.count)
    }
  }
}

/// The same, slow and obvious: before each event, the interval that ends first among all symbols is looked for, again and again.
struct Model {
  private struct Interval {
    var end: Int64
    /// How many intervals began before it.
    var number: Int
    var waiting: Trade?
    /// How many events came before the waiting one.
    var arrival = 0
  }

  let every: Int64
  private var intervals: [Symbol: Interval] = [:]
  private var begun = 0
  private var arrivals = 0
  private var last = Int64.min
  private(set) var sent: [Trade] = []

  init(every: Int64) { self.every = every }

  private mutating func begin(_ symbol: Symbol, at start: Int64) {
    begun += 1
    intervals[symbol] = Interval(end: start + every, number: begun)
  }

  private mutating func send(_ trade: Trade, at time: Int64) {
    var trade = trade
    trade.received = Timestamp(ns: time)
    sent.append(trade)
    last = max(last, time)
  }

  mutating func take(_ trades: [Trade]) {
    for trade in trades {
      end(by: trade.received.ns)
      arrivals += 1
      last = max(last, trade.received.ns)
      guard var interval = intervals[trade.symbol] else {
        sent.append(trade)
        begin(trade.symbol, at: trade.received.ns)
        continue
      }
      if let waiting = interval.waiting, waiting.condition.countsForLast, !trade.condition.countsForLast { continue }
      interval.waiting = trade
      interval.arrival = arrivals
      intervals[trade.symbol] = interval
    }
  }

  private mutating func end(by time: Int64) {
    while let next = intervals.min(by: { ($0.value.end, $0.value.number) < ($1.value.end, $1.value.number) }), next.value.end <= time {
      intervals[next.key] = nil
      if let waiting = next.value.waiting {
        send(waiting, at: next.value.end)
        begin(next.key, at: next.value.end)
      }
    }
  }

  mutating func drain() {
    for interval in intervals.values.sorted(by: { $0.arrival < $1.arrival }) {
      if let waiting = interval.waiting { send(waiting, at: last) }
    }
    intervals = [:]
  }
}
