internal import MarketData
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenState {
  /// The length of the candles on a symbol's page; nil if it shows the line of prices.
  func candleLength(of symbol: Symbol) -> BarLength? {
    guard !chart.showsLine, let row = shown.place(of: symbol) else { return nil }
    let lengths = shown.bars.lengths(of: row)
    return chart.barLength.flatMap { lengths.contains($0) ? $0 : nil } ?? lengths.first
  }

  /// The candle under the crosshair.
  func markedCandle(of candles: BarChart) -> Int? {
    chart.crosshair.flatMap { time in candles.bars.firstIndex { $0.time == time } }
  }

  /// Handles a key of the candles; returns false for any other key.
  mutating func reduceCandles(_ press: KeyPress, _ symbol: Symbol) -> Bool {
    if press.key == .character("l") {
      chart.turn()
      return true
    }
    if press.key == .left || press.key == .right, settings.hasHistory,
      chart.stepPast(press.key == .left ? -1 : 1, atEnd: isAtLongest(symbol))
    {
      return true
    }
    guard let candles = ScreenGeometry(self).candles else { return false }
    switch press.key {
    case .escape where chart.crosshair != nil: chart.crosshair = nil
    case .character(","), .character("."):
      let step = press.key == .character(",") ? -1 : 1
      let last = candles.bars.count - 1
      let at = markedCandle(of: candles).map { max(0, min(last, $0 + step)) } ?? last
      chart.crosshair = candles.bars[at].time
    case .left, .right:
      guard let length = candleLength(of: symbol), let row = shown.place(of: symbol) else { return true }
      let lengths = shown.bars.lengths(of: row)
      guard let at = lengths.firstIndex(of: length) else { return true }
      chart.barLength = lengths[max(0, min(lengths.count - 1, at + (press.key == .left ? -1 : 1)))]
      chart.crosshair = nil
    default: return false
    }
    return true
  }

  /// True if the page shows the longest candles that the run itself has.
  private func isAtLongest(_ symbol: Symbol) -> Bool {
    guard let length = candleLength(of: symbol), let row = shown.place(of: symbol) else { return chart.span == ChartSpan.allCases.last }
    return length == shown.bars.lengths(of: row).last
  }

  /// Puts the crosshair where the mouse was pressed.
  mutating func clickCandles(row: Int, column: Int) {
    let geometry = ScreenGeometry(self)
    let area = geometry.chart
    guard let candles = geometry.candles, (area.row..<area.row + area.rows).contains(row),
      (area.column..<area.column + 1 + candles.plot.width).contains(column)
    else { return }
    chart.crosshair = candles.bars[candles.plot.index(at: column - area.column - 1)].time
  }
}
