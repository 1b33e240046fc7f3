internal import StockbusPlugin

/// The symbols of several lists in one order.
struct RankMerge: ~Copyable {
  struct Snapshot: Sendable, Codable {
    let ranking: RankingSnapshot
    /// The names of the inputs from which symbols have arrived.
    let names: [String]
    /// By symbol, an index in `names`.
    let lists: [Symbol: Int]
  }

  private(set) var ranking: Ranking
  /// The names of all inputs so far, and the places of the present ones among them.
  private var names: [String] = []
  private var present: [Int] = []
  /// The list of each symbol, as a place in `names`.
  private var lists: [Symbol: Int] = [:]
  /// True if the beginning of the list must still be sent to readers.
  private var isNew: Bool
  /// The list that readers have, as long as its differences must still be sent to them.
  private var unsent: RankingSnapshot?

  init(_ settings: SortingFeedSettings, _ earlier: Snapshot?) {
    ranking = Ranking(settings, isBehindAnother: true)
    isNew = earlier?.ranking.rows.isEmpty ?? true
    guard let earlier else { return }
    names = earlier.names
    lists = earlier.lists
    unsent = earlier.ranking
    ranking.restore(earlier.ranking.rows)
    // Symbols that have left since the last event to readers are in the snapshot, but in no list.
    for row in earlier.ranking.rows where lists[row.symbol] == nil { ranking.remove(row.symbol) }
  }

  var snapshot: Snapshot { Snapshot(ranking: unsent ?? ranking.snapshot(nil), names: names, lists: lists) }

  mutating func attend(to inputs: [String]) {
    present = inputs.map { name in
      if let known = names.firstIndex(of: name) { return known }
      names.append(name)
      return names.count - 1
    }
    let gone = Set(lists.values).subtracting(present)
    if gone.isEmpty { return }
    // The differences are sent with the next event, which has a time.
    unsent = unsent ?? ranking.snapshot(nil)
    for list in gone { removeAll(of: list) }
  }

  mutating func update(_ events: Span<Ranked>, from lane: Int, into output: inout Outlet<Ranked>) {
    let list = present[lane]
    for i in events.indices {
      sendRest(at: events[i], into: &output)
      let symbol = events[i].symbol
      if events[i].beginsList {
        begin(list, at: events[i], into: &output)
      } else if events[i].hasLeft {
        guard lists[symbol] == list else {
          output.filter()
          continue
        }
        lists[symbol] = nil
        ranking.update(events.extracting(i..<i + 1), into: &output)
      } else if lists[symbol] == list, events[i].previousRank != events[i].rank, ranking.has(events[i]) {
        output.filter()
      } else {
        lists[symbol] = list
        ranking.update(events.extracting(i..<i + 1), into: &output)
      }
    }
  }

  private mutating func sendRest(at event: Ranked, into output: inout Outlet<Ranked>) {
    if isNew { output.send(.beginning(at: event)) }
    isNew = false
    guard let earlier = unsent else { return }
    ranking.send(after: earlier, at: event, into: &output)
    unsent = nil
  }

  /// Removes a list's symbols, because the list begins empty.
  private mutating func begin(_ list: Int, at event: Ranked, into output: inout Outlet<Ranked>) {
    guard lists.values.contains(list) else { return output.filter() }
    unsent = ranking.snapshot(nil)
    removeAll(of: list)
    sendRest(at: event, into: &output)
  }

  private mutating func removeAll(of list: Int) {
    for (symbol, own) in lists where own == list { ranking.remove(symbol) }
    lists = lists.filter { $0.value != list }
  }
}

extension RankMerge.Snapshot {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    ranking = try container.decode(RankingSnapshot.self, forKey: .ranking)
    names = try container.decode([String].self, forKey: .names)
    lists = try container.decode([Symbol: Int].self, forKey: .lists)
    if !lists.values.allSatisfy(names.indices.contains) {
      throw DecodingError.dataCorruptedError(forKey: .lists, in: container, debugDescription: "a symbol is in no list")
    }
  }
}
