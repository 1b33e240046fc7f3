internal import MarketData
internal import StockbusViewing

/// What trading events leave for those who see one account, or all of them. Each account has its own, so that the limits of what is kept do
/// not let one person crowd out another.
struct TradingNews {
  struct ToldFill {
    let frame: UInt32
    let fill: Fill
  }

  private(set) var portfolio = Portfolio()
  private(set) var fills: [ToldFill] = []
  /// What each account was worth, as the broker has said.
  private(set) var equity: [Symbol: EquityLine] = [:]
  /// The frames in which orders, positions or accounts, and fills, changed last.
  private(set) var portfolioFrame: UInt32 = 0
  private(set) var fillsFrame: UInt32 = 0

  mutating func take(_ batch: Span<AccountState>, _ frame: UInt32) {
    portfolio.take(batch)
    for i in batch.indices where equity[batch[i].account] != nil || equity.count < Portfolio.accountLimit {
      equity[batch[i].account, default: EquityLine()].add(batch[i].equity, at: batch[i].received)
    }
    portfolioFrame = frame
  }

  mutating func take(_ batch: Span<Position>, _ frame: UInt32) {
    portfolio.take(batch)
    portfolioFrame = frame
  }

  mutating func take(_ batch: Span<Order>, _ frame: UInt32) {
    portfolio.take(batch)
    portfolioFrame = frame
  }

  mutating func take(_ batch: Span<Fill>, _ frame: UInt32) {
    portfolio.take(batch)
    for i in batch.indices { fills.append(ToldFill(frame: frame, fill: batch[i])) }
    if fills.count > Portfolio.fillLimit { fills.removeFirst(fills.count - Portfolio.fillLimit) }
    fillsFrame = frame
  }

  /// Takes fills from before, such as those of a run that has ended; those that are known already stay as they are.
  mutating func recall(_ past: [Fill], _ frame: UInt32) {
    let known = Set(fills.map { Portfolio.FillID($0.fill) })
    let old = past.filter { !known.contains(Portfolio.FillID($0)) }
    if old.isEmpty { return }
    fills += old.map { ToldFill(frame: frame, fill: $0) }
    fills.sort { ($0.fill.time, $0.fill.number) < ($1.fill.time, $1.fill.number) }
    if fills.count > Portfolio.fillLimit { fills.removeFirst(fills.count - Portfolio.fillLimit) }
    fillsFrame = frame
  }

  /// True if a position is worth something else than in the frame `cursor`.
  func isRevalued(_ board: Board, after cursor: UInt32) -> Bool {
    portfolio.positions.contains { position in
      guard position.quantity.raw != 0, let row = board.market.place(of: position.symbol), row < Int(board.count) else { return false }
      return board.stamps(of: Int32(row)).price > cursor
    }
  }
}
