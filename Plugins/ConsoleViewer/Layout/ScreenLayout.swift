internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

/// Turns the state into a frame of cells: a pure function of state and colours. There is one file for each page.
struct ScreenLayout {
  let state: ScreenState
  let geometry: ScreenGeometry
  let pen: Pen
  var frame: CellFrame

  private init(_ state: ScreenState, colors: ColorDepth) {
    self.state = state
    geometry = ScreenGeometry(state)
    pen = Pen(theme: .named(state.theme), depth: colors)
    frame = CellFrame(size: state.size, style: Pen(theme: .named(state.theme), depth: colors).text)
  }

  static func frame(_ state: ScreenState, colors: ColorDepth) -> CellFrame {
    var layout = ScreenLayout(state, colors: colors)
    layout.draw()
    return layout.frame
  }

  /// The number of steps in which a flash fades, by the number of colours.
  static func flashSteps(_ colors: ColorDepth) -> Int { Pen(theme: .dark, depth: colors).flashSteps }

  private mutating func draw() {
    drawTabs()
    switch state.page {
    case .help: drawHelp()
    case .columns(let line): drawColumns(line)
    case .detail(let symbol): drawDetail(symbol)
    case .list:
      switch state.current {
      case .prices, .watchlist, .named: drawTable()
      case .movers: drawMovers()
      case .alerts: drawAlerts()
      case .log: drawLog()
      case .graph: drawGraph()
      case .portfolio: drawPortfolio()
      }
    }
    drawQuestion()
    drawStatus()
  }

  // MARK: Around the page

  private mutating func drawTabs() {
    guard let row = geometry.tabRow else { return }
    frame.clear(row: row, pen.bar)
    for (tab, text, columns) in geometry.tabs {
      frame.put(text, row: row, column: columns.lowerBound, tab == state.tab ? pen.tab : pen.bar)
    }
    let clock = CellText.clock(state.wall, zone: state.zone)
    let end = geometry.tabs.last?.columns.upperBound ?? 0
    if end + clock.count + 1 <= state.size.columns {
      frame.put(clock, row: row, column: state.size.columns - clock.count - 1, pen.barMuted)
    }
    if let address = state.address, !state.isPaused, end + address.displayWidth + clock.count + 4 <= state.size.columns {
      frame.put(address, row: row, column: state.size.columns - clock.count - address.displayWidth - 3, pen.barMuted)
    }
    if state.isPaused, end + clock.count + 11 <= state.size.columns {
      frame.put(" PAUSED ", row: row, column: state.size.columns - clock.count - 10, pen.barWarning)
    }
  }

  private mutating func drawStatus() {
    let row = geometry.statusRow
    frame.clear(row: row, pen.bar)
    if let prompt = state.prompt { return drawPrompt(prompt, row) }
    if let message = state.messages.first {
      frame.put(" " + message.text, row: row, column: 0, message.isError ? pen.barWarning : pen.barStrong)
      return
    }
    var at = 1
    for (text, style) in statusParts {
      // A part that does not fit is left out; only the first is cut.
      if at > 1, at + text.displayWidth > state.size.columns { break }
      at = frame.put(text, row: row, column: at, style) + 2
    }
    let hint = "? help"
    if at + hint.count < state.size.columns { frame.put(hint, row: row, column: state.size.columns - hint.count - 1, pen.barMuted) }
  }

  private var statusParts: [(String, Style)] {
    var parts: [(String, Style)] = []
    for source in state.run.components where source.kind == .source || state.connections.contains(where: { $0.component == source.id }) {
      let status = state.connections.first { $0.component == source.id }?.status
      let (mark, style) = Self.mark(status?.state, isRunning: source.isRunning, pen)
      let name =
        status.map { $0.state == .connected || $0.state == .loaded ? "" : " " + $0.state.fieldName } ?? (source.isRunning ? "" : " ended")
      parts.append(("\(mark) \(source.id)\(name)", style))
    }
    for (component, status) in state.connections where !state.run.components.contains(where: { $0.id == component }) {
      let (mark, style) = Self.mark(status.state, isRunning: true, pen)
      parts.append(("\(mark) \(component) \(status.state.fieldName)", style))
    }
    if let problem = state.problems.first {
      let more = state.problems.count > 1 ? " (and \(state.problems.count - 1) more)" : ""
      parts.insert(("✕ \(problem)\(more)", pen.barError), at: 0)
    }
    if state.market.total == 0 { parts.insert(("waiting for prices …", pen.bar), at: 0) }
    parts.append(("\(CellText.count(state.meter.rate ?? 0))/s", pen.bar))
    if let lag = state.lag { parts.append(("lag \(CellText.duration(lag))", pen.bar)) }
    if state.run.dropped > 0 { parts.append(("dropped \(CellText.count(Double(state.run.dropped)))", pen.barWarning)) }
    if state.run.conflated > 0 { parts.append(("conflated \(CellText.count(Double(state.run.conflated)))", pen.bar)) }
    if !state.filter.isEmpty { parts.append(("filter: \(state.filter.text)", pen.barStrong)) }
    if state.isReading, state.current.isTable, state.page == .list { parts.append(("order held", pen.barMuted)) }
    if state.market.beyond > 0 { parts.append(("\(state.market.beyond) more symbols not shown", pen.barMuted)) }
    return parts
  }

  private static func mark(_ state: ConnectionStatus.State?, isRunning: Bool, _ pen: Pen) -> (String, Style) {
    switch state {
    case .connected, .loaded: ("●", pen.bar)
    case .connecting, .loading, .empty: ("◌", pen.barWarning)
    case .disconnected, .malformed, .failed: ("○", pen.barWarning)
    case nil: isRunning ? ("●", pen.bar) : ("○", pen.barMuted)
    }
  }

  private mutating func drawPrompt(_ prompt: ScreenState.Prompt, _ row: Int) {
    var label: String
    let (hint, fault): (String, String?)
    switch prompt {
    case .filter:
      label = " /"
      (hint, fault) = ("\(state.order.rows.count) match · Enter keeps · Esc undoes", state.filter.problem?.description)
    case .alert(let symbol, _, let problem):
      let price = state.market.row(of: symbol).map { " (now \(CellText.text(.price, $0, zone: state.zone)))" } ?? ""
      label = " alert \(symbol)\(price): "
      (hint, fault) = ("↑ +1% · ↓ -1% · or a price, Enter", problem)
      // The error takes precedence over the label.
      if let fault, label.displayWidth + prompt.text.displayWidth + fault.displayWidth + 4 > state.size.columns { label = " " }
    case .order(let draft):
      let price = state.market.row(of: draft.symbol).map { " (now \(CellText.text(.price, $0, zone: state.zone)))" } ?? ""
      label = " \(draft.label)\(price): "
      let keys =
        switch draft.stage {
        case .typing where draft.replaced != nil: "at, stop, quantity · Enter asks"
        case .typing: "100, or 100 at 189.25 · Enter shows the cost"
        case .asking: "asking the broker …"
        case .arrived, .shown: "Enter \(draft.verb)s · Esc leaves it"
        }
      (hint, fault) = if case .typing(let problem) = draft.stage { (keys, problem) } else { (keys, nil) }
      if let fault, label.displayWidth + prompt.text.displayWidth + fault.displayWidth + 4 > state.size.columns { label = " " }
    case .cancel(let id):
      label = " cancel order \(id.number)? "
      (hint, fault) = ("Enter cancels it", nil)
    }
    var at = frame.put(label, row: row, column: 0, pen.barStrong)
    // Of a long text the end is shown, because that is where the user types.
    let room = max(1, state.size.columns - at - 2)
    var text = prompt.text
    while text.displayWidth > room { text.removeFirst() }
    at = frame.put(text, row: row, column: at, pen.bar)
    frame.put("▏", row: row, column: at, pen.barStrong)
    let remark = fault ?? hint
    if at + 3 + remark.displayWidth < state.size.columns {
      frame.put(remark, row: row, column: state.size.columns - remark.displayWidth - 1, fault == nil ? pen.barMuted : pen.barWarning)
    } else if fault != nil, at + 3 < state.size.columns {
      // A remark that does not fit is cut, not left out.
      frame.put(remark, row: row, column: at + 2, pen.barWarning, width: state.size.columns - at - 3)
    }
  }
}
