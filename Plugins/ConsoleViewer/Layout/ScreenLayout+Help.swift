internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenLayout {
  private static let keys: [(String, String)] = [
    ("↑ ↓ PgUp PgDn", "choose a symbol"), ("Home End", "the first, the last"), ("Enter Esc", "the symbol's page, back"),
    ("1…9 Tab ← →", "the tabs; spans of a chart"), ("/", "filter as you type"), ("s S", "sort: next column, turn"),
    ("c", "choose and move columns"), ("l , .", "candles, line; crosshair"), ("Space", "pin to the top"),
    ("w", "on or off the watchlist"), ("a", "alert: ↑, ↓ or a price"), ("x", "alerts off; cancel order"),
    ("b v e", "buy, sell, replace order"), ("m", "movers: the next period"), ("+ - r", "raise, lower, randomise"),
    ("p t", "pause the screen; theme"), ("Ctrl-L Ctrl-Z", "draw anew; suspend (fg)"),
    ("q Ctrl-C", "stop"), ("mouse", "rows, heads, tabs, wheel"),
  ]

  mutating func drawHelp() {
    let top = geometry.tabRow == nil ? 0 : 1
    let rows = geometry.statusRow - top
    guard rows > 0 else { return }
    frame.put(" KEYS".padded(columns: state.size.columns), row: top, column: 0, pen.head)
    // Two columns if one is not enough.
    let isDouble = Self.keys.count > rows - 1 && state.size.columns >= 76
    let perColumn = isDouble ? (Self.keys.count + 1) / 2 : Self.keys.count
    let width = isDouble ? state.size.columns / 2 : state.size.columns
    let keyWidth = state.size.columns >= 40 ? 13 : 8
    for (i, (key, text)) in Self.keys.enumerated() {
      let line = i % perColumn
      if line >= rows - 1 { continue }
      let column = i / perColumn * width
      frame.put(key.padded(columns: keyWidth), row: top + 1 + line, column: column + 1, pen.accent, width: width - 1)
      frame.put(text, row: top + 1 + line, column: column + keyWidth + 2, pen.text, width: width - keyWidth - 3)
    }
  }

  mutating func drawColumns(_ chosen: Int) {
    let top = geometry.tabRow == nil ? 0 : 1
    let rows = geometry.statusRow - top - 1
    guard rows > 0 else { return }
    frame.put(" COLUMNS  Space shows or hides · ← → moves · Enter".padded(columns: state.size.columns), row: top, column: 0, pen.head)
    let choice = state.columnChoice
    let first = max(0, min(chosen - rows + 1, choice.count - rows))
    for (line, column) in choice.dropFirst(first).prefix(rows).enumerated() {
      let isShown = state.columns.contains(column)
      var style = isShown ? pen.text : pen.muted
      if first + line == chosen {
        pen.select(&style)
        frame.restyle(row: top + 1 + line, pen.select)
      }
      frame.put("  [\(isShown ? "x" : " ")] \(column.name)", row: top + 1 + line, column: 0, style)
    }
  }
}
