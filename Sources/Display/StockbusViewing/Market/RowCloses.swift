internal import StockbusInstruments
internal import StockbusPlugin

/// The close of the trading date before that of each row's price.
struct RowCloses {
  private let instruments: Instruments
  private var closes: PreviousCloses
  private var byRow: ContiguousArray<Price?> = []

  init(_ past: PastPrices, _ instruments: Instruments) {
    self.instruments = instruments
    closes = PreviousCloses(past, instruments)
  }

  /// The close; nil if unknown.
  func close(of row: Int) -> Price? { row < byRow.count ? byRow[row] : nil }

  /// Takes the last price of a second.
  mutating func end(_ symbol: Symbol, _ price: Price, at time: Timestamp) { _ = closes.take(symbol, price, at: time) }

  /// Takes the first price of a second, which may be the first of a date.
  mutating func take(_ row: Row, _ at: Int, _ time: Timestamp, _ isDated: Bool) {
    let time = isDated ? instruments.midnight(ofDayFrom: time, row.symbol) : time
    if let opening = closes.take(row.symbol, row.price, at: time, isDated: isDated) { set(opening.close, at) }
  }

  /// Sets the close of a row whose price is from before the run; the row's first event replaces it.
  mutating func set(_ close: Price?, _ at: Int) {
    if at >= byRow.count { byRow.append(contentsOf: repeatElement(nil, count: at + 1 - byRow.count)) }
    byRow[at] = close
  }
}
