internal import MarketData
internal import StockbusPlugin
internal import StockbusTerminal

/// The board as lines: a pure function of board, size and time.
struct TableLayout {
  let columns: Int
  /// Rows of the table, without head and foot.
  let rows: Int

  private static let widths = (rank: 5, symbol: 10, price: 14, change: 12, percent: 9, volume: 8, trend: Board.historyLength)

  func lines(_ board: Board, at now: Duration) -> [StyledLine] {
    var lines = [head]
    for (place, index) in board.order.prefix(rows).enumerated() {
      let row = board.rows[Int(index)]
      lines.append(self.row(row, board.isPartial ? row.rank : place + 1, board, now))
    }
    lines.append(foot(board))
    return lines.map { $0.prefix(columns: columns) }
  }

  private var head: StyledLine {
    let w = Self.widths
    let text =
      "#".padded(columns: w.rank, alignment: .trailing) + "  " + "SYMBOL".padded(columns: w.symbol)
      + "PRICE".padded(columns: w.price, alignment: .trailing) + "CHANGE".padded(columns: w.change, alignment: .trailing)
      + "%".padded(columns: w.percent, alignment: .trailing) + "VOLUME".padded(columns: w.volume + 2, alignment: .trailing) + "  TREND"
    return StyledLine(text, Style(bold: true, underlined: true))
  }

  private func row(_ row: Board.Row, _ place: Int, _ board: Board, _ now: Duration) -> StyledLine {
    let w = Self.widths
    let direction: Color? = row.change.raw == 0 ? nil : row.change.raw > 0 ? .green : .red
    var line = StyledLine("\(place)".padded(columns: w.rank, alignment: .trailing) + "  ", Style(dim: true))
    line.append("\(row.symbol)".padded(columns: w.symbol), Style(bold: true))
    line.append(
      row.price.formatted(decimals: Int(row.decimals)).padded(columns: w.price, alignment: .trailing), flash(row, board, now))
    line.append(PlainText.signed(row.change, Int(row.decimals)).padded(columns: w.change, alignment: .trailing), Style(direction))
    line.append(PlainText.signed(row.percent).padded(columns: w.percent, alignment: .trailing), Style(direction))
    line.append(PlainText.amount(row.volume).padded(columns: w.volume + 2, alignment: .trailing) + "  ")
    line.append(Self.sparkline(row.history), Style(direction))
    return line
  }

  /// A price that has just moved: inverse, then bright, then its colour, then plain.
  private func flash(_ row: Board.Row, _ board: Board, _ now: Duration) -> Style {
    guard let moved = row.movedAt, board.flash > .zero else { return .plain }
    let bright: Color = row.isUp ? .brightGreen : .brightRed
    switch (now - moved) / board.flash {
    case ..<0.3: return Style(bright, bold: true, inverse: true)
    case ..<0.6: return Style(bright, bold: true)
    case ..<1: return Style(row.isUp ? .green : .red)
    default: return .plain
    }
  }

  private func foot(_ board: Board) -> StyledLine {
    let shown = min(rows, board.order.count)
    let text =
      board.rows.isEmpty
      ? "waiting for prices …" : "\(shown) of \(board.rows.count) symbols · \(board.total) events · Ctrl-C stops and prints the ledger"
    return StyledLine(text, Style(dim: true))
  }

  /// The last prices between their lowest and highest, in eighths of a character.
  static func sparkline(_ history: [Int64]) -> String {
    let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    guard let low = history.min(), let high = history.max(), low < high else { return String(repeating: "▄", count: history.count) }
    let span = Double(high) - Double(low)
    return String(history.map { blocks[min(7, Int((Double($0) - Double(low)) / span * 8))] })
  }
}
