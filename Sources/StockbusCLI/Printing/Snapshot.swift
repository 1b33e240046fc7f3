import EventBus
import MarketData

/// The present state of a stream: the last event of every symbol, or of every account and symbol; for a type without these, the last event.
///
/// If the order of a ranking can be followed, ranks are the present ones, also for symbols that others have moved since their own last
/// event; the rank in that event is then the previous rank.
struct Snapshot<E: Event> {
  private var events: [E] = []
  /// The index in `events` by the number of what an event is about, counted from 1; 0 if there is none.
  private var places: [UInt32] = []
  private var ranks: RankList?

  init(followsRanks: Bool = false) { ranks = followsRanks && E.self == Ranked.self ? RankList() : nil }

  /// How many symbols have come.
  var count: Int { events.count }

  /// True if the order should have been followed and could not be.
  var hasLostRanks: Bool { ranks.map { !$0.isWhole } ?? false }

  mutating func keep(_ event: E) {
    let id = E.schema.kind(of: event)
    places.grow(toHold: id, filling: 0)
    if places[id] > 0 {
      events[Int(places[id]) - 1] = event
    } else {
      events.append(event)
      places[id] = UInt32(events.count)
    }
    if let ranked = event as? Ranked { ranks?.follow(ranked) }
  }

  /// In order of rank if events have one, without symbols that have left the ranking (rank 0); otherwise in order of symbol.
  var inOrder: [E] {
    func symbol(_ event: E) -> Symbol { E.schema.symbol(of: event) ?? Symbol(id: 0) }
    guard E.self == Ranked.self else { return events.sorted { symbol($0) < symbol($1) } }
    if let ranks, ranks.isWhole {
      return ranks.order.enumerated().compactMap { place, id in
        guard var ranked = events[Int(places[Int(id)]) - 1] as? Ranked else { return nil }
        let rank = UInt32(place + 1)
        if ranked.rank != rank { (ranked.previousRank, ranked.rank) = (ranked.rank, rank) }
        return ranked as? E
      }
    }
    let listed = events.map { (rank: ($0 as? Ranked)?.rank ?? 0, event: $0) }.filter { $0.rank > 0 }
    return listed.sorted { ($0.rank, symbol($0.event)) < ($1.rank, symbol($1.event)) }.map(\.event)
  }
}
