internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenLayout {
  mutating func drawTable() {
    let columns = geometry.columns
    if let head = geometry.headRow { drawHead(columns, head) }
    let market = state.shown
    let visible = geometry.visible
    let ranks = market.standings.ranks(of: visible, market.rows)
    for (line, at) in visible.enumerated() {
      var row = market.rows[Int(at)]
      row.rank = ranks[at] ?? 0
      draw(row, at: Int(at), place: state.offset + line + 1, columns, row: geometry.bodyRow + line)
    }
    if visible.isEmpty, geometry.bodyRows > 0 {
      frame.put(emptyText, row: geometry.bodyRow + geometry.bodyRows / 2, column: 2, pen.muted)
    }
    drawMissing(below: visible.isEmpty ? geometry.bodyRow + geometry.bodyRows / 2 + 1 : geometry.bodyRow + visible.count)
    drawPanes()
  }

  private var emptyText: String {
    if !state.filter.isEmpty { return "nothing matches '\(state.filter.text)'; Esc shows all" }
    if state.market.rows.isEmpty { return "waiting for prices …" }
    return state.current == .watchlist && state.watchlist.isEmpty
      ? "the watchlist is empty: choose a symbol and press w" : "none of these has a price yet"
  }

  /// Shows which requested symbols have not arrived, if there is room.
  private mutating func drawMissing(below row: Int) {
    let end = geometry.bodyRow + geometry.bodyRows
    for (line, sentence) in state.missing.sentences.enumerated() where row + line < end {
      frame.put(sentence, row: row + line, column: 2, pen.warning)
    }
  }

  private mutating func drawHead(_ columns: [(column: Column, begin: Int, width: Int)], _ row: Int) {
    frame.clear(row: row, pen.head)
    for (column, begin, width) in columns {
      let isSorted = state.sorting.column == column
      let title = ScreenGeometry.title(of: column) + (isSorted ? state.sorting.isDescending ? " ▼" : " ▲" : "")
      let isLeading = column == .symbol || column == .trend
      let text = (column == .symbol ? "  " + title : title).padded(columns: width, alignment: isLeading ? .leading : .trailing)
      frame.put(text, row: row, column: begin, isSorted ? pen.headSorted : pen.head)
    }
  }

  private mutating func draw(_ row: Row, at: Int, place: Int, _ columns: [(column: Column, begin: Int, width: Int)], row line: Int) {
    let isSelected = state.selection == row.symbol
    if isSelected { frame.restyle(row: line, pen.select) }
    for (column, begin, width) in columns {
      var style = row.isStale ? pen.muted : style(of: column, row, at)
      if isSelected { pen.select(&style) }
      if column == .price,
        let flash = pen.flash(age: state.now - row.movedAt, of: state.settings.flash, isUp: row.isUp, isSelected: isSelected)
      {
        style = flash
      }
      switch column {
      case .trend where row.isStale, .time where row.isStale:
        // Shows the age of the only price instead of a line through its prices.
        let text = CellText.age(row, at: state.wall, width: width)
        frame.put(text.padded(columns: width, alignment: column == .trend ? .leading : .trailing), row: line, column: begin, style)
      case .trend:
        frame.put(Charts.sparkline(state.shown.trend(of: at, count: width)), row: line, column: begin, style, width: width)
      case .symbol:
        var mark = pen.accent
        if isSelected { pen.select(&mark) }
        frame.put(self.mark(row.symbol, isSelected), row: line, column: begin, mark)
        frame.put(row.symbol.description.truncated(columns: width - 2), row: line, column: begin + 2, style, width: width - 2)
      case .rank:
        // Without a ranking the position in the list is shown.
        let text = row.rank > 0 ? CellText.text(.rank, row, zone: state.zone) : "\(place)"
        frame.put(text.padded(columns: width, alignment: .trailing), row: line, column: begin, style)
      default:
        let text = CellText.text(column, at, of: state.shown, zone: state.zone)
        frame.put(text.padded(columns: width, alignment: .trailing), row: line, column: begin, style)
      }
    }
  }

  /// One character for the most important mark: chosen, pinned, with an alert, on the watchlist.
  private func mark(_ symbol: Symbol, _ isSelected: Bool) -> String {
    if isSelected { return "▸" }
    if state.pinned.contains(symbol) { return "◆" }
    if state.alerts.contains(where: { $0.symbol == symbol }) { return "!" }
    return state.watchlist.contains(symbol) ? "★" : " "
  }

  private func style(of column: Column, _ row: Row, _ at: Int) -> Style {
    switch column {
    case .rank, .time, .updates, .open: pen.muted
    case .symbol: pen.strong
    case .change, .percent, .trend: pen.direction(row.change.raw)
    case .beside(let name):
      state.shown.beside?.value(name, of: at).map { $0.kind == .percent ? pen.direction($0.value) : pen.text } ?? pen.text
    default: pen.text
    }
  }

  // MARK: Panes

  private mutating func drawPanes() {
    var row = geometry.statusRow - geometry.paneRows
    for (pane, rows) in geometry.panes {
      frame.put(String(repeating: "─", count: state.size.columns), row: row, column: 0, pen.muted)
      frame.put(" \(pane.owner) ", row: row, column: 2, pen.muted)
      for (line, text) in pane.lines.suffix(rows).enumerated() { frame.put(themed(text), row: row + 1 + line, column: 1, over: pen.text) }
      row += rows + 1
    }
  }

  /// A line of another component in the colours of the theme: its green and red become the theme's up and down.
  private func themed(_ line: StyledLine) -> StyledLine {
    StyledLine(
      line.runs.map { run in
        var style = run.style
        let isUp = style.foreground == .green || style.foreground == .brightGreen
        let isDown = style.foreground == .red || style.foreground == .brightRed
        if isUp || isDown, pen.isColoured {
          let theme = pen.theme
          style.foreground = (isUp ? theme.up : theme.down).color
          if style.isInverse {
            style.isInverse = false
            style.foreground = theme.flashText.color
            style.background = (isUp ? theme.flashUp : theme.flashDown).color
          } else if style.isDim {
            style.isDim = false
            style.foreground = (isUp ? theme.up : theme.down).mixed(with: theme.ground, 0.45)
          }
        }
        return StyledLine.Run(run.text, style)
      })
  }
}
