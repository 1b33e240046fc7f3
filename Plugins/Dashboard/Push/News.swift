internal import MarketData
internal import StockbusPlugin
internal import StockbusViewing

/// What browsers are told besides prices: alerts, connections, accounts, movers. Each kind has the frame in which it last changed, so that
/// it is told by the same cursor as the prices.
struct News {
  /// Alerts that are kept for those who come later.
  static let alertLimit = 200

  struct ToldAlert {
    let number: Int
    let frame: UInt32
    let alert: Alert
  }

  struct ToldFill {
    let frame: UInt32
    let fill: Fill
  }

  /// What a person has changed last of one kind of what belongs to it.
  struct Belonging {
    let frame: UInt32
    let name: String
    let record: JSONValue
  }

  private(set) var alerts: [ToldAlert] = []
  private(set) var alertCount = 0
  /// By component.
  private(set) var connections: [String: ConnectionStatus] = [:]
  private(set) var portfolio = Portfolio()
  private(set) var fills: [ToldFill] = []

  private(set) var connectionsFrame: UInt32 = 0
  /// Orders, and what the broker says of accounts and positions.
  private(set) var portfolioFrame: UInt32 = 0
  private(set) var moversFrame: UInt32 = 0
  private(set) var alertsFrame: UInt32 = 0
  private(set) var fillsFrame: UInt32 = 0
  private(set) var belongingsFrame: UInt32 = 0
  private(set) var rulesFrame: UInt32 = 0
  /// The dispatcher's rules, as of their last change through the page.
  private(set) var rules: [WatchedRule] = []
  /// By person, each kind once.
  private(set) var belongings: [Int64: [Belonging]] = [:]

  /// The newest frame of all of them.
  var newest: UInt32 { max(connectionsFrame, portfolioFrame, moversFrame, alertsFrame, fillsFrame, belongingsFrame, rulesFrame) }

  // MARK: Events, with the frame that they will be told in

  mutating func take(_ batch: Span<Alert>, _ frame: UInt32) {
    for i in batch.indices {
      alertCount += 1
      alerts.append(ToldAlert(number: alertCount, frame: frame, alert: batch[i]))
    }
    if alerts.count > Self.alertLimit { alerts.removeFirst(alerts.count - Self.alertLimit) }
    alertsFrame = frame
  }

  mutating func take(_ batch: Span<ConnectionStatus>, _ frame: UInt32) {
    for i in batch.indices { connections[batch[i].component] = batch[i] }
    connectionsFrame = frame
  }

  mutating func take(_ batch: Span<AccountState>, _ frame: UInt32) {
    portfolio.take(batch)
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

  mutating func take(_ record: JSONValue, named name: String, of person: Int64, _ frame: UInt32) {
    belongings[person, default: []].removeAll { $0.name == name }
    belongings[person, default: []].append(Belonging(frame: frame, name: name, record: record))
    belongingsFrame = frame
  }

  mutating func forgetBelongings(of person: Int64) { belongings[person] = nil }

  mutating func take(_ rules: [WatchedRule], _ frame: UInt32) {
    self.rules = rules
    rulesFrame = frame
  }

  mutating func moversHaveChanged(_ frame: UInt32) { moversFrame = frame }

  /// True if a position that the viewer sees is worth something else than in the frame `cursor`.
  func isRevalued(_ board: Board, for viewer: Viewer, after cursor: UInt32) -> Bool {
    portfolio.positions.contains { position in
      guard viewer.sees(position.account), position.quantity.raw != 0, let row = board.market.place(of: position.symbol),
        row < Int(board.count)
      else { return false }
      return board.stamps(of: Int32(row)).price > cursor
    }
  }
}
