internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenLayout {
  private struct Cell {
    var text: String
    var style: Style
  }

  /// The visible lines of one section.
  private struct Block {
    /// The row of its head; nil if it is scrolled out of the window.
    var head: Int?
    var rows: [(row: Int, cells: [Cell], isSelected: Bool)] = []
  }

  mutating func drawPortfolio() {
    let portfolio = state.shownPortfolio
    let list = PortfolioList(portfolio)
    let market = state.shown
    let accounts = portfolio.accounts(in: market)
    let isOne = accounts.count <= 1
    var blocks: [PortfolioList.Section: Block] = [:]
    let first = max(0, min(state.offset, list.lines.count - 1))
    for (place, line) in list.lines.dropFirst(first).prefix(geometry.bodyRows).enumerated() {
      let row = geometry.bodyRow + place
      switch line {
      case .head(let section): blocks[section, default: Block()].head = row
      case .item(let section, let at):
        var isSelected = false
        let cells: [Cell]
        switch section {
        case .accounts: cells = self.cells(accounts[at])
        case .positions: cells = self.cells(Portfolio.holding(list.positions[at], in: market), isOne)
        case .orders:
          isSelected = state.chosenOrder == Portfolio.OrderID(list.orders[at])
          cells = self.cells(list.orders[at], isOne)
        case .fills: cells = self.cells(list.fills[at], isOne)
        }
        blocks[section, default: Block()].rows.append((row, cells, isSelected))
      case .note(let text): frame.put(text, row: row, column: 2, pen.muted)
      case .blank: break
      }
    }
    for section in PortfolioList.Section.allCases { if let block = blocks[section] { draw(block, titles(section, isOne)) } }
    if list.lines.isEmpty { frame.put("no positions, no open orders", row: geometry.bodyRow, column: 2, pen.muted) }
  }

  // MARK: Columns

  /// The titles of a section's columns, and which are on the left; the most important first, because narrow windows leave out the others.
  private func titles(_ section: PortfolioList.Section, _ isOne: Bool) -> [(text: String, isLeading: Bool)] {
    let account: [(String, Bool)] = isOne ? [] : [("ACCOUNT", true)]
    return switch section {
    case .accounts:
      [
        ("ACCOUNT", true), ("EQUITY", false), ("UNREALISED", false), ("REALISED", false), ("CASH", false), ("BUYING POWER", false),
        ("FEES", false),
      ]
    case .positions:
      [("POSITION", true), ("QUANTITY", false), ("LAST", false), ("UNREALISED", false), ("VALUE", false), ("REALISED", false)] + account
    case .orders:
      [
        ("ORDER", true), ("SIDE", true), ("SYMBOL", true), ("QUANTITY", false), ("PRICE", false), ("FILLED", false), ("FOR", true),
        ("STATE", true),
      ] + account + [("KEY", true)]
    case .fills:
      [
        ("FILL", true), ("SIDE", true), ("SYMBOL", true), ("QUANTITY", false), ("PRICE", false), ("REALISED", false), ("FEE", false),
        ("ORDER", false),
      ] + account
    }
  }

  private func money(_ amount: Amount) -> Cell { Cell(text: TradingText.money(amount), style: pen.text) }
  private func profit(_ amount: Amount) -> Cell {
    Cell(text: TradingText.signed(amount), style: pen.direction(Int64(amount.raw.signum())))
  }
  private func muted(_ text: String) -> Cell { Cell(text: text, style: pen.muted) }
  private func plain(_ text: String) -> Cell { Cell(text: text, style: pen.text) }
  private func strong(_ text: String) -> Cell { Cell(text: text, style: pen.strong) }

  private func side(_ side: Side) -> Cell { Cell(text: side.fieldName, style: pen.direction(side == .buy ? 1 : -1)) }

  private func cells(_ account: AccountState) -> [Cell] {
    [
      strong("\(account.account) \(account.currency)"), money(account.equity), profit(account.unrealised), profit(account.realised),
      money(account.cash), money(account.buyingPower), money(account.fees),
    ]
  }

  private func cells(_ holding: Portfolio.Holding, _ isOne: Bool) -> [Cell] {
    let position = holding.position
    if position.quantity.raw == 0 {
      return [muted(position.symbol.description), muted("0"), muted(""), muted(""), muted(""), profit(position.realised)]
        + (isOne ? [] : [muted(position.account.description)])
    }
    return [
      strong(position.symbol.description), plain(position.quantity.description), plain(TradingText.price(holding.price)),
      profit(holding.unrealised), money(holding.value), profit(position.realised),
    ] + (isOne ? [] : [muted(position.account.description)])
  }

  private func cells(_ order: Order, _ isOne: Bool) -> [Cell] {
    [
      plain("\(order.number)"), side(order.side), strong(order.symbol.description), plain(order.quantity.description),
      plain(TradingText.condition(order)), plain(order.filled.description), muted(order.timeInForce.fieldName),
      plain(TradingText.state(order)),
    ] + (isOne ? [] : [muted(order.account.description)]) + [muted(order.key)]
  }

  private func cells(_ fill: Fill, _ isOne: Bool) -> [Cell] {
    [
      muted(CellText.seconds(fill.time, zone: state.zone)), side(fill.side), strong(fill.symbol.description),
      plain(fill.quantity.description), plain(TradingText.price(fill.price)), profit(fill.realised), money(fill.fee),
      muted(fill.order == 0 ? "" : "\(fill.order)"),
    ] + (isOne ? [] : [muted(fill.account.description)])
  }

  // MARK: Drawing

  private mutating func draw(_ block: Block, _ titles: [(text: String, isLeading: Bool)]) {
    let gap = state.size.columns >= 60 ? 2 : 1
    if let head = block.head { frame.clear(row: head, pen.head) }
    for row in block.rows where row.isSelected {
      frame.restyle(row: row.row, pen.select)
      var mark = pen.accent
      pen.select(&mark)
      frame.put("▸", row: row.row, column: 0, mark)
    }
    var at = 2
    for (column, title) in titles.enumerated() {
      var width = title.text.count
      for row in block.rows { width = max(width, row.cells[column].text.displayWidth) }
      // Names and keys may be long.
      if title.isLeading { width = min(width, 24) }
      if at + width > state.size.columns {
        // If a column does not fit, narrower ones after it may. The first is always shown, cut if necessary.
        if column > 0 { continue }
        width = max(0, state.size.columns - at)
      }
      let alignment: TextAlignment = title.isLeading ? .leading : .trailing
      if let head = block.head {
        frame.put(title.text.padded(columns: width, alignment: alignment), row: head, column: at, pen.head, width: width)
      }
      for row in block.rows {
        var style = row.cells[column].style
        if row.isSelected { pen.select(&style) }
        let text = row.cells[column].text.truncated(columns: width).padded(columns: width, alignment: alignment)
        frame.put(text, row: row.row, column: at, style, width: width)
      }
      at += width + gap
    }
  }
}
