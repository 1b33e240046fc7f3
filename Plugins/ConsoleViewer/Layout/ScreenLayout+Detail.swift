internal import StockbusHistory
internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenLayout {
  mutating func drawDetail(_ symbol: Symbol) {
    let market = state.shown
    let top = geometry.tabRow == nil ? 0 : 1
    guard let at = market.place(of: symbol) else {
      frame.put(" " + (state.missing.sentence(of: symbol) ?? "\(symbol): no price yet"), row: top, column: 0, pen.strong)
      return
    }
    let row = market.rows[at]
    drawTitle(row, top)
    let bottom = geometry.statusRow
    let area = geometry.chart
    if let candles = geometry.candles {
      drawCandles(candles, row)
    } else if state.chart.past != nil {
      // The answer of the history, or that it is being asked.
      let text = state.past.fault ?? (state.past.isReading ? "reading the history …" : "")
      frame.put(text, row: area.row, column: area.column + 1, pen.muted, width: area.columns - 2)
    } else {
      drawChart(row, at, row: area.row, column: area.column, columns: area.columns, rows: area.rows)
    }
    if area.isWide {
      drawFacts(row, at, row: area.row, column: area.columns + 1, width: 33, until: bottom)
    } else {
      drawFacts(row, at, row: area.row + area.rows, column: 1, width: state.size.columns - 2, until: bottom)
    }
  }

  private mutating func drawTitle(_ row: Row, _ line: Int) {
    frame.clear(row: line, pen.text)
    var at = frame.put(" \(row.symbol) ", row: line, column: 0, pen.accent)
    let flash = pen.flash(age: state.now - row.movedAt, of: state.settings.flash, isUp: row.isUp)
    at = frame.put(" \(CellText.text(.price, row, zone: state.zone)) ", row: line, column: at, flash ?? pen.strong)
    let change = "\(CellText.text(.change, row, zone: state.zone)) (\(CellText.text(.percent, row, zone: state.zone)))"
    at = frame.put(" " + change, row: line, column: at, pen.direction(row.change.raw))
    if row.isStale { at = frame.put("  last price, \(CellText.age(row, at: state.wall))", row: line, column: at, pen.muted) }
    var hint: String
    let isPast = state.chart.past != nil
    if let length = state.candleLength(of: row.symbol), let place = state.shown.place(of: row.symbol) {
      hint = state.shown.bars.lengths(of: place).map { $0 == length && !isPast ? "[\(Self.title($0))]" : Self.title($0) }.joined(
        separator: " ")
    } else {
      hint = ChartSpan.allCases.map { $0 == state.chart.span && !isPast ? "[\($0.title)]" : $0.title }.joined(separator: " ")
    }
    if state.settings.hasHistory {
      let spans = PastSpan.allCases.map { $0 == state.chart.past ? pastTitle(row.symbol, $0) : $0.rawValue }.joined(separator: " ")
      hint += " · " + spans
      // Where there is no room for all, the chosen one is shown.
      if let span = state.chart.past, at + hint.count + 2 > state.size.columns { hint = pastTitle(row.symbol, span) }
    }
    if at + hint.count + 2 <= state.size.columns { frame.put(hint, row: line, column: state.size.columns - hint.count - 1, pen.muted) }
  }

  /// `[month 1d]`: the span, and what a candle stands for.
  private func pastTitle(_ symbol: Symbol, _ span: PastSpan) -> String {
    "[\(span)" + (state.pastChart(of: symbol).map { " \($0.period)" } ?? "") + "]"
  }

  private static func title(_ length: BarLength) -> String { length == .unknown ? "bars" : length.description }

  private mutating func drawChart(_ row: Row, _ at: Int, row top: Int, column: Int, columns: Int, rows: Int) {
    guard rows >= 2, columns >= 12 else { return }
    let points = state.shown.history(of: at, span: state.chart.span.nanoseconds)
    let prices = points.map(\.price)
    guard let low = prices.min(), let high = prices.max(), let last = points.last else { return }
    // A history that is shorter than the span takes the whole width.
    let first = min(max(last.time - state.chart.span.nanoseconds, points[0].time), last.time - 10_000_000_000)
    let labels = [high, low].map { Price(raw: $0).formatted(decimals: Int(row.decimals)) }
    let margin = (labels.map(\.count).max() ?? 0) + 2
    let width = columns - margin - 1
    let picture = Charts.line(
      points, columns: width, rows: rows - 1, times: first...last.time, prices: low...high)
    let style = pen.direction(last.price == prices[0] ? 0 : last.price > prices[0] ? 1 : -1)
    for (line, text) in picture.enumerated() { frame.put(text, row: top + line, column: column + 1, style, width: width) }
    // A price that never moved is drawn in the middle.
    frame.put(labels[0], row: low == high ? top + (rows - 2) / 2 : top, column: column + 1 + width + 1, pen.muted)
    if rows > 2, low < high { frame.put(labels[1], row: top + rows - 2, column: column + 1 + width + 1, pen.muted) }
    let begin = CellText.seconds(Timestamp(ns: first), zone: state.zone)
    let end = CellText.seconds(Timestamp(ns: last.time), zone: state.zone)
    frame.put(begin, row: top + rows - 1, column: column + 1, pen.muted)
    if width > 20 { frame.put(end, row: top + rows - 1, column: column + 1 + width - end.count, pen.muted) }
  }

  private mutating func drawFacts(_ row: Row, _ at: Int, row top: Int, column: Int, width: Int, until bottom: Int) {
    var line = top
    for (name, value) in facts(row, at) where line < bottom {
      // Where there is no room for both, the name is cut: a cut number would be another number.
      let room = max(0, width - value.displayWidth)
      frame.put(name, row: line, column: column, pen.muted, width: room - 1)
      frame.put(value, row: line, column: column + room, pen.text, width: width - room)
      line += 1
    }
    drawHoldings(row, row: &line, column: column, width: width, until: bottom)
    let alerts = state.alerts.filter { $0.symbol == row.symbol }
    for alert in alerts where line < bottom {
      frame.put("! \(alert.isAbove ? "above" : "below") \(alert.level)", row: line, column: column, pen.warning, width: width)
      line += 1
    }
    for rule in state.otherRules where rule.concerns(row.symbol) {
      let style = rule.state == .on ? pen.warning : pen.muted
      for text in rule.lines(columns: width) where line < bottom {
        frame.put(text, row: line, column: column, style, width: width)
        line += 1
      }
    }
    guard line + 2 < bottom else { return }
    line += 1
    frame.put("last trades".padded(columns: width), row: line, column: column, pen.head, width: width)
    for print in state.shown.tape.last(bottom - line - 1, of: at) {
      line += 1
      let text =
        CellText.seconds(print.time, zone: state.zone) + " "
        + print.price.formatted(decimals: Int(print.decimals)).padded(columns: 11, alignment: .trailing) + " "
        + PlainText.amount(print.size).padded(columns: 6, alignment: .trailing)
      let style = print.side == .buy ? pen.direction(1) : print.side == .sell ? pen.direction(-1) : pen.text
      frame.put(text + (print.side == .unknown ? "" : " \(print.side.fieldName)"), row: line, column: column, style, width: width)
    }
  }

  /// What the accounts hold of the symbol, with its profit.
  private mutating func drawHoldings(_ row: Row, row line: inout Int, column: Int, width: Int, until bottom: Int) {
    for position in state.shownPortfolio.positions where position.symbol == row.symbol && position.quantity.raw != 0 && line < bottom {
      let holding = Portfolio.holding(position, in: state.shown)
      frame.put("\(position.account) holds \(position.quantity)", row: line, column: column, pen.muted, width: width)
      let profit = " " + TradingText.signed(holding.unrealised)
      let end = max(column, column + width - profit.displayWidth)
      frame.put(profit, row: line, column: end, pen.direction(Int64(holding.unrealised.raw.signum())), width: column + width - end)
      line += 1
    }
  }

  private func facts(_ row: Row, _ at: Int) -> [(String, String)] {
    let decimals = Int(row.decimals)
    var facts: [(String, String)] = []
    if row.rank > 0 { facts.append(("rank", "\(row.rank)")) }
    let close = state.shown.previousClose(of: at)
    if let close { facts.append(("previous close", close.formatted(decimals: decimals))) }
    if row.reference != close { facts.append(("open", CellText.text(.open, row, zone: state.zone))) }
    facts += [
      ("high", CellText.text(.high, row, zone: state.zone)), ("low", CellText.text(.low, row, zone: state.zone)),
      ("volume", PlainText.amount(row.volume)), ("updates", CellText.count(Double(row.updates))),
    ]
    if row.bid.raw != 0 { facts.append(("bid", "\(PlainText.amount(row.bidSize)) × \(row.bid.formatted(decimals: decimals))")) }
    if row.ask.raw != 0 { facts.append(("ask", "\(PlainText.amount(row.askSize)) × \(row.ask.formatted(decimals: decimals))")) }
    if let spread = row.spread { facts.append(("spread", spread.formatted(decimals: decimals))) }
    facts.append(("last", row.isStale ? CellText.age(row, at: state.wall) : CellText.seconds(row.time, zone: state.zone)))
    facts += state.shown.columns.names.compactMap { name in
      state.shown.beside?.value(name, of: at).map { (name, $0.kind.text($0.value, zone: state.zone)) }
    }
    return facts
  }
}
