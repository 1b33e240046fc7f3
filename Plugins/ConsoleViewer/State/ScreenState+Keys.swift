internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenState {
  /// Handles a key.
  mutating func reduce(_ press: KeyPress) -> [ScreenEffect] {
    if let prompt { return type(press, into: prompt) }
    switch (page, press.key) {
    case (.help, _):
      page = .list
      if press.key == .character("q") || press.key == .character("?") || press.key == .escape { return [] }
    case (.columns(let line), let key) where key != .character("/"):
      chooseColumns(press, line)
      return []
    default: break
    }
    switch press.key {
    case .character("q"): return [.stop]
    case .character("/"): beginFilter()
    case .character("?"), .function(1): page = .help
    case .character("t"): theme = theme.next
    case .character("p"): frozen = isPaused ? nil : (market, portfolio)
    case .character("l") where press.modifiers == .control: return [.redraw]
    case .character("+"), .character("="): return tell("raise")
    case .character("-"): return tell("lower")
    case .character("r"): return tell("randomise")
    case .character("a"): beginAlert()
    case .character("x"):
      if !isOnPortfolio { return removeAlerts() }
      beginCancel()
    case .character("b"): beginOrder("buy")
    case .character("v"): beginOrder("sell")
    case .character("e") where isOnPortfolio: beginReplacement()
    case .character("w"): return toggleWatch()
    case .character(" "), .character("f"): togglePin()
    default:
      if case .detail(let symbol) = page { reduceDetail(press, symbol) } else { reduceList(press) }
    }
    return []
  }

  // MARK: The lists

  /// Switches to a table (there is always one) and starts the input of its filter.
  private mutating func beginFilter() {
    if !current.isTable { go(to: 0) }
    page = .list
    prompt = .filter(filter.text, before: filter.text)
  }

  private mutating func reduceList(_ press: KeyPress) {
    if let tab = tab(for: press) { return go(to: tab) }
    switch press.key {
    case .character("c"): page = .columns(0)
    case .character("m") where current == .movers: moverChoice = (moverChoice + 1) % max(1, shown.movers.periods.count)
    case .character("s"): sort(by: nextColumn(1))
    case .character("S"): sort(by: Sorting(sorting.column, isDescending: !sorting.isDescending))
    case .character("<"): sort(by: nextColumn(-1))
    case .character(">"): sort(by: nextColumn(1))
    case .right: go(to: min(tab + 1, tabs.count - 1))
    case .left: go(to: max(tab - 1, 0))
    case .up, .character("k"): if isOnPortfolio { moveOrder(by: -1) } else { move(by: -1) }
    case .down, .character("j"): if isOnPortfolio { moveOrder(by: 1) } else { move(by: 1) }
    case .pageUp: move(by: -max(1, ScreenGeometry(self).bodyRows - 1))
    case .pageDown: move(by: max(1, ScreenGeometry(self).bodyRows - 1))
    case .home, .character("g"): move(by: -1_000_000)
    case .end, .character("G"): move(by: 1_000_000)
    case .enter: if isOnPortfolio { openChosenOrder() } else { openChosen() }
    case .escape, .backspace:
      if !filter.isEmpty {
        filter = RowFilter()
        arrange(force: true)
      } else {
        selection = nil
        chosenOrder = nil
        offset = 0
        readingUntil = now
      }
    default: break
    }
  }

  /// The tab that a key of lists and of a symbol's page leads to.
  func tab(for press: KeyPress) -> Int? {
    switch press.key {
    case .tab: (tab + (press.modifiers.contains(.shift) ? tabs.count - 1 : 1)) % tabs.count
    case .character(let digit): digit.wholeNumberValue.flatMap { (1...tabs.count).contains($0) ? $0 - 1 : nil }
    default: nil
    }
  }

  mutating func go(to tab: Int) {
    guard tabs.indices.contains(tab) else { return }
    self.tab = tab
    page = .list
    offset = 0
    if current == .alerts { notifications.markSeen() }
    arrange(force: true)
    keepSelectionVisible()
  }

  /// The symbol that keys apply to.
  var chosen: Symbol? {
    if case .detail(let symbol) = page { return symbol }
    return selection
  }

  /// Opens the page of the chosen symbol, or of the only one in the table.
  private mutating func openChosen() {
    let symbols = current.isTable ? listedSymbols : []
    if let only = symbols.first, symbols.count == 1 { selection = only }
    // A selected row that the filter hides is not opened.
    guard let selection, !current.isTable || symbols.contains(selection) else {
      return say("choose a symbol first: arrows, or a click", isError: true)
    }
    page = .detail(selection)
  }

  /// Moves the selection in tables; scrolls elsewhere.
  mutating func move(by lines: Int) {
    guard current.isTable else {
      offset = max(0, min(offset + lines, max(0, ScreenGeometry(self).listLength - ScreenGeometry(self).bodyRows)))
      return
    }
    let symbols = listedSymbols
    guard !symbols.isEmpty else { return }
    readingUntil = now + 5_000_000_000
    if let at = selection.flatMap({ symbols.firstIndex(of: $0) }) {
      selection = symbols[max(0, min(at + lines, symbols.count - 1))]
    } else {
      // No row is chosen yet: chooses the row at the top of the window, or the last row for the key `End`.
      selection = lines >= 1_000_000 ? symbols.last : symbols[max(0, min(offset, symbols.count - 1))]
    }
    keepSelectionVisible()
  }

  /// Scrolls until the chosen row is visible.
  mutating func keepSelectionVisible() {
    guard current.isTable else { return }
    let rows = max(1, ScreenGeometry(self).bodyRows)
    let symbols = listedSymbols
    if let selection, let at = symbols.firstIndex(of: selection) {
      if at < offset { offset = at }
      if at >= offset + rows { offset = at - rows + 1 }
    }
    offset = max(0, min(offset, symbols.count - rows))
  }

  // MARK: Sorting and columns

  private func nextColumn(_ step: Int) -> Sorting {
    let sortable = columns.filter(\.isSortable)
    guard !sortable.isEmpty else { return sorting }
    let at = sortable.firstIndex(of: sorting.column) ?? (step > 0 ? -1 : 0)
    return Sorting(sortable[(at + step + sortable.count) % sortable.count])
  }

  mutating func sort(by sorting: Sorting) {
    self.sorting = sorting
    offset = 0
    arrange(force: true)
    keepSelectionVisible()
  }

  /// The shown columns in their order, then the others.
  var columnChoice: [Column] {
    let usual = Column.usual(with: market.columns)
    return columns + (usual + Column.own.filter { !usual.contains($0) }).filter { !columns.contains($0) }
  }

  private mutating func chooseColumns(_ press: KeyPress, _ line: Int) {
    let choice = columnChoice
    let column = choice[min(line, choice.count - 1)]
    let at = columns.firstIndex(of: column)
    switch press.key {
    case .up, .character("k"): page = .columns(max(0, line - 1))
    case .down, .character("j"): page = .columns(min(choice.count - 1, line + 1))
    case .character(" "):
      if let at { if columns.count > 1 { columns.remove(at: at) } } else { columns.append(column) }
      page = .columns(columnChoice.firstIndex(of: column) ?? line)
    case .left, .right:
      let step = press.key == .left ? -1 : 1
      guard let at, columns.indices.contains(at + step) else { return }
      columns.swapAt(at, at + step)
      page = .columns(at + step)
    default: page = .list
    }
  }

  // MARK: The watchlist, pins, the generator

  private mutating func toggleWatch() -> [ScreenEffect] {
    guard let symbol = chosen else {
      say("choose a symbol first: arrows, or a click", isError: true)
      return []
    }
    if let at = watchlist.firstIndex(of: symbol) {
      watchlist.remove(at: at)
      say("\(symbol) was removed from the watchlist")
    } else {
      watchlist.append(symbol)
      say("\(symbol) was added to the watchlist")
    }
    if current == .watchlist { arrange(force: true) }
    return [.save]
  }

  private mutating func togglePin() {
    guard let symbol = chosen else { return }
    if let at = pinned.firstIndex(of: symbol) { pinned.remove(at: at) } else { pinned.append(symbol) }
    keepSelectionVisible()
  }

  private mutating func tell(_ verb: String) -> [ScreenEffect] {
    guard let symbol = chosen else {
      say("choose a symbol first: arrows, or a click", isError: true)
      return []
    }
    guard let component = run.component(taking: verb) else {
      say("no component of this run takes the command '\(verb)'", isError: true)
      return []
    }
    return [.perform(Command(verb: verb, arguments: [symbol.description]), on: component.id)]
  }
}
