package import StockbusPlugin

/// The kind of an instrument.
package enum InstrumentKind: String, Choice, BitwiseCopyable {
  case equity, etf, fund, index, bond, future, option, currency, crypto, commodity, other
}

/// The known properties of an instrument besides its prices.
package struct Instrument: Sendable, Hashable {
  package let symbol: Symbol
  /// The name; empty if not known, like the other texts.
  package var name = ""
  package var kind = InstrumentKind.other
  package var industry = ""
  package var venue = ""
  /// The step of the instrument's prices; nil if not known.
  package var tickSize: Price?
  /// The step of the instrument's quantities; nil if not known.
  package var lot: Quantity?
  /// The worth of one unit of the price for one unit of the quantity: 50 for a future of which a point is 50 dollars.
  package var multiplier: Quantity = 1
  package var currency = ""
  /// The name of the instrument's calendar; empty if there is none.
  package var calendar = ""
  /// The splits in the order of their dates, at most one for each date.
  package var splits: [Split] = []

  package init(_ symbol: Symbol) { self.symbol = symbol }

  /// How many shares at the end of `last` correspond to one share held at the end of `first`: the product of the splits after `first` and
  /// up to `last`. Nil if the product does not fit into a `Ratio`.
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
  /// The step of prices; zero if not known.
  package let tickSize: Price
  /// The step of quantities; zero if not known.
  package let lot: Quantity
  package let multiplier: Quantity
  package let kind: InstrumentKind
  /// The index of the instrument's calendar in `Instruments.calendars`; -1 if there is none.
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
