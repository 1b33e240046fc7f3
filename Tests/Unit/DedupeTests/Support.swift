import StockbusPlugin
import TestSupport

@testable import Dedupe

let second: Int64 = 1_000_000_000
/// 2013-10-08T13:30:00Z.
let morning: Int64 = 1_381_239_000 * second

/// A trade of a number of milliseconds after `morning`, that came some later.
func trade(_ price: Price, of symbol: Symbol = "A", at milliseconds: Int64 = 0, came later: Int64) -> Trade {
  Trade(
    symbol: symbol, price: price, size: 1, time: Timestamp(ns: morning + milliseconds * 1_000_000),
    received: Timestamp(ns: morning + later * 1_000_000))
}

/// `A 10 @+1000`: a trade with its receipt in milliseconds after `morning`.
func line(_ trade: Trade) -> String {
  let (after, overflow) = trade.received.ns.subtractingReportingOverflow(morning)
  return "\(trade.symbol) \(trade.price) " + (overflow ? "\(trade.received.ns)ns" : "@+\(after / 1_000_000)")
}

/// Drives the state of a plugin without a runtime.
struct Driver<E: Event>: ~Copyable {
  private var state: Occurrences<E>
  private let topic = Topic<E>("once", capacity: 1 << 12)
  private let inlet: Inlet<E>
  private var output: Outlet<E>
  private let within: Int64
  private let names: [String]?
  private let memory: Int
  private(set) var passed: [E] = []
  private(set) var filtered = 0
  var remembered: [[UInt32]] { state.remembered.map(\.counts) }
  var forgottenEarly: Int { state.forgottenEarly }
  var onlyHere: [Int] { state.onlyHere }

  init(within: Int64, by names: [String]? = nil, lines: [String] = ["a", "b"], memory: Int = 64 << 20) {
    (self.within, self.names, self.memory) = (within, names, memory)
    state = Occurrences(within: within, identity: EventIdentity(by: names, seed: 7), memory: memory)
    state.attend(to: lines)
    inlet = topic.attach(Parker())
    output = Outlet(topic)
  }

  mutating func take(_ events: some Collection<E>, from line: Int) {
    state.take(Array(events).span, from: line, into: &output)
    settle()
  }

  mutating func attend(to lines: [String]) { state.attend(to: lines) }

  mutating func drain() { state.drain() }

  /// Goes on with another one, which gets what this one leaves, through a file.
  mutating func handOver() throws {
    let left = try written(state.saved)
    begin(after: left)
    state.attend(to: left.lines)
  }

  /// The same with damage; false if it is refused.
  mutating func handOverDamaged(to lines: [String], _ random: inout SplitMix) throws -> Bool {
    guard let left = try damaged(state.saved, &random) else { return false }
    begin(after: left)
    state.attend(to: lines)
    return true
  }

  private mutating func begin(after left: SavedOccurrences) {
    state = Occurrences(within: within, identity: EventIdentity(by: names, seed: 8), memory: memory)
    state.restore(left)
  }

  private mutating func settle() {
    filtered += output.takeFiltered()
    output.commit()
    while true {
      let batch = inlet.nextBatch(limit: 4096)
      if batch.isEmpty { return }
      inlet.begin(batch.count)
      passed += Array(batch)
      inlet.finish(batch.count)
    }
  }
}

/// The same, slow and obvious: every content is kept until its time is over, with all counts.
struct Model {
  private struct Content {
    var counts: [Int]
    var passed = 0
    var last: Int64
  }

  let within: Int64
  let lines: Int
  private var contents: [String: Content] = [:]
  private var now = Int64.min
  private(set) var passed: [Trade] = []
  private(set) var onlyHere: [Int]

  init(within: Int64, lines: Int) {
    (self.within, self.lines) = (within, lines)
    onlyHere = Array(repeating: 0, count: lines)
  }

  mutating func take(_ trade: Trade, from line: Int) {
    now = max(now, trade.received.ns)
    for (key, content) in contents where now - content.last > within { forget(key, content) }
    let key = "\(trade.symbol) \(trade.price) \(trade.size) \(trade.side) \(trade.time) \(trade.condition)"
    var content = contents[key] ?? Content(counts: Array(repeating: 0, count: lines), last: now)
    content.counts[line] += 1
    content.last = now
    if content.counts[line] > content.passed {
      content.passed += 1
      passed.append(trade)
    }
    contents[key] = content
  }

  private mutating func forget(_ key: String, _ content: Content) {
    let ranks = content.counts.sorted(by: >) + [0]
    onlyHere[content.counts.firstIndex(of: ranks[0]) ?? 0] += ranks[0] - ranks[1]
    contents[key] = nil
  }

  mutating func drain() { for (key, content) in contents { forget(key, content) } }
}
