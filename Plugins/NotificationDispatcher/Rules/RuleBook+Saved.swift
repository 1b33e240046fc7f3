internal import EventBus
internal import MarketData
internal import StockbusInstruments

/// Written without what the instruments say, and without what follows from the rest.
extension RuleBook: Codable {
  struct Saved: Codable {
    /// A symbol that has come, or whose silence is watched.
    struct Known: Codable {
      let symbol: Symbol
      /// Nil if no rule applies to it.
      let watched: Watched?
    }

    struct Watched: Codable {
      let rules: [RuleWatch.Saved]
      let clock: EventClock
      let start: Start?
      let last: Int64?
      let latest: LastPrice?
    }

    let rules: [Rule?]
    let isInTime: Bool
    let usesCloses: Bool
    let windowLimit: Int
    /// The places of all windows, allocated or not.
    let windowRoom: Int
    /// Those with rules first, in the order of their places.
    let symbols: [Known]
    let closes: PreviousCloses?
    let splits: SplitWatch?
    let deadlines: [RuleDeadlines.Entry]
    let reached: Int64
    let received: Int64
    let awaited: [Symbol]

    init(_ book: RuleBook) {
      (rules, isInTime, usesCloses) = (book.rules, book.isInTime, book.usesCloses)
      (windowLimit, windowRoom) = (book.windowLimit, book.windowRoom.addingSaturating(book.windowPlaces))
      let watched = book.symbols.indices.map { place in
        Known(
          symbol: book.symbols[place],
          watched: Watched(
            rules: book.watches[place].map(\.saved), clock: book.clocks[place], start: book.starts[place], last: book.lasts[place],
            latest: book.latest[place]))
      }
      let others = book.places.indices.filter { book.places[$0] == 0 || book.places[$0] == -2 }
      symbols = watched + others.map { Known(symbol: Symbol(id: UInt32($0)), watched: nil) }
      (closes, splits) = (book.closes, book.splits)
      deadlines = Array(book.times.deadlines.entries)
      (reached, received, awaited) = (book.times.reached, book.times.received, book.times.awaited.sorted())
    }

    /// False if it would lead to a rule or a symbol that is not there.
    var isSound: Bool {
      let watched = symbols.compactMap(\.watched)
      let names = Set(symbols.map(\.symbol))
      return names.count == symbols.count && symbols.prefix(watched.count).allSatisfy { $0.watched != nil } && windowLimit > 0
        && watched.allSatisfy { $0.rules.allSatisfy { rules.indices.contains($0.rule) && rules[$0.rule] != nil } }
        && deadlines.allSatisfy { -1..<Int32(watched.count) ~= $0.place } && awaited.allSatisfy(names.contains)
        && rules.allSatisfy { $0?.test.isSound ?? true }
    }
  }

  /// The places that the windows have allocated.
  var windowPlaces: Int { watches.lazy.joined().reduce(0) { $0 + $1.places } }

  init(from decoder: any Decoder) throws {
    let saved = try Saved(from: decoder)
    guard saved.isSound else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "the rules contradict their states"))
    }
    self.init(saved)
  }

  func encode(to encoder: any Encoder) throws { try Saved(self).encode(to: encoder) }
}
