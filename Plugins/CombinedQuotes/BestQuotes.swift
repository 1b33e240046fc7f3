internal import StockbusInstruments
internal import StockbusPlugin

/// Sends the best quote of each symbol among several venues, each of which is an input: `best: true`. Documentation/use/combine.md has the
/// rules.
actor BestQuotes: TimedLaneProcessor, ExplainingComponent {
  private let settings: CombineSettings
  private let context: Context
  private var market: BestMarket
  private var leftOut = LeftOuts()
  /// Nil if no instrument has been split.
  private var splits: SplitWatch?

  private struct Left: Codable, Sendable {
    var market: BestMarket.Snapshot
    var splits: SplitWatch?
  }

  private static var memory: MemoryKey<Left> { MemoryKey("best", whenOptionsChange: .keep) }

  init(_ settings: CombineSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    market = BestMarket(settings)
    let left = context.recall(Self.memory)
    splits = SplitWatch(context.instruments, after: left?.splits)
    if let left { market.restore(left.market) }
  }

  func attend(to inputs: [String]) { market.attend(to: inputs) }

  func process(_ quotes: Span<Quote>, from lane: Int, into output: inout Outlet<Quote>) {
    for i in quotes.indices {
      let before = quotes[i].received.ns.subtractingSaturating(1)
      if market.nextDue <= before { market.advance(to: before) { output.send($0) } }
      while let split = splits?.take(quotes[i]) { market.apply(split, to: quotes[i].symbol) }
      switch market.take(quotes[i], from: lane) {
      case .send(let quote): output.send(quote)
      case .leaveOut(let reason):
        leftOut.add(reason)
        output.filter()
      }
    }
    tell()
  }

  func advance(to time: Timestamp, into output: inout Outlet<Quote>) {
    market.advance(to: time.ns) { output.send($0) }
    tell()
  }

  var due: Timestamp? { market.nextDue == .max ? nil : Timestamp(ns: market.nextDue) }

  private func tell() {
    leftOut.tell(context)
    if market.crossed > 0 { context.counter("crossed", "Quotes sent whose bid is above their ask.").add(market.crossed) }
    if market.expiries > 0 { context.counter("stale", "Times that a quote was left out because it was stale.").add(market.expiries) }
    (market.crossed, market.expiries) = (0, 0)
  }

  func keepMemory() { context.remember(Left(market: market.snapshot, splits: splits), Self.memory) }

  func handOver(into output: inout Outlet<Quote>) { keepMemory() }

  func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation] {
    guard let (best, bidders, askers) = market.standing(of: symbol) else { return [Explanation(.waits, "no venue has a quote of it")] }
    func of(_ names: [String]) -> String { names.isEmpty ? "" : " (\(names.joined(separator: ", ")))" }
    func text(_ side: Level?) -> String { side.map { "\(Price(raw: $0.price))" } ?? "none" }
    return [
      Explanation(
        .passes, "the best bid is \(text(best.bid))\(of(bidders)), the best ask \(text(best.ask))\(of(askers))", by: OptionPlace("best"))
    ]
  }
}
