internal import MarketData
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenState {
  /// The length of the candles on a symbol's page; nil if it shows the line of prices.
  func candleLength(of symbol: Symbol) -> BarLength? {
    guard !showsLine, let row = shown.place(of: symbol) else { return nil }
    let lengths = shown.bars.lengths(of: row)
    return barLength.flatMap { lengths.contains($0) ? $0 : nil } ?? lengths.first
  }

  /// The candle under the crosshair.
  func markedCandle(of candles: CandleChart) -> Int? {
    crosshair.flatMap { time in candles.bars.firstIndex { $0.time == time } }
  }

  /// Takes a key of the candles; returns false if it is none of theirs.
  mutating func reduceCandles(_ press: KeyPress, _ symbol: Symbol) -> Bool {
    if press.key == .character("l") {
      showsLine.toggle()
      return true
    }
    guard let length = candleLength(of: symbol), let row = shown.place(of: symbol), let candles = ScreenGeometry(self).candles else {
      return false
    }
    switch press.key {
    case .escape where crosshair != nil: crosshair = nil
    case .character(","), .character("."):
      let step = press.key == .character(",") ? -1 : 1
      let last = candles.bars.count - 1
      let at = markedCandle(of: candles).map { max(0, min(last, $0 + step)) } ?? last
      crosshair = candles.bars[at].time
    case .left, .right:
      let lengths = shown.bars.lengths(of: row)
      guard let at = lengths.firstIndex(of: length) else { return true }
      barLength = lengths[max(0, min(lengths.count - 1, at + (press.key == .left ? -1 : 1)))]
      crosshair = nil
    default: return false
    }
    return true
  }

  /// Puts the crosshair where the mouse was pressed.
  mutating func clickCandles(row: Int, column: Int) {
    let geometry = ScreenGeometry(self)
    let area = geometry.chart
    guard let candles = geometry.candles, (area.row..<area.row + area.rows).contains(row),
      (area.column..<area.column + 1 + candles.width).contains(column)
    else { return }
    crosshair = candles.bars[candles.index(at: column - area.column - 1)].time
  }
}
