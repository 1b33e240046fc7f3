internal import MarketData
internal import StockbusTerminal

/// The bars of a chart that fit, and where their candles are: the newest is at the right.
struct BarChart {
  let bars: [Bar]
  let plot: CandlePlot

  /// Nil if there is no bar or no room. `margin` is the width of the labels at the right, `step` the columns of a candle.
  init?(_ bars: some BidirectionalCollection<Bar>, columns: Int, rows: Int, margin: Int, step: Int = 2) {
    let width = columns - margin - 1
    guard width >= 4, rows >= 3 else { return nil }
    let shown = Array(bars.suffix(width / step))
    let candles = shown.map {
      Candle(open: $0.open.raw, high: $0.high.raw, low: $0.low.raw, close: $0.close.raw, volume: $0.volume.raw)
    }
    guard let plot = CandlePlot(candles, width: width, step: step, rows: rows - 1, volumeRows: rows >= 10 ? 2 : 0) else { return nil }
    self.bars = shown
    self.plot = plot
  }
}
