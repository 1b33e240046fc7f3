internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenLayout {
  // MARK: Gainers and losers

  /// Of all prices, since the first one of each symbol.
  mutating func drawOwnMovers() {
    let market = state.shown
    let changed = state.rows(of: .prices).lazy.map { (row: $0, change: market.rows[Int($0)].percent.raw) }
      .filter { $0.change != 0 && !market.rows[Int($0.row)].isStale }
    let gainers = first(geometry.bodyRows, of: changed.filter { $0.change > 0 }) { a, b in
      a.change != b.change ? a.change > b.change : market.rows[Int(a.row)].symbol < market.rows[Int(b.row)].symbol
    }.map { market.rows[Int($0.row)] }
    let losers = first(geometry.bodyRows, of: changed.filter { $0.change < 0 }) { a, b in
      a.change != b.change ? a.change < b.change : market.rows[Int(b.row)].symbol < market.rows[Int(a.row)].symbol
    }.map { market.rows[Int($0.row)] }
    let (top, rows) = (geometry.bodyRow, geometry.bodyRows)
    if state.size.columns >= 64 {
      let half = state.size.columns / 2
      drawMovers("TOP GAINERS", gainers, row: top, rows: rows, column: 0, width: half - 1)
      drawMovers("TOP LOSERS", losers, row: top, rows: rows, column: half, width: state.size.columns - half)
    } else {
      drawMovers("TOP GAINERS", gainers, row: top, rows: rows / 2, column: 0, width: state.size.columns)
      drawMovers("TOP LOSERS", losers, row: top + rows / 2, rows: rows - rows / 2, column: 0, width: state.size.columns)
    }
  }

  /// The first `count` in order, without sorting all of them: there may be very many.
  private func first<Element>(_ count: Int, of all: some Sequence<Element>, by precedes: (Element, Element) -> Bool) -> [Element] {
    var best: [Element] = []
    for element in all {
      if best.count >= count, let last = best.last, !precedes(element, last) { continue }
      best.insert(element, at: best.firstIndex { precedes(element, $0) } ?? best.count)
      if best.count > count { best.removeLast() }
    }
    return best
  }

  private mutating func drawMovers(_ title: String, _ movers: [Row], row: Int, rows: Int, column: Int, width: Int) {
    guard rows > 0 else { return }
    frame.put(" \(title)".padded(columns: width), row: row, column: column, pen.head, width: width)
    for (line, mover) in movers.prefix(rows - 1).enumerated() {
      let name = " " + mover.symbol.description.padded(columns: 9)
      var at = frame.put(name, row: row + 1 + line, column: column, pen.strong, width: width)
      let flash = pen.flash(age: state.now - mover.movedAt, of: state.settings.flash, isUp: mover.isUp)
      let price = CellText.text(.price, mover, zone: state.zone).padded(columns: 10, alignment: .trailing)
      at = frame.put(price, row: row + 1 + line, column: at, flash ?? pen.text, width: width - (at - column))
      let percent = CellText.text(.percent, mover, zone: state.zone).padded(columns: 9, alignment: .trailing)
      frame.put(percent, row: row + 1 + line, column: at, pen.direction(mover.percent.raw), width: width - (at - column))
    }
  }

  // MARK: Alerts and the log

  mutating func drawAlerts() {
    var lines: [StyledLine] = []
    let rules = state.otherRules
    if state.alerts.isEmpty, rules.isEmpty, state.notifications.all.isEmpty {
      lines.append(StyledLine("  no alerts: choose a symbol, press a, then ↑, ↓ or a price", pen.muted))
    }
    for alert in state.alerts {
      var line = StyledLine("  ! \(alert.text)", pen.text)
      if alert.isDelegated, let dispatcher = state.dispatcher { line.append("  (also watched by \(dispatcher.id))", pen.muted) }
      lines.append(line)
    }
    for rule in rules {
      let symbols = rule.symbols == "*" ? "all symbols" : rule.symbols
      var line = StyledLine("  ! \(rule.name)", rule.state == .on ? pen.text : pen.muted)
      let says = rule.isNamedByCondition ? "" : "  \(symbols): \(rule.condition)"
      line.append("\(says)  (\(rule.component)\(rule.state == .on ? "" : ", " + rule.state.rawValue))", pen.muted)
      lines.append(line)
    }
    if !(state.alerts.isEmpty && rules.isEmpty), !state.notifications.all.isEmpty { lines.append(StyledLine("")) }
    for notification in state.notifications.all.reversed() {
      var line = StyledLine(" \(CellText.seconds(notification.time, zone: state.zone))  ", pen.muted)
      line.append(notification.title, pen.warning)
      line.append("  " + notification.text, pen.text)
      lines.append(line)
    }
    drawLines(lines[min(state.offset, lines.count)...])
  }

  mutating func drawLog() {
    // The newest line is at the bottom; `offset` counts back from there.
    let end = max(0, state.log.count - state.offset)
    let entries = state.log[max(0, end - geometry.bodyRows)..<end]
    let lines = entries.map { entry in
      let style =
        switch entry.weight {
        case .quiet: pen.muted
        case .normal: pen.text
        case .warning: pen.warning
        case .error: pen.error
        }
      var line = StyledLine(" " + (entry.time.map { CellText.seconds($0, zone: state.zone) + " " } ?? ""), pen.muted)
      line.append(entry.text, style)
      return line
    }
    drawLines(lines.isEmpty ? [StyledLine("  nothing was logged", pen.muted)] : lines[...])
  }

  private mutating func drawLines(_ lines: ArraySlice<StyledLine>) {
    for (row, line) in lines.prefix(geometry.bodyRows).enumerated() {
      frame.put(line, row: geometry.bodyRow + row, column: 0, over: pen.text)
    }
  }

  // MARK: The graph

  mutating func drawGraph() {
    var lines: [StyledLine] = []
    func columns(_ cells: [String], _ widths: [Int], names: Int) -> String {
      zip(cells, widths).enumerated().map { i, cell in
        cell.0.padded(columns: cell.1, alignment: i < names ? .leading : .trailing)
      }.joined(separator: " ")
    }
    let names = state.run.components.map(\.id) + state.run.edges.map { "\($0.from) → \($0.to)" }
    let first = max(9, min(28, (names.map(\.displayWidth).max() ?? 0)))
    lines.append(StyledLine(" " + columns(["COMPONENT", "PLUGIN", "STATE", "EMITS/s"], [first, 24, 8, 9], names: 2), pen.head))
    for component in state.run.components {
      let rate = component.published == nil ? "" : CellText.count(state.run.published[component.id] ?? 0)
      let text = columns([component.id, component.plugin, component.isRunning ? "running" : "ended", rate], [first, 24, 8, 9], names: 2)
      lines.append(StyledLine(" " + text, component.isRunning ? pen.text : pen.muted))
    }
    lines.append(StyledLine(""))
    let widths = [first, 8, 9, 9, 9, 9, 9]
    lines.append(
      StyledLine(" " + columns(["EDGE", "RATE/s", "IN", "WAITING", "DROPPED", "CONFLATED", "DEAD"], widths, names: 1), pen.head))
    for edge in state.run.edges {
      let counts = edge.counts
      let numbers = [counts.published, counts.inFlight, counts.dropped, counts.conflated, counts.deadLettered].map {
        CellText.count(Double($0))
      }
      let text = columns(["\(edge.from) → \(edge.to)", CellText.count(state.run.rate(of: edge))] + numbers, widths, names: 1)
      let isBad = counts.dropped + counts.deadLettered > 0
      lines.append(StyledLine(" " + text, isBad ? pen.warning : pen.text))
    }
    drawLines(lines[min(state.offset, lines.count)...])
  }
}
