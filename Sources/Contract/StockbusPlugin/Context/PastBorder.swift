public import EventBus
package import MarketData

/// Where the past of a live source has ended, which was played before it began: it tells which of the source's first events were in there.
///
/// By their times: of a symbol, what is before the end of its past was in there, and of what is at that very time as many events as the past
/// had of it. A late event of a venue that does not order its times counts as one that was in there, so whoever knows better, as by a venue's
/// numbers, does not ask.
public struct PastBorder: Sendable {
  /// The newest event of a symbol in the past, and how many had its time.
  private struct Last: Sendable {
    let time: Timestamp
    var count: Int
  }

  private var ends: [Symbol: Last]
  private let doubles: Counter?

  /// The border of this source; without a past all events pass.
  public init(_ context: Context) {
    let end = context.recall(PastEnd.memory)
    ends = Dictionary(end?.symbols.map { ($0.symbol, Last(time: $0.time, count: $0.count)) } ?? []) { first, _ in first }
    doubles = end.map { _ in context.counter("doubles", "Events that had come before, in the past or live, and were not sent again.") }
  }

  /// True once every symbol of the past has had an event after it, so that nothing more can be left out.
  public var isOver: Bool { ends.isEmpty }

  /// False if the event was in the past, and must not be sent again; it is then counted.
  public mutating func admits<E: Event>(_ event: E) -> Bool {
    guard let symbol = E.schema.symbol(of: event), let end = ends[symbol] else { return true }
    let time = E.schema.time(of: event)
    if time > end.time {
      ends[symbol] = nil
      return true
    }
    if time == end.time {
      if end.count == 0 { return true }
      ends[symbol]?.count -= 1
    }
    doubles?.add(1)
    return false
  }
}

/// The end of what was played before a live source.
package struct PastEnd: Sendable, Codable {
  package struct Last: Sendable, Codable {
    package let symbol: Symbol
    package let time: Timestamp
    /// How many had this time.
    package let count: Int

    package init(symbol: Symbol, time: Timestamp, count: Int) { (self.symbol, self.time, self.count) = (symbol, time, count) }
  }

  package let symbols: [Last]

  package init(symbols: [Last]) { self.symbols = symbols }

  /// The last time of each symbol.
  package var times: [Symbol: Timestamp] { Dictionary(symbols.map { ($0.symbol, $0.time) }) { max($0, $1) } }

  package static var memory: MemoryKey<PastEnd> { MemoryKey("end of the past", whenOptionsChange: .keep) }
  /// The name under which the last numbers of a venue are remembered.
  package static let numbers = "numbers"
}
