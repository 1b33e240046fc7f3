internal import StockbusPlugin
internal import StockbusViewing

/// The lines of the portfolio's page from the top: accounts, positions, open orders, fills.
struct PortfolioList {
  enum Section: Hashable, CaseIterable { case accounts, positions, orders, fills }

  enum Line: Hashable {
    case head(Section)
    /// The index in the section's list.
    case item(Section, Int)
    case note(String)
    case blank
  }

  /// Open positions, then closed ones.
  let positions: [Position]
  /// By number.
  let orders: [Order]
  /// The newest first.
  let fills: [Fill]
  private(set) var lines: [Line] = []

  init(_ portfolio: Portfolio) {
    positions = portfolio.positions.filter { $0.quantity.raw != 0 } + portfolio.positions.filter { $0.quantity.raw == 0 }
    orders = portfolio.orders.values.sorted { $0.number != $1.number ? $0.number < $1.number : $0.account < $1.account }
    fills = portfolio.fills.reversed()
    for (section, count) in [
      (Section.accounts, portfolio.accounts.count), (.positions, positions.count), (.orders, orders.count), (.fills, fills.count),
    ] where count > 0 {
      if !lines.isEmpty { lines.append(.blank) }
      lines.append(.head(section))
      for place in 0..<count { lines.append(.item(section, place)) }
    }
    if portfolio.olderFills > 0 { lines.append(.note("\(portfolio.olderFills) earlier fills are not shown")) }
    if let sentence = portfolio.beyond.sentence { lines.append(.note(sentence)) }
  }

  /// The line of an order.
  func line(of order: Portfolio.OrderID) -> Int? {
    orders.firstIndex { Portfolio.OrderID($0) == order }.flatMap { lines.firstIndex(of: .item(.orders, $0)) }
  }
}
