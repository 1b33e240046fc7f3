internal import StockbusInstruments
internal import StockbusPlugin

/// Sends one half of the events of a guard: those that are kept, or those that are set aside. Both halves come to the same verdicts, because
/// these depend on the events alone. Documentation/use/guard.md has the rules.
actor Guard<E: GuardedEvent, Half: GuardHalf>: TimedProcessor, ExplainingComponent {
  private let settings: GuardSettings
  private let context: Context
  private var state: GuardState<E>

  /// The calls that have taken or sent events.
  private var calls = 0

  private struct Left: Codable, Sendable {
    var state: GuardState<E>.Snapshot
    var calls: Int
  }

  private static var memory: MemoryKey<Left> { MemoryKey("guard", whenOptionsChange: .keep) }
  private static var progress: MemoryKey<GuardState<E>.Progress> { MemoryKey("progress", whenOptionsChange: .keep) }

  static func columns(_ settings: GuardSettings, reading columns: ColumnLayout) -> ColumnLayout { columns }

  init(_ settings: GuardSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    state = GuardState(settings, context.instruments, context.columns)
    let left = context.recall(Self.memory)
    if let left { state.restore(left.state) }
    calls = left?.calls ?? 0
    // An instance that has failed has sent some of what was kept before, and has taken more: nothing may go twice, nor out of order.
    guard let progress = context.recall(Self.progress), progress.calls != calls else { return }
    state.goOn(after: progress)
    calls = progress.calls
    context.lose(progress.waiting, "they waited for older ones when the component failed")
  }

  func process(_ events: Span<E>, into output: inout Outlet<E>) {
    events.withUnsafeBufferPointer { events in
      guard let first = events.baseAddress else { return }
      for event in (0..<events.count).lazy.map({ first + $0 }) {
        let before = event.pointee.received.ns.subtractingSaturating(1)
        if let due = state.due, due <= before { state.advance(to: before) { Self.pass($0, $1, into: &output) } }
        state.take(event) { $0.place == nil ? Self.pass($0, event, into: &output) : Self.pass($0, $1, into: &output) }
      }
    }
    noteProgress()
  }

  private func noteProgress() {
    count()
    calls &+= 1
    context.remember(state.progress(calls: calls), Self.progress)
  }

  /// True if it goes to this half; otherwise it is counted, unless it has waited and was counted as delivered.
  private static func sends(_ verdict: GuardState<E>.Verdict, _ output: inout Outlet<E>) -> Bool {
    switch verdict.fate {
    case .kept where !Half.isOdd, .odd where Half.isOdd: return true
    case .kept, .odd, .dropped:
      if verdict.isPresent { output.filter() }
      return false
    }
  }

  private static func pass(_ verdict: GuardState<E>.Verdict, _ event: UnsafePointer<E>, into output: inout Outlet<E>) {
    if sends(verdict, &output) { output.pass(event) }
  }

  private static func pass(_ verdict: GuardState<E>.Verdict, _ rows: KeptRows, into output: inout Outlet<E>) {
    guard sends(verdict, &output), let place = verdict.place else { return }
    var event = verdict.event
    event.received = Timestamp(ns: verdict.received)
    rows.send(event, place, into: &output)
  }

  func advance(to time: Timestamp, into output: inout Outlet<E>) {
    state.advance(to: time.ns) { Self.pass($0, $1, into: &output) }
    noteProgress()
  }

  var due: Timestamp? { state.due.map { Timestamp(ns: $0) } }

  /// What waits goes as if time went on.
  func drain(into output: inout Outlet<E>) {
    while let due = state.due { state.advance(to: due) { Self.pass($0, $1, into: &output) } }
    noteProgress()
  }

  func keepMemory() { context.remember(Left(state: state.snapshot, calls: calls), Self.memory) }

  func handOver(into output: inout Outlet<E>) { keepMemory() }

  private func count() {
    let counts = state.counts
    if counts == GuardState<E>.Counts() { return }
    state.counts = GuardState<E>.Counts()
    func add(_ name: String, _ doc: String, _ count: Int) { if count > 0 { context.counter(name, doc).add(count) } }
    add("too late", "Events that came later than 'late' allows.", counts.tooLate)
    add("ahead", "Events set aside because they are dated further after their receipt than 'ahead' allows.", counts.ahead)
    add("odd", "Events set aside because of their price.", counts.odd)
    add("new levels", "Times that three odd prices of a symbol agreed, and prices are compared with them since.", counts.levels)
    add("early", "Events that went before their time, because too many waited.", counts.early)
  }

  func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation] {
    guard let last = last as? E, let limit = settings.odd else { return [Explanation(.passes, "no price is compared without 'odd'")] }
    guard let price = last.comparedPrice else { return [Explanation(.passes, "it has no price of the market")] }
    guard let double = state.windows[symbol]?.doubleMedian(of: settings.of) else {
      return [Explanation(.passes, "there are fewer than half of the prices to compare with", by: OptionPlace("of"))]
    }
    let isNear = PriceWindow.isNear(price, toHalfOf: double, within: limit)
    // The median of an even number, rounded down.
    let median = Price(raw: Int64(double >> 1))
    return [
      Explanation(
        isNear != Half.isOdd ? .passes : .filters,
        "\(Price(raw: price)) is \(isNear ? "at most" : "more than") \(limit.optionText) from \(median), the median of the last prices",
        by: OptionPlace("odd"))
    ]
  }
}
