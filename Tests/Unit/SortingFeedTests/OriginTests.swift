import SortingFeed
import StockbusPlugin
import StockbusTestKit
import Testing

private actor Trades: Source {
  init(_ settings: NoOptions, _ context: Context) {}
  func run(into output: inout Outlet<Trade>) {}
}

private actor Ranks: Sink {
  init(_ settings: NoOptions, _ context: Context) {}
  func receive(_ events: Span<Ranked>) {}
}

private actor Takes: Sink {
  init(_ settings: NoOptions, _ context: Context) {}
  func receive(_ events: Span<Trade>) {}
}

private actor Some: Processor {
  init(_ settings: NoOptions, _ context: Context) {}
  func process(_ events: Span<Ranked>, into output: inout Outlet<Ranked>) { output.filter(events.count) }
}

/// What a feed says of the feeds before it, when a configuration is checked.
@Suite struct OriginTests {
  private static let plugins = [
    Plugin("trades", "Has trades.", .source(Trades.self)), Plugin("ranks", "Takes ranks.", .sink(Ranks.self)),
    Plugin("takes", "Takes trades.", .sink(Takes.self)),
    Plugin("some", "Leaves some out.", .processor(Some.self)), .sortingFeed,
  ]

  /// The problems of a configuration with these processors, of which `last` is read.
  private func problems(_ processors: String) -> [String] {
    do throws(Problems) {
      _ = try PipelineHarness(
        """
        sources: { a: { plugin: trades }, b: { plugin: trades } }
        processors:
        \(processors)
        sinks: { end: { plugin: ranks, inputs: [last] }, other: { plugin: takes, inputs: [a, b] } }
        """, plugins: Self.plugins)
      return []
    } catch { return error.sorted.map(\.description) }
  }

  @Test func `a list behind a list that is cut is refused at its input`() {
    let message =
      "processor 'last': its input 'one' has only the first ranks of processor 'one' (plugins.yaml:3:3), so the ranks after them would be "
      + "missing; write 'merge_lists: true' to merge such lists of several partitions, or remove 'top' there"
    #expect(
      problems(
        """
          one: { plugin: sorting_feed, inputs: [a], top: 3 }
          two: { plugin: sorting_feed, inputs: [b] }
          last: { plugin: sorting_feed, inputs: [two, one], by: volume }
        """) == ["plugins.yaml:5:47: error: \(message)"])
    #expect(
      problems(
        """
          one: { plugin: sorting_feed, inputs: [a] }
          last: { plugin: sorting_feed, inputs: [one], by: volume, top: 3 }
        """) == [])
    // Also by way of something that passes ranks on.
    #expect(
      problems(
        """
          one: { plugin: sorting_feed, inputs: [a], top: 3 }
          some: { plugin: some, inputs: [one] }
          last: { plugin: sorting_feed, inputs: [some] }
        """
      ).map { $0.prefix(24) } == ["plugins.yaml:5:42: error"])
  }

  @Test func `lists that can be merged exactly are taken`() {
    #expect(
      problems(
        """
          one: { plugin: sorting_feed, inputs: [a], by: percent, order: ascending, top: 30, ties: name }
          two: { plugin: sorting_feed, inputs: [b], by: percent, order: ascending, ties: name }
          both: { plugin: sorting_feed, inputs: [one, two], by: percent, order: ascending, top: 30, merge_lists: true }
          last: { plugin: sorting_feed, inputs: [both], by: percent, order: ascending, top: 20, merge_lists: true }
        """) == [])
  }

  @Test func `lists that cannot be merged exactly are refused with the reason`() {
    let found = problems(
      """
        one: { plugin: sorting_feed, inputs: [a], top: 3, ties: name }
        two: { plugin: sorting_feed, inputs: [b], by: volume, order: ascending, since: previous_close, top: 30 }
        some: { plugin: some, inputs: [two] }
        last: { plugin: sorting_feed, inputs: [{ from: one, overflow: conflate }, some], merge_lists: true, top: 20 }
      """)
    #expect(
      found == [
        "plugins.yaml:6:50: error: processor 'last': its input 'one' may drop the event that a symbol has left the list of processor 'one' "
          + "(plugins.yaml:3:3), or that the list has started again, so it needs 'overflow: block'",
        "plugins.yaml:6:77: error: processor 'last': its input 'some' comes from processor 'two' (plugins.yaml:4:3) through "
          + "processor 'some' (plugins.yaml:5:3), which may drop ranks, so the merged list would have gaps; filter before ranking",
        "plugins.yaml:6:77: error: processor 'last': its input 'some' is ordered by volume in processor 'two' (plugins.yaml:4:3), so 'by' "
          + "must be the same",
        "plugins.yaml:6:77: error: processor 'last': its input 'some' is ascending in processor 'two' (plugins.yaml:4:3), so 'order' "
          + "must be the same",
        "plugins.yaml:6:77: error: processor 'last': its input 'some' has equal keys in the order "
          + "of their appearance in processor 'two' (plugins.yaml:4:3), which the other lists do not know; write 'ties: name' there",
        "plugins.yaml:6:77: error: processor 'last': its input 'some' counts changes and volumes from another start in processor 'two' "
          + "(plugins.yaml:4:3) than in processor 'one' (plugins.yaml:3:3); 'since' must be the same in both",
        "plugins.yaml:6:108: error: processor 'last': its input 'one' has fewer ranks than 'top' (see 'top' of processor 'one' (plugins.yaml:3:3)), so "
          + "the ranks after them are unknown; 'top' may be at most that number",
      ])
  }

  @Test func `what cannot be merged at all is refused at the option`() {
    #expect(
      problems(
        """
          last: { plugin: sorting_feed, inputs: [a, b], merge_lists: true, top: 5 }
        """) == [
          "plugins.yaml:3:62: error: processor 'last': 'merge_lists' is for lists, so its inputs must emit ranked, not trade"
        ])
    #expect(
      problems(
        """
          one: { plugin: sorting_feed, inputs: [a], top: 3, ties: name }
          last: { plugin: sorting_feed, inputs: [one], merge_lists: true, since: previous_close }
        """) == [
          "plugins.yaml:4:48: error: processor 'last': 'merge_lists' needs 'top', at most that of the feeds: the first ranks follow from "
            + "those of each partition, but ranks of all symbols need all symbols in one feed",
          "plugins.yaml:4:67: error: processor 'last': 'since' is for the feeds whose lists are merged: changes and volumes are copied",
        ])
  }

  @Test func `the option's former name says what to write`() {
    #expect(
      problems(
        """
          one: { plugin: sorting_feed, inputs: [a], top: 3, ties: name }
          last: { plugin: sorting_feed, inputs: [one], merge: true, top: 3 }
        """
      ).last
        == "plugins.yaml:4:55: error: processor 'last': 'merge' must be one of arrival, received, got 'true'; the plugin's option is called "
        + "'merge_lists': write 'merge_lists: true'")
  }

  @Test func `merging keeps the contract`() async {
    let lists = [["A", "B"], ["C", "D"]].map { names in
      Feed(
        names.enumerated().map { place, name in
          Ranked(
            symbol: Symbol(stringLiteral: name), rank: UInt32(place + 1), previousRank: 0, price: 3, change: 1, percent: 1, volume: 1,
            time: Timestamp(ns: Int64(place)), received: Timestamp(ns: Int64(place)))
        })
    }
    #expect(await checkContract(.sortingFeed, options: "{ merge_lists: true, top: 3 }", inputs: lists, isDeterministic: true) == [])
    #expect(await checkContract(.sortingFeed, options: "{ ties: name, top: 3 }") == [])
  }
}
