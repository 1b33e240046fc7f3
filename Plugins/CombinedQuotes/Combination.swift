internal import StockbusInstruments
internal import StockbusPlugin

/// Sends the value of some legs as a quote, whenever one of them changes it. Documentation/use/combine.md has the rules.
actor Combination<E: PricedEvent>: TimedProcessor, ExplainingComponent {
  private let settings: CombineSettings
  private let context: Context
  private var basket: Basket
  private var leftOut = LeftOuts()
  /// Nil if no instrument has been split.
  private var splits: SplitWatch?
  private var expectedSymbols: ExpectedSymbols
  /// True if it was reported that a leg is stale.
  private var isReported = false

  private struct Left: Codable, Sendable {
    var basket: Basket.Snapshot
    var splits: SplitWatch?
  }

  private static var memory: MemoryKey<Left> { MemoryKey("combination", whenOptionsChange: .keep) }

  static func faults(in settings: CombineSettings) -> [(option: String, message: String)] {
    settings.best ? [("best", "'best' compares quotes, and \(E.eventName) has no bid and ask")] : settings.legFaults
  }

  static func namedSymbols(_ settings: CombineSettings) -> [NamedSymbol] {
    (settings.legs?.entries ?? []).map { NamedSymbol($0.name, in: $0.name).inside("legs") }
  }

  init(_ settings: CombineSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    expectedSymbols = ExpectedSymbols(settings.legs?.entries.map(\.name) ?? [], after: context.recall(ExpectedSymbols.memory))
    basket = Basket(settings)
    let left = context.recall(Self.memory)
    splits = SplitWatch(context.instruments, after: left?.splits)
    if let left { basket.restore(left.basket) }
  }

  func process(_ events: Span<E>, into output: inout Outlet<Quote>) {
    expectedSymbols.look(at: events)
    for i in events.indices {
      advance(to: events[i].received.ns.subtractingSaturating(1))
      guard let place = basket.place(of: events[i].symbol) else {
        leaveOut(.other, from: &output)
        continue
      }
      while let split = splits?.take(events[i]) { basket.apply(split, to: place) }
      switch basket.take(events[i], of: place) {
      case .send(let quote): output.send(quote)
      case .leaveOut(let reason): leaveOut(reason, from: &output)
      }
    }
    tell()
  }

  private func leaveOut(_ reason: LeftOut, from output: inout Outlet<Quote>) {
    leftOut.add(reason)
    output.filter()
  }

  func advance(to time: Timestamp, into output: inout Outlet<Quote>) {
    advance(to: time.ns)
    tell()
  }

  private func advance(to time: Int64) {
    if basket.nextDue > time { return }
    let before = basket.expiries
    basket.advance(to: time)
    if basket.expiries > before {
      context.counter("stale", "Times that a leg has become stale.").add(basket.expiries - before)
    }
  }

  var due: Timestamp? { basket.nextDue == .max ? nil : Timestamp(ns: basket.nextDue) }

  /// Counts what was left out, and reports when the first leg becomes stale, and when none is any more.
  private func tell() {
    leftOut.tell(context)
    if (basket.staleCount > 0) == isReported { return }
    let stale = basket.staleLegs
    isReported = !stale.isEmpty
    context.report(
      trouble: stale.first.map { first in
        "\(first)\(stale.count > 1 ? " and \(stale.count - 1) more" : "") \(staleText), so nothing is sent"
      })
  }

  private var staleText: String { "sent nothing for more than \(settings.stale?.optionText ?? "")" }

  func keepMemory() {
    context.remember(expectedSymbols, ExpectedSymbols.memory)
    context.remember(Left(basket: basket.snapshot, splits: splits), Self.memory)
  }

  func handOver(into output: inout Outlet<Quote>) { keepMemory() }

  func drain(into output: inout Outlet<Quote>) { context.note(expectedSymbols) }

  func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation] {
    guard let place = basket.place(of: symbol) else { return [Explanation(.filters, "'legs' does not list it", by: OptionPlace("legs"))] }
    let leg = OptionPlace(symbol.description).inside("legs")
    if let stale = basket.staleLegs.first {
      return [Explanation(.filters, "\(stale) \(staleText)", by: OptionPlace("stale"))]
    }
    if let missing = basket.missingLegs.first { return [Explanation(.waits, "\(missing) has no price yet", by: leg)] }
    let weight = LegWeight(raw: basket.legs[place].weight)
    let name = settings.symbol?.description ?? ""
    return [Explanation(.passes, "\(name) has it with weight \(weight), and is \(basket.last)", by: leg)]
  }
}

extension Sides: CustomStringConvertible {
  var description: String {
    func text(_ side: Level?) -> String { side.map { "\(Price(raw: $0.price))" } ?? "none" }
    return "\(text(bid)) bid, \(text(ask)) asked"
  }
}
