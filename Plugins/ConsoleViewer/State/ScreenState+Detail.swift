internal import MarketData
internal import StockbusTerminal
internal import StockbusViewing

/// The time span of a chart.
enum ChartSpan: Int64, CaseIterable {
  case minute = 60
  case fiveMinutes = 300
  case quarter = 900
  case hour = 3600
  case sixHours = 21_600
  case day = 86_400

  var nanoseconds: Int64 { rawValue * 1_000_000_000 }

  var title: String {
    switch self {
    case .minute: "1m"
    case .fiveMinutes: "5m"
    case .quarter: "15m"
    case .hour: "1h"
    case .sixHours: "6h"
    case .day: "1d"
    }
  }

  /// The next longer or shorter span.
  func stepped(_ step: Int) -> ChartSpan {
    let all = Self.allCases
    let at = (all.firstIndex(of: self) ?? 0) + step
    return all[max(0, min(at, all.count - 1))]
  }
}

extension ScreenState {
  mutating func reduceDetail(_ press: KeyPress, _ symbol: Symbol) {
    if reduceCandles(press, symbol) { return }
    if let tab = tab(for: press) { return go(to: tab) }
    switch press.key {
    case .escape, .enter, .backspace: page = .list
    case .right: chart.span = chart.span.stepped(1)
    case .left: chart.span = chart.span.stepped(-1)
    case .up, .down, .character("j"), .character("k"):
      if selection != symbol { selection = symbol }
      if selection.map(listedSymbols.contains) ?? false { move(by: press.key == .up || press.key == .character("k") ? -1 : 1) }
      if let selection { page = .detail(selection) }
    default: break
    }
  }

  // MARK: The mouse

  mutating func reduce(_ mouse: MouseEvent) -> [ScreenEffect] {
    let geometry = ScreenGeometry(self)
    switch mouse.action {
    case .wheelUp: wheel(-3)
    case .wheelDown: wheel(3)
    case .release: break
    case .press(let button):
      guard button == 0, prompt == nil else { break }
      if page == .help { page = .list }
      if mouse.row == geometry.tabRow, let tab = geometry.tab(at: mouse.column) {
        go(to: tab)
      } else if case .detail = page {
        clickCandles(row: mouse.row, column: mouse.column)
      } else if page == .list, current.isTable {
        if mouse.row == geometry.headRow {
          click(head: geometry.column(at: mouse.column))
        } else if let line = geometry.line(at: mouse.row) {
          click(line: offset + line)
        }
      } else if isOnPortfolio, let line = geometry.line(at: mouse.row) {
        chooseOrder(line: offset + line)
      }
    }
    return []
  }

  private mutating func wheel(_ lines: Int) {
    guard page == .list else { return }
    if current.isTable {
      readingUntil = now + 5_000_000_000
      offset = max(0, min(offset + lines, listed.count - ScreenGeometry(self).bodyRows))
    } else {
      move(by: lines)
    }
  }

  private mutating func click(head column: Column?) {
    guard let column, column.isSortable else { return }
    sort(by: sorting.column == column ? Sorting(column, isDescending: !sorting.isDescending) : Sorting(column))
  }

  private mutating func click(line: Int) {
    let symbols = listedSymbols
    guard symbols.indices.contains(line) else { return }
    readingUntil = now + 5_000_000_000
    if selection == symbols[line] { page = .detail(symbols[line]) } else { selection = symbols[line] }
  }
}
