import StockbusConfig
import StockbusPlugin

/// The ranking from which a component's ranks originate, and what is lost on the way. A ranking without 'top' sends a rank only with the
/// symbol's own events, so the order is known only if all of its events arrive.
struct RankSource {
  let feed: PlannedNode
  /// All events of the ranking arrive, in order.
  private(set) var isWhole = true
  /// True if the last event that arrives for each symbol is the ranking's last event of the symbol.
  private(set) var hasLatest = true

  /// True if the ranking sends every change of a rank.
  var tellsAll: Bool { feed.description.map { $0.options["top"].map { !$0.isNull } ?? false } ?? false }

  /// Nil if `id` emits no ranks, or those of several rankings.
  init?(of id: String, in topology: Topology) {
    var ranked: [String: PlannedNode] = [:]
    for node in topology.nodes where node.blueprint.output == Ranked.self { ranked[node.id] = node }
    guard var node = ranked[id] else { return nil }
    while node.plugin.name != "sorting_feed" {
      let inputs = node.inputs.filter { ranked[$0.from] != nil }
      guard let input = inputs.first, inputs.count == 1, let upstream = ranked[input.from] else { return nil }
      let overflow = input.options.overflow
      // A watchlist passes either all events of a symbol or none; an echo returns what it receives.
      if node.plugin.name != "echo_socket" || overflow != .block { isWhole = false }
      if !["echo_socket", "watchlist_filter"].contains(node.plugin.name) || (overflow != .block && overflow != .conflate) {
        hasLatest = false
      }
      node = upstream
    }
    feed = node
  }

  /// A warning that ranks may be outdated, and how to avoid that; nil if they are up to date.
  static func warning(_ source: RankSource?, printing id: String) -> String? {
    guard let source else { return "warning: \(shown(id)) has several rankings; its ranks are those of each symbol's last event" }
    return source.warning(printing: id)
  }

  private func warning(printing id: String) -> String? {
    if isWhole || (hasLatest && tellsAll) { return nil }
    let place = feed.description.map { "\($0.idMark.place): " } ?? ""
    let other = hasLatest ? ", or give \(shown(feed.id)) a 'top: N'" : ""
    return "\(place)warning: \(shown(id)) has only some events of \(shown(feed.id)), so its ranks may be out of date; "
      + "print --from \(feed.id) with --where\(other)"
  }
}
