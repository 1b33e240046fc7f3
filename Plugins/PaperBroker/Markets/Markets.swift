internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusTrading

/// The data of the configuration's instruments for a broker: how each is traded, when its market is open, and when its shares are split.
///
/// All of it follows from the instruments and the time, so a restarted broker gets the same state.
struct Markets {
  /// A split, due before everything that is received when its trading date begins.
  private struct DueSplit {
    /// The moment before which the split is due.
    let time: Timestamp
    let symbol: Symbol
    let ratio: Ratio

    var due: Timestamp { time.before }
  }

  private let instruments: Instruments
  private var markets: [TradedMarket] = []
  /// Splits by due time, the earliest first.
  private var splits: [DueSplit] = []
  private var nextSplit = 0
  private(set) var hasBegun = false
  /// When the next change is due: everything up to then has been received.
  private(set) var due: Timestamp?

  init(_ instruments: Instruments, _ sessions: TradedSessions) {
    self.instruments = instruments
    var isUsed = [Bool](repeating: false, count: instruments.calendars.count)
    for instrument in instruments.all {
      guard let terms = instruments.terms(of: instrument.symbol) else { continue }
      if terms.calendar >= 0 { isUsed[Int(terms.calendar)] = true }
      if instrument.splits.isEmpty { continue }
      let hours = instruments.calendar(for: instrument.symbol).map { TradingHours(calendar: $0, sessions: sessions) }
      for split in instrument.splits {
        // Without a calendar days are those of UTC.
        let begin = hours.map { $0.begin(of: split.date) } ?? Timestamp(ns: Int64(split.date.days) * 86_400_000_000_000)
        if let begin { splits.append(DueSplit(time: begin, symbol: instrument.symbol, ratio: split.ratio)) }
      }
    }
    // In the order of the instruments where they are due together.
    splits = splits.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    for (place, calendar) in instruments.calendars.enumerated() where isUsed[place] {
      markets.append(TradedMarket(TradingHours(calendar: calendar, sessions: sessions), number: Self.market(ofCalendar: place)))
    }
  }

  /// How instruments are traded; nil for unlisted ones.
  static func terms(of instruments: Instruments) -> @Sendable (Symbol) -> TradingTerms? {
    { symbol in
      guard let instrument = instruments[symbol], let terms = instruments.terms(of: symbol) else { return nil }
      return TradingTerms(
        currency: instrument.currency.isEmpty ? nil : try? Symbol(instrument.currency), lot: instrument.lot ?? Quantity(raw: 1),
        tick: instrument.tickSize ?? 0, multiplier: instrument.multiplier,
        market: terms.calendar < 0 ? 0 : market(ofCalendar: Int(terms.calendar)))
    }
  }

  /// The broker's market 0 is that of instruments without a calendar, and always open.
  private static func market(ofCalendar place: Int) -> Int { place + 1 }

  /// When trading in an instrument begins, if its market is closed and that is known.
  func opening(of symbol: Symbol) -> Timestamp? {
    guard let terms = instruments.terms(of: symbol), terms.calendar >= 0 else { return nil }
    return markets.first { $0.number == Self.market(ofCalendar: Int(terms.calendar)) }?.opening
  }

  /// Sets the broker's state after everything that was received up to `time`. Changes that were due by then are in it.
  mutating func begin(at time: Timestamp, _ broker: inout Broker, into out: inout Outcomes) {
    hasBegun = true
    for place in markets.indices { markets[place].begin(at: time, &broker, into: &out) }
    nextSplit = splits.firstIndex { $0.due > time } ?? splits.count
    plan()
  }

  /// Sets the markets back to an earlier time, after a wrong one. Splits stay as they are.
  mutating func setBack(to time: Timestamp, _ broker: inout Broker, into out: inout Outcomes) {
    for place in markets.indices { markets[place].begin(at: time, &broker, into: &out) }
    plan()
  }

  /// Makes the change that is due first. Returns why a split was impossible, in a sentence.
  mutating func advance(_ broker: inout Broker, into out: inout Outcomes) -> String? {
    defer { plan() }
    guard let due else { return nil }
    if let place = markets.indices.first(where: { markets[$0].due == due }) {
      markets[place].advance(&broker, into: &out)
      return nil
    }
    let split = splits[nextSplit]
    nextSplit += 1
    do {
      try broker.split(split.symbol, new: split.ratio.numerator, old: split.ratio.denominator, at: split.time, into: &out)
      return nil
    } catch {
      // The instrument's orders and position are in old shares, and prices in new ones.
      broker.halt(split.symbol, at: split.time, into: &out)
      return "\(error); trading in it is halted"
    }
  }

  private mutating func plan() {
    due = nextSplit < splits.count ? splits[nextSplit].due : nil
    for market in markets { if let next = market.due, next < due ?? Timestamp(ns: .max) { due = next } }
  }
}
