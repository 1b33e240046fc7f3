package import MarketData
internal import StockbusPlugin

/// What an instrument is.
package enum InstrumentKind: String, Choice, BitwiseCopyable {
  case equity, etf, fund, index, bond, future, option, currency, crypto, commodity, other
}

/// What is known about an instrument besides its prices.
package struct Instrument: Sendable, Hashable {
  package let symbol: Symbol
  /// Empty if it is not known; so are the other texts.
  package var name = ""
  package var kind = InstrumentKind.other
  package var industry = ""
  package var venue = ""
  /// The step of its prices; nil if it is not known.
  package var tickSize: Price?
  /// The step of its quantities; nil if it is not known.
  package var lot: Quantity?
  /// What one unit of the price is worth for one unit of the quantity: 50 for a future of which a point is 50 dollars.
  package var multiplier: Quantity = 1
  package var currency = ""
  /// The name of its calendar; empty if it has none.
  package var calendar = ""
  /// In the order of their dates, at most one for each date.
  package var splits: [Split] = []

  package init(_ symbol: Symbol) { self.symbol = symbol }

  /// The shares that one share held at the end of `first` has become at the end of `last`: the product of the splits after `first` and up
  /// to `last`. Nil if it does not fit into a `Ratio`.
  package func splitRatio(after first: TradingDate, through last: TradingDate) -> Ratio? {
    var product = Ratio.one
    for split in splits where first < split.date && split.date <= last {
      guard let next = product.times(split.ratio) else { return nil }
      product = next
    }
    return product
  }
}

/// The figures of an instrument that hot paths need, as plain bytes.
package struct InstrumentTerms: BitwiseCopyable, Hashable, Sendable {
  /// Zero if it is not known.
  package let tickSize: Price
  /// Zero if it is not known.
  package let lot: Quantity
  package let multiplier: Quantity
  package let kind: InstrumentKind
  /// The place of its calendar in `Instruments.calendars`; -1 if it has none.
  package let calendar: Int32
  package let hasSplits: Bool

  init(_ instrument: Instrument, calendar: Int32) {
    tickSize = instrument.tickSize ?? 0
    lot = instrument.lot ?? 0
    multiplier = instrument.multiplier
    kind = instrument.kind
    self.calendar = calendar
    hasSplits = !instrument.splits.isEmpty
  }
}
