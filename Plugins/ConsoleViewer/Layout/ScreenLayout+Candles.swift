internal import StockbusHistory
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
  var candles: BarChart? {
    guard case .detail(let symbol) = state.page, let row = state.shown.place(of: symbol) else { return nil }
    if state.chart.past != nil { return state.pastBars(of: symbol).flatMap { chart(of: $0[...], row, fitting: true) } }
    return state.candleLength(of: symbol).flatMap { chart(of: state.shown.bars.last($0, of: row), row) }
  }

  /// - Parameter fitting: makes candles narrower if more of them fit then.
  private func chart(of bars: ArraySlice<Bar>, _ row: Int, fitting: Bool = false) -> BarChart? {
    let decimals = Int(state.shown.rows[row].decimals)
    // The labels of all bars, so that the width does not depend on which bars fit.
    let labels = [bars.map(\.high).max(), bars.map(\.low).min()].compactMap { $0?.formatted(decimals: decimals).count }
    let margin = (labels.max() ?? 0) + 2
    let step = fitting && bars.count * 2 > chart.columns - margin - 1 ? 1 : 2
    return BarChart(bars, columns: chart.columns, rows: chart.rows, margin: margin, step: step)
  }
}

extension ScreenLayout {
  mutating func drawCandles(_ candles: BarChart, _ row: Row) {
    let plot = candles.plot
    let area = geometry.chart
    let (left, bottom) = (area.column + 1, area.row + area.rows - 1)
    let marked = state.markedCandle(of: candles)
    for index in candles.bars.indices {
      let bar = candles.bars[index]
      let style = pen.direction(bar.close == bar.open ? 0 : bar.close > bar.open ? 1 : -1)
      let column = left + plot.column(of: index)
      for (line, character) in plot.characters(of: index).enumerated() {
        let isMark = index == marked && character == " "
        if isMark {
          frame.put("┊", row: area.row + line, column: column, pen.accent)
        } else if character != " " {
          frame.put(String(character), row: area.row + line, column: column, style)
        }
      }
    }
    let label = left + plot.width + 1
    let (low, high) = (Price(raw: plot.low), Price(raw: plot.high))
    frame.put(high.formatted(decimals: Int(row.decimals)), row: area.row, column: label, pen.muted)
    if low < high, plot.priceRows > 1 {
      frame.put(low.formatted(decimals: Int(row.decimals)), row: area.row + plot.priceRows - 1, column: label, pen.muted)
    }
    guard let first = candles.bars.first, let last = candles.bars.last else { return }
    if let marked {
      frame.put(figures(candles.bars[marked]), row: bottom, column: left, pen.accent, width: area.columns - 1)
    } else {
      let end = time(last)
      frame.put(time(first), row: bottom, column: left, pen.muted, width: plot.width)
      if plot.width > 24 { frame.put(end, row: bottom, column: left + plot.width - end.count, pen.muted) }
    }
  }

  private func figures(_ bar: Bar) -> String {
    let prices = [bar.open, bar.high, bar.low, bar.close].map { $0.formatted(decimals: Int(bar.priceDecimals)) }
    return "\(time(bar)) O \(prices[0]) H \(prices[1]) L \(prices[2]) C \(prices[3]) V \(PlainText.amount(bar.volume))"
  }

  /// The time of day, with the date where a chart has many days, or the date of bars of a day and more.
  private func time(_ bar: Bar) -> String {
    let isLong = bar.length.nanoseconds.map { $0 >= 86_400_000_000_000 } ?? (bar.length == .unknown)
    if isLong { return String(bar.time.description.prefix(10)) }
    let time = CellText.seconds(bar.time, zone: state.zone)
    guard let span = state.chart.past else { return time }
    return span == .day ? String(time.prefix(5)) : "\(CellText.date(bar.time, zone: state.zone)) \(time.prefix(5))"
  }
}
