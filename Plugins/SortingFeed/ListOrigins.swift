internal import StockbusPlugin

// The possible lists of a feed depend on the feeds upstream, here or in another configuration.
extension SortingFeedSettings {
  private static func feeds(behind input: InputOrigin) -> [InputOrigin.Found<SortingFeedSettings>] {
    input.nearest { $0 as? SortingFeedSettings }
  }

  /// The faults of ranking these inputs as one.
  func faults(ranking inputs: [InputOrigin]) -> [InputFault] {
    inputs.enumerated().compactMap { number, input in
      guard let feed = Self.feeds(behind: input).first(where: { $0.value.top != nil }) else { return nil }
      return InputFault(
        input: number,
        "has only the first ranks of \(feed.title), so the ranks after them would be missing; write 'merge_lists: true' to merge such lists of several partitions, or remove 'top' there"
      )
    }
  }

  /// The faults of merging the lists of these inputs.
  func faults(merging inputs: [InputOrigin]) -> [InputFault] {
    var faults: [InputFault] = []
    var first: InputOrigin.Found<SortingFeedSettings>?
    for (number, input) in inputs.enumerated() {
      func add(_ message: String, at option: String? = nil) { faults.append(InputFault(input: number, option: option, message)) }
      for feed in Self.feeds(behind: input) {
        let (own, name) = (feed.value, feed.title)
        if let filter = feed.between.first {
          add(
            "comes from \(name) through \(filter), which may drop ranks, so the merged list would have gaps; filter before ranking")
        }
        if !feed.isWhole {
          add(
            "may drop the event that a symbol has left the list of \(name), or that the list has started again, so it needs 'overflow: block'"
          )
        }
        if let top, let most = own.top, most < top {
          add(
            "has fewer ranks than 'top' (see 'top' of \(name)), so the ranks after them are unknown; 'top' may be at most that number",
            at: "top")
        }
        if own.by != by { add("is ordered by \(own.by.text) in \(name), so 'by' must be the same", at: "by") }
        if own.order != order { add("is \(own.order.rawValue) in \(name), so 'order' must be the same", at: "order") }
        if !own.tiesByName {
          add(
            "has equal keys in the order of their appearance in \(name), which the other lists do not know; write 'ties: name' there"
          )
        }
        if let first, first.value.since != own.since {
          add("counts changes and volumes from another start in \(name) than in \(first.title); 'since' must be the same in both")
        }
        first = first ?? feed
      }
    }
    return faults
  }
}
