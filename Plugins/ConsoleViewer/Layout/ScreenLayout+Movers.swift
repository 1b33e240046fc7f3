internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

// The lists of `movers`, if they are among the inputs; otherwise the screen compares prices itself.
extension ScreenLayout {
  /// The least width of a list.
  private static var listWidth: Int { 36 }

  mutating func drawMovers() {
    if let period = state.moverPeriod { drawMovers(of: period) } else { drawOwnMovers() }
  }

  private mutating func drawMovers(of period: MoverPeriod) {
    let tables = state.shown.movers
    let lists = tables.lists(period)
    let (top, rows, columns) = (geometry.bodyRow, geometry.bodyRows, state.size.columns)
    if lists.isEmpty { return }
    let perLine = max(1, min(lists.count, columns / Self.listWidth))
    let lines = (lists.count + perLine - 1) / perLine
    let hint = tables.periods.count > 1 ? "  m: next" : ""
    for (index, list) in lists.enumerated() {
      let (line, place) = (index / perLine, index % perLine)
      let (row, end) = (rows * line / lines, rows * (line + 1) / lines)
      let column = columns * place / perLine
      let width = columns * (place + 1) / perLine - column - (place + 1 < perLine ? 1 : 0)
      let title = "\(Self.title(list)), \(period.fieldName.uppercased())\(index == 0 ? hint : "")"
      draw(title, tables.list(list, period), row: top + row, rows: end - row, column: column, width: width)
    }
  }

  private static func title(_ list: MoverList) -> String {
    switch list {
    case .gainers: "TOP GAINERS"
    case .losers: "TOP LOSERS"
    case .active: "MOST ACTIVE"
    }
  }

  private mutating func draw(_ title: String, _ movers: [Mover], row: Int, rows: Int, column: Int, width: Int) {
    guard rows > 0 else { return }
    frame.put(" \(title)".padded(columns: width), row: row, column: column, pen.head, width: width)
    for (line, mover) in movers.prefix(rows - 1).enumerated() {
      let row = row + 1 + line
      var at = frame.put(" " + mover.symbol.description.padded(columns: 9), row: row, column: column, pen.strong, width: width)
      let price = mover.price.formatted(decimals: Int(mover.priceDecimals)).padded(columns: 10, alignment: .trailing)
      at = frame.put(price, row: row, column: at, pen.text, width: width - (at - column))
      let percent = mover.mark == .new && mover.percent.raw == 0 ? "new" : PlainText.signed(mover.percent)
      at = frame.put(
        percent.padded(columns: 9, alignment: .trailing), row: row, column: at, pen.direction(mover.percent.raw),
        width: width - (at - column))
      let note = mover.list == .active ? PlainText.amount(mover.volume) : mover.mark == .split ? "split" : ""
      frame.put(note.padded(columns: 6, alignment: .trailing), row: row, column: at, pen.muted, width: width - (at - column))
    }
  }
}
