package import MarketData

/// The received lists of `movers`, by period.
package struct MoverTables {
  /// By list and symbol, without those that have left.
  private var members: [MoverPeriod: [MoverList: [Symbol: Mover]]] = [:]

  package init() {}

  package mutating func take(_ event: Mover) {
    members[event.period, default: [:]][event.list, default: [:]][event.symbol] = event.rank == 0 ? nil : event
    // No symbol is a gainer and a loser at once. A reader that conflates may miss that a symbol has left one of these lists.
    if event.rank > 0, let other: MoverList = event.list == .gainers ? .losers : event.list == .losers ? .gainers : nil {
      members[event.period]?[other]?[event.symbol] = nil
    }
  }

  /// The periods of which there are lists.
  package var periods: [MoverPeriod] { MoverPeriod.allCases.filter { members[$0] != nil } }

  /// The lists of a period that have ever had a member.
  package func lists(_ period: MoverPeriod) -> [MoverList] { MoverList.allCases.filter { members[period]?[$0] != nil } }

  /// The members of a list, the best first.
  package func list(_ list: MoverList, _ period: MoverPeriod) -> [Mover] {
    (members[period]?[list] ?? [:]).values.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.symbol < $1.symbol }
  }
}
