import EventBus
import MarketData

/// The present state of a stream: the last event of every symbol, or of every account and symbol; for a type without these, the last event.
/// A symbol may be in several lists of movers, so a snapshot of movers has the last event of every symbol in each list.
///
/// If the order of a ranking can be followed, ranks are the present ones, also for symbols that others have moved since their own last
/// event; the rank in that event is then the previous rank.
struct Snapshot<E: Event> {
  private var events: [E] = []
  /// The columns beside each event.
  private var rows: [[Int64]] = []
  /// The index in `events` by the number of the event's subject, counted from 1; 0 if there is none.
  private var places: [UInt32] = []
  private var ranks: RankList?
  /// Only if the events are movers.
  private var movers: [ListedSymbol: Mover] = [:]

  private struct ListedSymbol: Hashable {
    var symbol: Symbol
    var list: MoverList
    var period: MoverPeriod
  }

  init(followsRanks: Bool = false) { ranks = followsRanks && E.self == Ranked.self ? RankList() : nil }

  /// The number of symbols that have arrived.
  var count: Int { E.self == Mover.self ? movers.count : events.count }

  /// True if the order should have been followed, but a break made that impossible.
  var hasLostRanks: Bool { ranks.map { !$0.isWhole } ?? false }

  mutating func keep(_ event: E, row: [Int64] = []) {
    if let mover = event as? Mover {
      movers[ListedSymbol(symbol: mover.symbol, list: mover.list, period: mover.period)] = mover
      return
    }
    let id = E.schema.kind(of: event)
    places.grow(toHold: id, filling: 0)
    if places[id] > 0 {
      events[Int(places[id]) - 1] = event
      rows[Int(places[id]) - 1] = row
    } else {
      events.append(event)
      rows.append(row)
      places[id] = UInt32(events.count)
    }
    if let ranked = event as? Ranked { ranks?.follow(ranked) }
  }

  /// The columns beside the kept event about the same as this one.
  func row(of event: E) -> [Int64] {
    let id = E.schema.kind(of: event)
    return id < places.count && places[id] > 0 ? rows[Int(places[id]) - 1] : []
  }

  /// In order of rank if events have one, without symbols that have left the ranking (rank 0), movers list by list; otherwise in order of
  /// symbol.
  var inOrder: [E] {
    if E.self == Mover.self {
      let listed = movers.values.filter { $0.rank > 0 }
      func place(_ mover: Mover) -> (UInt8, UInt8, UInt32, Symbol) {
        (mover.period.rawValue, mover.list.rawValue, mover.rank, mover.symbol)
      }
      return listed.sorted { place($0) < place($1) }.compactMap { $0 as? E }
    }
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
