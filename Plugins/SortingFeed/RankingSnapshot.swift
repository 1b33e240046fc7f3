internal import StockbusInstruments
internal import StockbusPlugin

/// The state of a ranking and of its readers, for the ranking that follows it with other options.
struct RankingSnapshot: Sendable, Codable {
  struct Row: Sendable, Codable {
    let symbol: Symbol
    let standing: Standing
    /// Nil if the symbol is not in the order.
    let last: Ranked?
    /// The number that it is ordered by, if that is not one of the feed's own figures.
    var number: Int64?

    var withoutNumber: Row { Row(symbol: symbol, standing: standing, last: last) }
  }

  /// The number in words; nil if symbols are ordered by one of the feed's own figures.
  let number: String?
  /// In the order of first appearance.
  let rows: [Row]
  /// The places in `rows` of the symbols in the readers' list, best first.
  let published: [UInt32]
  /// Nil if changes count from the first price.
  let closes: PreviousCloses?
  /// Nil if no instrument has been split.
  let splits: SplitWatch?

  var since: RankingStart { closes == nil ? .firstPrice : .previousClose }
}

extension RankingSnapshot {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    number = try container.decodeIfPresent(String.self, forKey: .number)
    rows = try container.decode([Row].self, forKey: .rows)
    published = try container.decode([UInt32].self, forKey: .published)
    closes = try container.decodeIfPresent(PreviousCloses.self, forKey: .closes)
    splits = try container.decodeIfPresent(SplitWatch.self, forKey: .splits)
    let isSound =
      Set(rows.map(\.symbol)).count == rows.count && Set(published).count == published.count
      && published.allSatisfy { $0 < rows.count && rows[Int($0)].last != nil }
      && rows.allSatisfy { $0.last?.symbol ?? $0.symbol == $0.symbol }
    if !isSound { throw DecodingError.dataCorruptedError(forKey: .rows, in: container, debugDescription: "no order of symbols") }
  }
}

extension Ranking {
  func snapshot(_ closes: PreviousCloses?, _ splits: SplitWatch? = nil) -> RankingSnapshot {
    var symbols = [Symbol](repeating: Symbol(id: 0), count: standings.count)
    for id in 0..<entries.count where Int(entries[id]) < standings.count { symbols[Int(entries[id])] = Symbol(id: UInt32(id)) }
    let rows = symbols.enumerated().map { number, symbol in
      RankingSnapshot.Row(
        symbol: symbol, standing: standings[number], last: last(symbol, UInt32(number)),
        number: self.number == nil ? nil : order.key(of: UInt32(number)))
    }
    var published: [UInt32] = []
    order.forEach(ranks: 0..<top) { entry, _ in published.append(entry) }
    return RankingSnapshot(number: number, rows: rows, published: published, closes: closes, splits: splits)
  }

  /// Sends the present list to readers who have the list of `earlier`, at the times of `event`: the symbols that have left, then all of it
  /// from the best rank on. Unchanged ranks are sent too: readers of a feed without `top` do not know them from the last events of the
  /// symbols.
  ///
  /// Each event is a move like any other, so its previous rank is that after the events before it. This ranking is the one that has been
  /// restored from `earlier`, or empty.
  func send<E: PricedEvent>(after earlier: RankingSnapshot, at event: E, into output: inout Outlet<Ranked>) {
    func send(_ number: UInt32, from previous: Int?, to rank: Int?, _ output: inout Outlet<Ranked>) {
      guard var ranked = earlier.rows[Int(number)].last else { return }
      ranked.rank = rank.map { UInt32($0 + 1) } ?? 0
      ranked.previousRank = previous.map { UInt32($0 + 1) } ?? 0
      ranked.time = event.time
      ranked.received = event.received
      output.send(ranked)
    }
    // The numbers in `earlier` by the present ones; they differ if names decide ties now and did not then.
    var numbers: [UInt32: UInt32] = [:]
    for (place, row) in earlier.rows.enumerated() { if let entry = self.number(of: row.symbol) { numbers[entry] = UInt32(place) } }
    // The symbols that were not sent yet: in the former order, behind those that were.
    var waiting = RankedOrder(descending: false, capacity: earlier.rows.count)
    for (place, number) in earlier.published.enumerated() { _ = waiting.update(number, key: Int64(place)) }
    for number in earlier.published {
      if let rank = self.rank(of: earlier.rows[Int(number)].symbol), rank < top { continue }
      send(number, from: waiting.remove(number), to: nil, &output)
    }
    for rank in 0..<min(top, order.count) {
      guard let entry = order.entry(atRank: rank), let number = numbers[entry] else { continue }
      send(number, from: waiting.remove(number).map { rank + $0 }, to: rank, &output)
    }
  }
}
