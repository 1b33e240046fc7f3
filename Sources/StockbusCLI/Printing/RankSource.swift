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
    guard let node = topology.nodes.first(where: { $0.id == id }), node.blueprint.output == Ranked.self else { return nil }
    if node.plugin.name == "sorting_feed" {
      feed = node
      return
    }
    let ranked = node.inputs.filter { input in
      topology.nodes.contains { $0.id == input.from && $0.blueprint.output == Ranked.self }
    }
    guard let input = ranked.first, ranked.count == 1, let upstream = RankSource(of: input.from, in: topology) else { return nil }
    self = upstream
    let overflow = input.options.overflow
    // A watchlist takes all of a symbol's events or none; an echo gives back what it is told.
    isWhole = isWhole && node.plugin.name == "echo_socket" && overflow == .block
    hasLatest =
      hasLatest && ["echo_socket", "watchlist_filter"].contains(node.plugin.name) && (overflow == .block || overflow == .conflate)
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
