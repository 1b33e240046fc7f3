internal import MarketData
internal import StockbusViewing

/// The trading data for viewers of one account, or of all accounts. Each account has its own limits, so that one person cannot crowd out
/// another.
struct TradingData {
  struct FramedFill {
    let frame: UInt32
    let fill: Fill
  }

  private(set) var portfolio = Portfolio()
  private(set) var fills: [FramedFill] = []
  /// The value of each account over time, as reported by the broker.
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
    for i in batch.indices { fills.append(FramedFill(frame: frame, fill: batch[i])) }
    if fills.count > Portfolio.fillLimit { fills.removeFirst(fills.count - Portfolio.fillLimit) }
    fillsFrame = frame
  }

  /// Takes earlier fills, such as those of a run that has ended; known fills stay as they are.
  mutating func recall(_ past: [Fill], _ frame: UInt32) {
    let known = Set(fills.map { Portfolio.FillID($0.fill) })
    let old = past.filter { !known.contains(Portfolio.FillID($0)) }
    if old.isEmpty { return }
    fills += old.map { FramedFill(frame: frame, fill: $0) }
    fills.sort { ($0.fill.time, $0.fill.number) < ($1.fill.time, $1.fill.number) }
    if fills.count > Portfolio.fillLimit { fills.removeFirst(fills.count - Portfolio.fillLimit) }
    fillsFrame = frame
  }

  /// True if the value of a position has changed since the frame `cursor`.
  func isRevalued(_ board: PageBoard, after cursor: UInt32) -> Bool {
    portfolio.positions.contains { position in
      guard position.quantity.raw != 0, let row = board.market.place(of: position.symbol), row < Int(board.count) else { return false }
      return board.stamps(of: Int32(row)).price > cursor
    }
  }
}
