internal import StockbusInstruments
public import StockbusPlugin

extension Plugin {
  /// Ranks gainers, losers and the most active.
  public static let movers = Plugin(
    "movers",
    "Ranks the top gainers, losers and most active symbols of a session, a day, a week, or a sliding window such as 24h.",
    MoversPlugin.self,
    hot: [
      .processor(Movers<Trade>.self), .processor(Movers<Quote>.self), .processor(Movers<Bar>.self), .processor(Movers<Ranked>.self),
    ], emits: Mover.schema.name
  ).example("period: day\nreference: first_price")
}

enum MoversPlugin: PricedEventPlugin {
  static func bind<E: PricedEvent>(_: E.Type) -> Blueprint { .processor(Movers<E>.self) }
}

/// Keeps the top gainers, losers and most active symbols, and sends every change of these lists.
///
/// **Guarantees.** The last event of each symbol and list, without those of rank 0, gives the list after each input event: ranks 1 to n,
/// each once. An update sends the symbol with its new price first, then those that it displaced, from the best rank on, each with its
/// latest figures; at most 2n + 1 events for each of the two lists that it can change. Equal keys are ordered by first appearance, the
/// earlier first. The per cent is that of `Percent.change`; a symbol that has neither risen nor fallen is in no list of per cent.
///
/// Documentation/use/movers.md describes the periods, when the figures are reset, references, splits and jumps.
package actor Movers<E: PricedEvent>: TimedProcessor, PastNeedingComponent {
  private var feed: MoverFeed
  private let context: Context

  package init(_ settings: MoversSettings, _ context: Context) {
    self.context = context
    let (instruments, past) = (context.instruments, context.past)
    let reference =
      instruments.isEmpty && instruments.zone == nil && past.isEmpty ? nil : MarketReference(instruments, settings.period.kind, past)
    feed = MoverFeed(MoverBoard(settings, reference))
    if let saved = context.recall(Self.saved) { feed.restore(saved) }
  }

  package static func needs(_ settings: MoversSettings) -> [PastNeed] {
    if case .rolling(let period) = settings.period { [PastNeed("the period", .time(period))] } else { [] }
  }

  /// What the run before has left.
  private static var saved: MemoryKey<MoverFeed.Saved> { MemoryKey("movers", whenOptionsChange: .drop) }

  package func process(_ events: Span<E>, into output: inout Outlet<Mover>) {
    // One access to the actor's state for each batch.
    feed.process(events, into: &output)
    count()
  }

  /// Counts the events with which a rule has kept their symbol out of a list.
  private func count() {
    let leftOut = feed.board.leftOut
    if leftOut == LeftOut() { return }
    feed.board.leftOut = LeftOut()
    if leftOut.price > 0 {
      context.counter("below min_price", "Events after which their symbol is not ranked, because its price is below 'min_price'.").add(
        leftOut.price)
    }
    if leftOut.volume > 0 {
      context.counter("below min_volume", "Events after which their symbol is not ranked, because less than 'min_volume' was traded.")
        .add(leftOut.volume)
    }
    if leftOut.reference > 0 {
      context.counter(
        "without per cent", "Events after which their symbol is not ranked by per cent, because its reference price is not above zero."
      ).add(leftOut.reference)
    }
  }

  package func advance(to time: Timestamp, into output: inout Outlet<Mover>) { feed.advance(to: time, into: &output) }

  package var due: Timestamp? { feed.due }

  package func keepMemory() { context.remember(feed.saved, Self.saved) }

  /// The next instance has other options and begins with empty lists, so an event is sent for each member that leaves; but another run goes on.
  package func handOver(into output: inout Outlet<Mover>) {
    if context.goesOnInAnotherRun { keepMemory() } else { feed.leave(into: &output) }
  }
}

extension MoverBoard {
  /// - Parameter reference: calendars, splits and closes of the symbols; by default none, and periods are in UTC.
  init(_ settings: MoversSettings, _ reference: MarketReference? = nil) {
    var rules = Rules()
    rules.ranksPercent = settings.by.contains(.percent)
    rules.ranksVolume = settings.by.contains(.volume)
    rules.ranksTurnover = settings.by.contains(.turnover)
    rules.minPrice = settings.minPrice?.raw ?? .min
    rules.minVolume = settings.minVolume.raw
    rules.usesFirstPrice = settings.reference == .firstPrice
    rules.jumpLimit = settings.jumpLimit.raw
    rules.reusedAfter = settings.reusedAfter.wholeNanoseconds
    let wait = settings.wait.wholeNanoseconds
    var window: RollingWindow?
    var calendar = UTCPeriods.days
    switch settings.period {
    case .session: rules.period = .session
    case .day: rules.period = .day
    case .week: (rules.period, calendar) = (.week, .weeks)
    case .rolling(let duration):
      rules.period = .rolling
      // Rounded up, so that the window is never shorter than configured.
      let buckets = Int64(settings.buckets)
      window = RollingWindow(width: max(1, (duration.wholeNanoseconds + buckets - 1) / buckets), count: buckets, wait: wait)
    }
    self.init(
      rules, reference ?? MarketReference(calendars: [calendar]), top: settings.top, wait: wait, window: window)
  }
}
