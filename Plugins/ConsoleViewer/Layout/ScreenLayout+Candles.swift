internal import MarketData
internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenGeometry {
  /// The chart of a symbol's page. Figures are beside it if there is room, otherwise below it.
  var chart: (row: Int, column: Int, columns: Int, rows: Int, isWide: Bool) {
    let top = tabRow == nil ? 0 : 1
    let isWide = size.columns >= 76
    let rows = statusRow - top - 1
    let chartRows = isWide ? rows : rows > 12 ? rows / 2 : rows > 6 ? 4 : max(0, rows - 1)
    return (top + 1, 0, isWide ? size.columns - 35 : size.columns, chartRows, isWide)
  }

  /// The candles of the symbol whose page is shown; nil if there are none.
  var candles: CandleChart? {
    guard case .detail(let symbol) = state.page, let length = state.candleLength(of: symbol),
      let row = state.shown.place(of: symbol)
    else { return nil }
    let decimals = Int(state.shown.rows[row].decimals)
    let bars = state.shown.bars.last(length, of: row)
    // The labels of all bars, so that the width does not depend on what fits.
    let labels = [bars.map(\.high).max(), bars.map(\.low).min()].compactMap { $0?.formatted(decimals: decimals).count }
    return CandleChart(bars, columns: chart.columns, rows: chart.rows, margin: (labels.max() ?? 0) + 1)
  }
}

extension ScreenLayout {
  mutating func drawCandles(_ candles: CandleChart, _ row: Row) {
    let area = geometry.chart
    let (left, bottom) = (area.column + 1, area.row + area.rows - 1)
    let marked = state.markedCandle(of: candles)
    for index in candles.bars.indices {
      let bar = candles.bars[index]
      let style = pen.direction(bar.close == bar.open ? 0 : bar.close > bar.open ? 1 : -1)
      let column = left + candles.column(of: index)
      for (line, character) in (candles.candle(index) + candles.volume(index)).enumerated() {
        let isMark = index == marked && character == " "
        if isMark {
          frame.put("┊", row: area.row + line, column: column, pen.accent)
        } else if character != " " {
          frame.put(String(character), row: area.row + line, column: column, style)
        }
      }
    }
    let label = left + candles.width + 1
    frame.put(candles.high.formatted(decimals: Int(row.decimals)), row: area.row, column: label, pen.muted)
    if candles.low < candles.high, candles.priceRows > 1 {
      frame.put(candles.low.formatted(decimals: Int(row.decimals)), row: area.row + candles.priceRows - 1, column: label, pen.muted)
    }
    guard let first = candles.bars.first, let last = candles.bars.last else { return }
    if let marked {
      frame.put(figures(candles.bars[marked]), row: bottom, column: left, pen.accent, width: area.columns - 1)
    } else {
      let end = time(last)
      frame.put(time(first), row: bottom, column: left, pen.muted, width: candles.width)
      if candles.width > 24 { frame.put(end, row: bottom, column: left + candles.width - end.count, pen.muted) }
    }
  }

  private func figures(_ bar: Bar) -> String {
    let prices = [bar.open, bar.high, bar.low, bar.close].map { $0.formatted(decimals: Int(bar.priceDecimals)) }
    return "\(time(bar)) O \(prices[0]) H \(prices[1]) L \(prices[2]) C \(prices[3]) V \(PlainText.amount(bar.volume))"
  }

  /// The time of day, or the date of bars of a day and more.
  private func time(_ bar: Bar) -> String {
    let isLong = bar.length.nanoseconds.map { $0 >= 86_400_000_000_000 } ?? (bar.length == .unknown)
    return isLong ? String(bar.time.description.prefix(10)) : CellText.seconds(bar.time, zone: state.zone)
  }
}
