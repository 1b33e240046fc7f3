internal import StockbusInstruments
public import StockbusPlugin

extension Plugin {
  /// Makes bars.
  public static let bars = Plugin(
    "bars", "Makes bars of trades, quotes or shorter bars: open, high, low, close, volume and average price for each period.",
    BarsPlugin.self,
    hot: [.processor(Bars<PriceOf<Trade>>.self), .processor(Bars<PriceOfQuote>.self), .processor(Bars<BarsOfBars>.self)],
    emits: Bar.schema.name
  ).example("lengths: [1m, 1h]")
}

enum BarsPlugin: PricedEventPlugin {
  static func bind<E: PricedEvent>(_: E.Type) -> Blueprint { .processor(Bars<PriceOf<E>>.self) }
}

/// Makes bars of the events of one type.
///
/// `BarBook`, and Documentation/use/bars.md for users, describe which events count for which bar, when bars are sent, and their contents.
actor Bars<Reader: BarReader>: TimedProcessor, PastNeedingComponent {
  private let context: Context
  private let reader: Reader
  private var book: BarBook
  /// Nil if no instrument has been split.
  private var splits: SplitWatch?

  static func faults(in settings: BarsSettings) -> [(option: String, message: String)] { Reader.faults(in: settings) }

  static func interval(_ settings: BarsSettings) -> Duration? {
    settings.lengths.compactMap(\.nanoseconds).max().map { .nanoseconds($0) }
  }

  private struct Left: Sendable, Codable {
    let snapshot: BarSnapshot
    let splits: SplitWatch?
  }

  /// The state that an instance has left for the next one; nil once that has taken it.
  private static var bars: MemoryKey<Left?> { MemoryKey("bars", whenOptionsChange: .drop) }

  static func carryOver(_ old: Memory, from before: BarsSettings, to after: BarsSettings, into memory: Memory) {
    // Prices of another kind, and other sessions, do not belong into the same bar.
    if before.price ?? .mid == after.price ?? .mid, before.sessions == after.sessions { memory[bars] = old[bars] }
  }

  init(_ settings: BarsSettings, _ context: Context) {
    self.context = context
    reader = Reader(settings, context.instruments)
    book = BarBook(
      settings.rules(keepsComponents: Reader.isReplaceable), calendar: Self.calendars(context.instruments, settings.sessions))
    splits = SplitWatch(context.instruments)
    if let memory = context.recall(Self.bars), let left = memory {
      book.restore(left.snapshot)
      splits = SplitWatch(context.instruments, after: left.splits)
      context.remember(nil, Self.bars)
    }
  }

  /// The calendar of each symbol; nil if none has one.
  private static func calendars(_ instruments: Instruments, _ sessions: CountedSessions) -> (@Sendable (Symbol) -> (any BarCalendar)?)? {
    if instruments.isEmpty { return nil }
    return { symbol in
      guard let calendar = instruments.calendar(for: symbol) else { return nil }
      return MarketCalendar(calendar: calendar, isRegularOnly: sessions == .regular)
    }
  }

  func process(_ events: Span<Reader.Input>, into output: inout Outlet<Bar>) {
    var first = 0
    if splits != nil {
      for i in events.indices {
        while let split = splits?.take(events[i]) {
          take(events.extracting(first..<i), into: &output)
          first = i
          book.apply(split, to: events[i].symbol)
        }
      }
    }
    take(events.extracting(first...), into: &output)
    count()
  }

  private func take(_ events: Span<Reader.Input>, into output: inout Outlet<Bar>) {
    reader.take(events, into: &book, &output)
    if !book.refusals.isEmpty { report(events) }
  }

  func advance(to time: Timestamp, into output: inout Outlet<Bar>) {
    book.advance(to: time.ns, into: &output)
    count()
  }

  var due: Timestamp? { book.due.map { Timestamp(ns: $0) } }

  func drain(into output: inout Outlet<Bar>) {
    book.drain(into: &output)
    count()
  }

  func keepMemory() { context.remember(Left(snapshot: book.snapshot, splits: splits), Self.bars) }

  func handOver(into output: inout Outlet<Bar>) { keepMemory() }

  private func count() {
    if book.revisions | book.unpriced | book.beyond == 0 { return }
    if book.beyond > 0 { countBeyond() }
    if book.revisions > 0 { context.counter("revisions", "Bars that were sent again because of a late trade.").add(book.revisions) }
    if book.unpriced > 0 {
      context.counter("unpriced", "Bars that were not sent, because no trade in them counts for open and close.").add(book.unpriced)
    }
    (book.revisions, book.unpriced) = (0, 0)
  }

  private func countBeyond() {
    let beyond = context.counter("beyond", "Events that took the volume, turnover or count of their bar beyond its largest value.")
    if beyond.total == 0 {
      context.logger.warning(
        "the volume of a bar exceeds \(Quantity.most) and is kept at that; set 'size_scale' of the source to read sizes in larger units")
    }
    beyond.add(book.beyond)
    book.beyond = 0
  }

  /// Makes a dead letter of each event that does not count for all bars.
  @inline(never)
  private func report(_ events: Span<Reader.Input>) {
    let refusals = book.refusals
    context.count(datedAhead: refusals.count { $0.reason == .ahead })
    var first = 0
    while first < refusals.count {
      var last = first + 1
      while last < refusals.count, refusals[last].event == refusals[first].event { last += 1 }
      let event = events[refusals[first].event]
      let leap = book.leap.flatMap { leap in
        refusals[first].reason == .late && event.received.ns < leap.received.subtractingSaturating(EventClock.tolerance) ? leap : nil
      }
      if let leap, !leap.isReported { report(leap, before: event.received) }
      context.reject(
        Reader.Input.schema.json(event), origin: "\(Reader.Input.eventName) of \(event.symbol)",
        reason: Refusal.text(refusals[first..<last], time: event.time, received: event.received, after: leap),
        symbol: event.symbol)
      first = last
    }
    book.refusals.removeAll(keepingCapacity: true)
  }

  /// Reports an event that has closed the bars of others, which came later and were received before it.
  private func report(_ leap: BarBook.Leap, before received: Timestamp) {
    book.leap?.isReported = true
    context.count(datedAhead: 1)
    let ahead = Duration.nanoseconds(leap.received.subtractingSaturating(received.ns)).roughText
    context.logger.warning(
      "an event of \(leap.symbol) dated \(Timestamp(ns: leap.received)) has closed the bars up to then, and events \(ahead) older, which came after it, are too late for their bars; correct its time, or sort the input by time"
    )
  }
}
