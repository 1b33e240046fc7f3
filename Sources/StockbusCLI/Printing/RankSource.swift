import EventBus
import StockbusConfig
import StockbusPlugin

/// Where the ranks in a component's events come from, and what is lost on the way: a feed without 'top' tells a rank only where the
/// symbol's own price comes, so that whoever has all of its events knows the order, and whoever has some of them does not.
struct RankSource {
  let feed: PlannedNode
  /// All of the feed's events arrive, in order.
  private(set) var isWhole = true
  /// The last events of the symbols that arrive are the feed's last ones.
  private(set) var hasLatest = true

  /// True where the feed tells each change of a rank.
  var tellsAll: Bool { feed.description.map { $0.options["top"].map { !$0.isNull } ?? false } ?? false }

  /// Nil where `id` emits no ranks, or those of several feeds.
  init?(of id: String, in topology: Topology) {
    var ranked: [String: PlannedNode] = [:]
    for node in topology.nodes where node.blueprint.output == Ranked.self { ranked[node.id] = node }
    guard var node = ranked[id] else { return nil }
    while node.plugin.name != "sorting_feed" {
      let inputs = node.inputs.filter { ranked[$0.from] != nil }
      guard let input = inputs.first, inputs.count == 1, let upstream = ranked[input.from] else { return nil }
      let overflow = input.options.overflow
      // A watchlist takes all of a symbol's events or none; an echo gives back what it is told.
      if node.plugin.name != "echo_socket" || overflow != .block { isWhole = false }
      if !["echo_socket", "watchlist_filter"].contains(node.plugin.name) || (overflow != .block && overflow != .conflate) {
        hasLatest = false
      }
      node = upstream
    }
    feed = node
  }

  /// What to say of ranks that may not be the present ones, and what to do about it; nil where they are.
  static func warning(_ source: RankSource?, printing id: String) -> String? {
    guard let source else { return "warning: \(shown(id)) has several rankings; its ranks are those that each symbol's last event told" }
    return source.warning(printing: id)
  }

  private func warning(printing id: String) -> String? {
    if isWhole || (hasLatest && tellsAll) { return nil }
    let place = feed.description.map { "\($0.idMark.place): " } ?? ""
    let other = hasLatest ? ", or give \(shown(feed.id)) a 'top: N'" : ""
    return "\(place)warning: \(shown(id)) has only some of what \(shown(feed.id)) tells, so its ranks may be out of date; "
      + "print --from \(feed.id) with --where\(other)"
  }
}
