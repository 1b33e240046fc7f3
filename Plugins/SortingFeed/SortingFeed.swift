internal import StockbusExpressions
package import StockbusInstruments
public import StockbusPlugin

extension Plugin {
  /// Ranks symbols.
  public static let sortingFeed = Plugin(
    "sorting_feed",
    "Ranks symbols by price, change, per cent or volume, and sends each symbol's rank and its previous rank (0 if it had none).",
    SortingFeedPlugin.self,
    hot: [
      .processor(SortingFeed<Trade>.self), .processor(SortingFeed<Quote>.self), .processor(SortingFeed<Bar>.self),
      .processor(SortingFeed<Ranked>.self),
    ], emits: Ranked.schema.name
  ).choosing { types, options in
    types.inputs.contains { $0 == Ranked.self } && options?.word("merge_lists") == "true" ? .processor(MergingFeed.self) : nil
  }.example("by: percent\norder: descending")
}

enum SortingFeedPlugin: PricedEventPlugin {
  static func bind<E: PricedEvent>(_: E.Type) -> Blueprint { .processor(SortingFeed<E>.self) }
}

/// The key by which symbols are ordered.
package enum RankingKey: String, Choice {
  case price, change, percent, volume
}

package enum RankingOrder: String, Choice {
  case ascending, descending
}

/// The order of equal keys.
package enum RankingTies: String, Choice {
  case appearance, name
}

/// The beginning from which change and volume count.
package enum RankingStart: String, Choice {
  case firstPrice, previousClose
}

package struct SortingFeedSettings: Options {
  @Setting(
    "What to order by: price; change or percent since the reference ('since'); volume, traded since then; or a number over the fields of the events, which may look at earlier ones: zscore(price, 1h). A symbol for which it has had no value yet has no rank."
  )
  package var by = RankingBy.key(.price)
  @Setting(
    "For windows such as session and first 15m in 'by': which sessions of instruments with a calendar count, all (pre, regular, post) or regular ones only."
  )
  package var sessions = CountedSessions.all
  @Setting(
    "The reference of change, per cent and volume: the symbol's first price, or the previous close, which for the first trading date comes from the file under 'history'; without a known close it is the first price."
  )
  package var since = RankingStart.firstPrice
  @Setting("The order of the ranks: descending gives rank 1 to the largest value.")
  package var order = RankingOrder.descending
  @Setting(
    "Sends only this many first ranks, and every change of a rank among them, even if another symbol caused it; a symbol that leaves them is sent once more, with rank 0, and one that enters them has previous_rank 0.",
    in: 1...1000)
  package var top: Int?
  @Setting(
    "How equal keys are ordered: by the symbols' first appearance in the feed, or by a hash of their names, which is the same in every process; a feed whose list is merged by another feed needs 'name'."
  )
  package var ties = RankingTies.appearance
  @Setting(
    "Merges lists: each input is the list of a feed with 'ties: name' and at least 'top' ranks, and no symbol is in two inputs. Prices, changes, per cent and volumes are copied; 'by' and 'order' must be those of the feeds."
  )
  package var mergeLists = false

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if case .number(let text) = by {
      do throws(ExpressionError) { _ = try ExpressionSyntax(text) } catch {
        problems.add(TextFault("by", "'by': \(error.message)", character: error.range.lowerBound))
      }
    }
    guard mergeLists else { return }
    if case .number = by {
      problems.add(
        "lists that are merged are ordered by price, change, per cent or volume: their events do not have other numbers", at: "by")
    }
    if top == nil {
      problems.add(
        "'merge_lists' needs 'top', at most that of the feeds: the first ranks follow from those of each partition, but ranks of all symbols need all symbols in one feed",
        at: "merge_lists")
    }
    if since != .firstPrice {
      problems.add("'since' is for the feeds whose lists are merged: changes and volumes are copied", at: "since")
    }
  }

  /// Merged lists are ordered by names.
  var tiesByName: Bool { mergeLists || ties == .name }
}

/// Keeps symbols ordered and sends each update with its rank and the previous rank.
///
/// A trade whose price does not count for the last price (`TradeCondition`) is filtered; its size is in the volume of the next event.
///
/// Equal keys are ordered by first appearance in the feed, the earlier first, in either direction; with `ties: name` by `Ties.hash` of the
/// symbols, and where that is the same by their names, so that feeds of other symbols agree. An update costs O(log n).
///
/// **With `ties: name`** a list that begins empty reports that: the first event, before that of the first symbol, has this symbol, rank 0
/// and previous rank 0. So a reader of a restarted feed knows that the former list is void.
///
/// **Guarantees.** Without `top` every input event that counts gives one output event, a move. A reader that applies all moves in turn to a
/// list (remove the symbol, insert it at `rank`; those between shift by one) has the feed's order after each event. With `top: n` the
/// shifts are events too: first the symbol with the new price, then those that it displaced, from the best rank on, each with its latest
/// price and with the times of the event that moved it. Rank 0 means that a symbol has left the first n. So the last event of every symbol,
/// without those of rank 0, gives the feed's list after each input event: ranks 1 to n, each once. This is also true for a reader that
/// conflates. An update then gives at most n + 1 events.
///
/// **With another feed as its input** it uses the change, the per cent and the volume of that feed, and removes a symbol that has left it.
/// If several feeds send the same symbol, the last event counts. Lists that are cut (`top`) are merged by a `MergingFeed`.
///
/// **Since the previous close** change, per cent and volume begin again with a symbol's first event of a trading date (`PreviousCloses`),
/// also behind another feed, whose own change is then not used.
///
/// **Splits** of the instruments are applied to the price that a change counts from, with the symbol's first event after it; volumes stay.
///
/// **By a number** symbols are ordered by the last value that it has had; the number has a value for the events that count for what it reads.
/// An event whose price does not count for the last price is filtered, and its value shows with the symbol's next event.
///
/// **When the options change** the order continues. With the next event, the feed first sends the symbols that have left the list (rank 0),
/// then all of it from rank 1 on; readers then have the list that the new options would have given from the beginning, including sizes that
/// waited for the next event of their symbol. After a change of `since` everything begins again: the feed first sends that all symbols have
/// left.
package actor SortingFeed<E: PricedEvent>: Processor, OriginDependent, ExplainingComponent, PastNeedingComponent {
  private let settings: SortingFeedSettings
  private var ranking: Ranking
  /// Nil if changes count from the first price.
  private var openings: Openings<E>?
  /// Splits of instruments whose change counts from their first price; nil without splits, and behind another feed, whose changes are used.
  private var splits: SplitWatch?
  /// The state of the previous instance, until the resulting list has been sent to readers.
  private var unsent: RankingSnapshot?
  /// True if the beginning of the list must still be sent to readers.
  private var isNew: Bool
  /// Whether there is nothing to do but to rank.
  private var isPlain: Bool
  private let context: Context
  /// Nil if symbols are ordered by one of the feed's own figures.
  private var numbers: ColumnRunner<E>?
  private var hasHadEvents = false

  /// The state that an instance leaves for the next one; nil once that has taken it. With any options the snapshot has the readers' list.
  private static var snapshot: MemoryKey<RankingSnapshot?> { MemoryKey("ranking", whenOptionsChange: .keep) }

  package init(_ settings: SortingFeedSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    ranking = Ranking(settings, isBehindAnother: E.self == Ranked.self)
    let earlier: RankingSnapshot? = context.recall(Self.snapshot) ?? nil
    context.remember(nil, Self.snapshot)
    if let earlier, earlier.since == settings.since {
      ranking.restore(earlier.number == ranking.number ? earlier.rows : earlier.rows.map(\.withoutNumber))
    }
    // An instance with another `since` has no closes.
    openings = settings.since == .previousClose ? Openings(context, earlier?.closes) : nil
    let splits =
      settings.since == .firstPrice && E.self != Ranked.self ? SplitWatch(context.instruments, after: earlier?.splits) : nil
    self.splits = splits
    unsent = earlier
    let begins = settings.tiesByName && earlier?.rows.isEmpty ?? true
    isNew = begins
    let snapshot = context.takeFunctions()
    if let number = settings.number(for: E.self, reading: context.columns.layout) {
      var runner = ColumnRunner(number, context.functionSettings(settings.sessions, for: E.self))
      if let snapshot { runner.restore(snapshot) }
      numbers = consume runner
    }
    isPlain = earlier == nil && settings.since == .firstPrice && !begins && splits == nil && settings.by.number == nil
  }

  package static func textFaults(in settings: SortingFeedSettings, reading columns: ColumnLayout) -> [TextFault] {
    settings.textFaults(for: E.self, reading: columns)
  }

  package static func carryOver(
    _ old: Memory, from before: SortingFeedSettings, to after: SortingFeedSettings, into memory: Memory
  ) {
    // Values of other sessions do not belong into the same window.
    if before.sessions == after.sessions { FunctionMemory.carryOver(old, into: memory) }
  }

  package static func faults(in settings: SortingFeedSettings) -> [(option: String, message: String)] {
    settings.mergeLists ? [("merge_lists", "'merge_lists' is for lists, so its inputs must emit ranked, not \(E.eventName)")] : []
  }

  package static func faults(in settings: SortingFeedSettings, behind inputs: [InputOrigin]) -> [InputFault] {
    settings.faults(ranking: inputs)
  }

  package func process(_ events: Span<E>, into output: inout Outlet<Ranked>) {
    // One access to the actor's state for each batch: an exclusivity check for each event would cost more than the ranking.
    if isPlain { ranking.update(events, into: &output) } else { processSpecially(events, into: &output) }
  }

  private func processSpecially(_ events: Span<E>, into output: inout Outlet<Ranked>) {
    if isNew { output.send(.beginning(at: events[0])) }
    if let earlier = unsent { ranking.send(after: earlier, at: events[0], into: &output) }
    (isNew, unsent, isPlain) = (false, nil, openings == nil && splits == nil && numbers == nil)
    if isPlain { ranking.update(events, into: &output) } else { update(events, into: &output) }
  }

  package static func needs(_ settings: SortingFeedSettings) -> [PastNeed] { .all(settings.number(for: E.self)?.needs ?? []) }

  package func keepMemory() {
    // If no event has arrived, readers still have the list of the previous instance.
    context.remember(unsent ?? ranking.snapshot(openings?.closes, splits), Self.snapshot)
    context.leaveFunctions(numbers?.snapshot(), hasHadEvents: hasHadEvents)
  }

  package func handOver(into output: inout Outlet<Ranked>) {
    countFunctions()
    keepMemory()
  }

  package func drain(into output: inout Outlet<Ranked>) { countFunctions() }

  private func countFunctions() { if let use = numbers?.memoryUse { context.count(use) } }

  package func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation] {
    settings.explain(symbol, in: ranking, waits: "it has no rank, because it has had no valid price yet")
  }

  /// Ranks the events between two openings, or splits, at once.
  private func update(_ events: Span<E>, into output: inout Outlet<Ranked>) {
    hasHadEvents = true
    let keys = keys(of: events)
    var done = 0
    for i in events.indices {
      while let split = splits?.take(events[i]) {
        rank(events, done..<i, keys, into: &output)
        ranking.apply(split, to: events[i].symbol, at: events[i].lastPrice)
        done = i
      }
      guard let opening = openings?.take(events[i]) else { continue }
      rank(events, done..<i, keys, into: &output)
      // No `??`: the optimizer of Swift 6.3 fails on a span in an autoclosure.
      var price = events[i].lastPrice
      if let close = opening.close { price = close }
      ranking.open(events[i].symbol, from: price, events[i].priceDecimals)
      done = i
    }
    rank(events, done..<events.count, keys, into: &output)
  }

  private func rank(_ events: Span<E>, _ range: Range<Int>, _ keys: [Int64?]?, into output: inout Outlet<Ranked>) {
    guard let keys else { return ranking.update(events.extracting(range), into: &output) }
    let notReady = ranking.update(events.extracting(range), by: keys[range], into: &output)
    if notReady > 0 { context.notReady.add(notReady) }
  }

  /// The number of each event; nil if symbols are ordered by one of the feed's own figures.
  private func keys(of events: Span<E>) -> [Int64?]? {
    if numbers == nil { return nil }
    var keys = [Int64?](repeating: nil, count: events.count)
    numbers?.compute(events) { chunk, results in for i in chunk { keys[i] = results[0, i &- chunk.lowerBound] } }
    return keys
  }
}

extension SortingFeedSettings {
  func explain(_ symbol: Symbol, in ranking: borrowing Ranking, waits: String) -> [Explanation] {
    guard let rank = ranking.rank(of: symbol) else { return [Explanation(.waits, waits)] }
    let place = "rank \(rank + 1) of \(ranking.order.count) by \(by.text)"
    guard let top else { return [Explanation(.ranks, place, by: OptionPlace("by"))] }
    return rank < top
      ? [Explanation(.ranks, "\(place), among the first \(top)", by: OptionPlace("top"))]
      : [Explanation(.filters, "\(place), and 'top' passes the first \(top) only", by: OptionPlace("top"))]
  }
}

extension Ranked {
  /// The event which reports that a list begins empty.
  static func beginning<E: PricedEvent>(at event: E) -> Ranked {
    Ranked(
      symbol: event.symbol, rank: 0, previousRank: 0, price: event.lastPrice, change: 0, percent: 0, volume: 0, time: event.time,
      received: event.received, priceDecimals: event.priceDecimals)
  }

  /// True if the event reports that a list begins.
  var beginsList: Bool { rank == 0 && previousRank == 0 }
}
