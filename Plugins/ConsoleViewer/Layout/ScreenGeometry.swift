internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

/// The positions of everything on the screen. They depend on the state alone, so that clicks and drawing use the same positions.
struct ScreenGeometry {
  let state: ScreenState
  let size: TerminalSize

  init(_ state: ScreenState) {
    self.state = state
    size = state.size
  }

  /// The row of the tabs; nil if there is no room for one.
  var tabRow: Int? { size.rows >= 4 ? 0 : nil }
  /// The last row: the status, or the text being typed.
  var statusRow: Int { size.rows - 1 }
  private var top: Int { tabRow == nil ? 0 : 1 }
  /// The row of a table's head.
  var headRow: Int? { state.current.isTable && size.rows >= 3 ? top : nil }
  var bodyRow: Int { top + (headRow == nil ? 0 : 1) }
  /// The number of rows between head and panes.
  var bodyRows: Int {
    let rows = max(0, statusRow - bodyRow - paneRows)
    return state.current.isTable ? min(rows, state.settings.rows ?? rows) : rows
  }

  // MARK: Panes

  /// The panes that are shown under a table, each with its number of rows, without the title.
  var panes: [(pane: ScreenPane, rows: Int)] {
    guard state.current.isTable, size.rows >= 12 else { return [] }
    var left = size.rows / 3
    return state.panes.compactMap { pane in
      let rows = min(pane.lines.count, left - 1)
      guard rows > 0 else { return nil }
      left -= rows + 1
      return (pane, rows)
    }
  }

  var paneRows: Int { panes.reduce(0) { $0 + $1.rows + 1 } }

  // MARK: What a click means

  /// The line of the body in a row of the screen.
  func line(at row: Int) -> Int? { row >= bodyRow && row < bodyRow + bodyRows ? row - bodyRow : nil }

  /// The tabs with the columns they take; narrow windows show only the current one.
  var tabs: [(tab: Int, text: String, columns: Range<Int>)] {
    let all = tabTexts(Array(state.tabs.indices))
    return all.last.map { $0.columns.upperBound <= size.columns - 6 } ?? true ? all : tabTexts([state.tab])
  }

  private func tabTexts(_ indices: [Int]) -> [(tab: Int, text: String, columns: Range<Int>)] {
    var at = 0
    return indices.map { index in
      var text = " \(index + 1) \(state.tabs[index].title)"
      if state.tabs[index] == .alerts, state.notifications.unseen > 0 { text += " (\(state.notifications.unseen))" }
      text += " "
      defer { at += text.displayWidth }
      return (index, text, at..<at + text.displayWidth)
    }
  }

  func tab(at column: Int) -> Int? { tabs.first { $0.columns.contains(column) }?.tab }

  func column(at place: Int) -> Column? { columns.first { place >= $0.begin && place < $0.begin + $0.width }?.column }

  /// The number of lines in a list that is not a table.
  var listLength: Int {
    switch state.current {
    case .alerts: state.notifications.all.count + state.alerts.count + state.otherRules.count + 2
    case .log: state.log.count
    case .graph: state.run.components.count + state.run.edges.count + 3
    case .portfolio: PortfolioList(state.shownPortfolio).lines.count
    default: 0
    }
  }

  // MARK: Columns

  /// The rows of the table that can be seen.
  var visible: ArraySlice<Int32> {
    let listed = state.listed
    let begin = max(0, min(state.offset, listed.count))
    return listed[begin..<min(listed.count, begin + bodyRows)]
  }

  /// A column's title; one with a long name is cut.
  static func title(of column: Column) -> String { column.title.truncated(columns: 16) }

  /// The columns that fit, with their positions. The trend takes the remaining width, between its minimum and 40.
  var columns: [(column: Column, begin: Int, width: Int)] {
    let market = state.shown
    var chosen: [(column: Column, width: Int)] = []
    var used = 0
    for column in state.columns {
      var width = max(column.width, Self.title(of: column).count + (state.sorting.column == column ? 2 : 0))
      if column != .trend {
        for row in visible { width = max(width, CellText.text(column, Int(row), of: market, zone: state.zone).displayWidth) }
      }
      if column == .symbol { width = min(width + 2, 24) }
      if used + width > size.columns {
        // If a column does not fit, narrower ones after it may. The first is always shown, cut if necessary.
        if !chosen.isEmpty { continue }
        width = size.columns
      }
      chosen.append((column, width))
      used += width + 1
    }
    let spare = size.columns - (used - 1)
    if spare > 0, let trend = chosen.firstIndex(where: { $0.column == .trend }) {
      chosen[trend].width = min(40, chosen[trend].width + spare)
    }
    var at = 0
    return chosen.map { column, width in
      defer { at += width + 1 }
      return (column, at, width)
    }
  }
}
