internal import MarketData

/// Where the candles of a chart are: a candle takes two columns, the newest is at the right.
struct CandleChart {
  /// The candles that fit.
  let bars: [Bar]
  let low: Price
  let high: Price
  /// Columns of the picture.
  let width: Int
  /// Rows of the prices, and below them of the volumes.
  let priceRows: Int
  let volumeRows: Int

  /// Nil if there is no bar or no room. `margin` is what the labels at the right need.
  init?(_ bars: ArraySlice<Bar>, columns: Int, rows: Int, margin: Int) {
    width = columns - margin - 1
    guard width >= 4, rows >= 3, !bars.isEmpty else { return nil }
    self.bars = Array(bars.suffix(width / 2))
    low = self.bars.map(\.low).min() ?? Price(raw: 0)
    high = self.bars.map(\.high).max() ?? Price(raw: 0)
    volumeRows = rows >= 10 && self.bars.contains { $0.volume.raw > 0 } ? 2 : 0
    priceRows = rows - 1 - volumeRows
  }

  /// The column of a candle in the picture.
  func column(of index: Int) -> Int { width - 2 * (bars.count - index) }

  /// The candle at a column of the picture, or the nearest one.
  func index(at column: Int) -> Int {
    max(0, min(bars.count - 1, bars.count - 1 - (width - 1 - column) / 2))
  }

  /// Half rows from the bottom.
  private func level(_ price: Price) -> Int {
    let span = Int128(high.raw) - Int128(low.raw)
    if span <= 0 { return priceRows }
    let steps = Int128(2 * priceRows - 1)
    return Int(((Int128(price.raw) - Int128(low.raw)) * steps * 2 + span) / (span * 2))
  }

  /// A candle's characters, from the top row to the bottom one: thin from low to high, thick from open to close.
  func candle(_ index: Int) -> [Character] {
    let bar = bars[index]
    let wick = level(bar.low)...max(level(bar.low), level(bar.high))
    let (first, last) = (level(min(bar.open, bar.close)), level(max(bar.open, bar.close)))
    func weight(_ half: Int) -> Int { half >= first && half <= last ? 2 : wick.contains(half) ? 1 : 0 }
    return (0..<priceRows).map { row in
      let lower = 2 * (priceRows - 1 - row)
      switch (weight(lower + 1), weight(lower)) {
      case (0, 0): return " "
      case (1, 1): return "│"
      case (2, 2): return "┃"
      case (1, 0): return "╵"
      case (0, 1): return "╷"
      case (2, 0): return "╹"
      case (0, 2): return "╻"
      case (1, _): return "╽"
      default: return "╿"
      }
    }
  }

  /// The characters of a candle's volume, from the top row to the bottom one, in eighths of a row; something for every volume.
  func volume(_ index: Int) -> [Character] {
    let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    let most = Int128(bars.map(\.volume.raw).max() ?? 0)
    let own = Int128(max(0, bars[index].volume.raw))
    let eighths = most > 0 && own > 0 ? max(1, Int(own * Int128(8 * volumeRows) / most)) : 0
    return (0..<volumeRows).map { row in blocks[max(0, min(8, eighths - 8 * (volumeRows - 1 - row)))] }
  }
}
