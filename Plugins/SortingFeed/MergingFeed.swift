package import StockbusPlugin

/// Merges the lists of feeds each of which ranks a partition of the symbols, one list for each input: `sorting_feed` with
/// `merge_lists: true`.
///
/// **Its list** has the best of all symbols in the lists, by the figures of their feeds: prices, changes, per cent and volumes are taken
/// over. As each feed sends at least as many ranks, the result is the list that one feed would have of all symbols; equal keys are ordered
/// by the names, as in the feeds. It sends the same events as `SortingFeed` with `top`. Events that only report that a symbol was displaced
/// in its own list change nothing here, and are filtered.
///
/// **A symbol leaves** when its own list reports that (rank 0); when that list begins again, which the feed reports by an event with rank 0
/// and previous rank 0, all its symbols leave; and when the run changes so that the list is no input any more. A symbol that arrives from
/// another input than before has moved there, and later events of the former input do not change it.
package actor MergingFeed: LaneProcessor, OriginDependent, ExplainingComponent {
  private let settings: SortingFeedSettings
  private var merge: RankMerge
  private let context: Context

  /// The state that an instance leaves for the next one; nil once that has taken it.
  private static var snapshot: MemoryKey<RankMerge.Snapshot?> { MemoryKey("merging", whenOptionsChange: .keep) }

  package init(_ settings: SortingFeedSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    merge = RankMerge(settings, context.recall(Self.snapshot) ?? nil)
    context.remember(nil, Self.snapshot)
  }

  package static func faults(in settings: SortingFeedSettings, behind inputs: [InputOrigin]) -> [InputFault] {
    settings.faults(merging: inputs)
  }

  package func attend(to inputs: [String]) { merge.attend(to: inputs) }

  package func process(_ events: Span<Ranked>, from lane: Int, into output: inout Outlet<Ranked>) {
    merge.update(events, from: lane, into: &output)
  }

  package func keepMemory() { context.remember(merge.snapshot, Self.snapshot) }

  package func handOver(into output: inout Outlet<Ranked>) { keepMemory() }

  package func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation] {
    settings.explain(symbol, in: merge.ranking, waits: "it is in none of the lists")
  }
}
