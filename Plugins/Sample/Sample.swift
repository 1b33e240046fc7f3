public import StockbusPlugin

extension Plugin {
  /// Thins out events to one of each symbol in an interval.
  public static let sample = Plugin(
    "sample",
    "Sends at most one event of each symbol in an interval, and never loses the last one. The first event of a symbol is sent at once; of those that come in the interval after it only the latest is kept, and sent when the interval ends. Time is that of the events' receipts, so a replay gives what the live run gave.",
    SamplePlugin.self,
    hot: [
      .processor(Sample<Trade>.self), .processor(Sample<Quote>.self), .processor(Sample<Bar>.self), .processor(Sample<Ranked>.self),
    ]
  ).example("every: 1s")
}

enum SamplePlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .processor(Sample<E>.self) }
}

/// Sends at most one event of each symbol, or of each account and symbol, in an interval.
///
/// `SampleBook`, and Documentation/use/feeds.md for users, describe which events are sent when.
actor Sample<E: Event>: TimedProcessor {
  private let context: Context
  private var book: SampleBook<E>

  static func faults(in settings: SampleSettings) -> [(option: String, message: String)] {
    if E.schema.hasKinds { return [] }
    return [("every", "'every' needs events about a symbol or an account, of each of which one is sent, and \(E.eventName) has neither")]
  }

  static func columns(_ settings: SampleSettings, reading columns: ColumnLayout) -> ColumnLayout { columns }

  /// Nil once an instance has taken it. Valid for any length: an interval goes on from its beginning.
  private static var saved: MemoryKey<SavedIntervals?> { MemoryKey("intervals", whenOptionsChange: .keep) }

  init(_ settings: SampleSettings, _ context: Context) {
    self.context = context
    book = SampleBook(every: settings.every.wholeNanoseconds, context.columns)
    if let memory = context.recall(Self.saved), let saved = memory {
      book.restore(saved)
      context.remember(nil, Self.saved)
    }
  }

  func process(_ events: Span<E>, into output: inout Outlet<E>) {
    book.take(events, into: &output)
    if book.passedOver > 0 { count() }
  }

  func advance(to time: Timestamp, into output: inout Outlet<E>) { book.advance(to: time.ns, into: &output) }

  var due: Timestamp? { book.due.map { Timestamp(ns: $0) } }

  func drain(into output: inout Outlet<E>) { book.drain(into: &output) }

  func keepMemory() { context.remember(book.saved, Self.saved) }

  func handOver(into output: inout Outlet<E>) { keepMemory() }

  private func count() {
    context.counter(
      "passed over", "Events that were left out because one waited whose price counts for the last price, and theirs does not."
    )
    .add(book.passedOver)
    book.passedOver = 0
  }
}
