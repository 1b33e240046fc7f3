internal import StockbusPlugin
internal import StockbusViewing

/// The data for browsers besides prices: alerts, connections, accounts, movers. Each kind has the frame in which it last changed, so that
/// the same cursor serves for it and for prices.
struct News {
  /// The numbers of alerts that are kept for later viewers: of the run's rules, of each person's own, and in total.
  static let alertLimit = 200
  static let ownAlertLimit = 50
  static let allAlertsLimit = 5000

  struct NumberedAlert {
    let number: Int
    let frame: UInt32
    let owner: RuleOwner
    let alert: Alert
  }

  /// A person's last change of one kind of own data.
  struct Belonging {
    let frame: UInt32
    let name: String
    let record: JSONValue
  }

  private(set) var alerts: [NumberedAlert] = []
  private(set) var alertCount = 0
  /// The numbers of alerts that are kept, and of removed ones, by the rule's owner; those of the run's rules under nil.
  private var keptAlerts: [String?: Int] = [:]
  private var forgottenAlerts: [String?: Int] = [:]
  /// The states of connections by component.
  private(set) var connections: [String: ConnectionStatus] = [:]
  /// By paper account; the entry under nil is for all of them.
  private var trading: [Symbol?: TradingData] = [:]

  private(set) var connectionsFrame: UInt32 = 0
  private(set) var moversFrame: UInt32 = 0
  private(set) var alertsFrame: UInt32 = 0
  private(set) var tradingFrame: UInt32 = 0
  private(set) var belongingsFrame: UInt32 = 0
  private(set) var rulesFrame: UInt32 = 0
  /// The dispatcher's rules, as of their last change through the page.
  private(set) var rules: [WatchedRule] = []
  /// The last changes by person, one of each kind.
  private(set) var belongings: [Int64: [Belonging]] = [:]

  /// The newest frame of all these data.
  var newest: UInt32 { max(connectionsFrame, tradingFrame, moversFrame, alertsFrame, belongingsFrame, rulesFrame) }

  // MARK: Events, with the frame in which they are sent

  mutating func take(_ batch: Span<Alert>, _ frame: UInt32) {
    for i in batch.indices {
      alertCount += 1
      let owner = RuleOwner(ofRule: batch[i].rule)
      alerts.append(NumberedAlert(number: alertCount, frame: frame, owner: owner, alert: batch[i]))
      keptAlerts[owner.name, default: 0] += 1
      if keptAlerts[owner.name, default: 0] > (owner.name == nil ? Self.alertLimit : Self.ownAlertLimit) {
        forgetAlert { $0.owner.name == owner.name }
      }
      if alerts.count > Self.allAlertsLimit { forgetAlert { _ in true } }
    }
    alertsFrame = frame
  }

  private mutating func forgetAlert(_ isMeant: (NumberedAlert) -> Bool) {
    guard let place = alerts.firstIndex(where: isMeant) else { return }
    let owner = alerts.remove(at: place).owner.name
    keptAlerts[owner, default: 0] -= 1
    if keptAlerts[owner] == 0 { keptAlerts[owner] = nil }
    forgottenAlerts[owner, default: 0] += 1
  }

  /// The number of removed alerts that a viewer would see if they were still kept.
  func forgotten(for viewer: Viewer) -> Int {
    forgottenAlerts.reduce(0) { $0 + (viewer.sees(rulesOf: $1.key) ? $1.value : 0) }
  }

  mutating func take(_ batch: Span<ConnectionStatus>, _ frame: UInt32) {
    for i in batch.indices { connections[batch[i].component] = batch[i] }
    connectionsFrame = frame
  }

  mutating func take(_ batch: Span<AccountState>, _ frame: UInt32) {
    for i in batch.indices { note(batch[i].account, frame) { $0.take([batch[i]].span, frame) } }
  }

  mutating func take(_ batch: Span<Position>, _ frame: UInt32) {
    for i in batch.indices { note(batch[i].account, frame) { $0.take([batch[i]].span, frame) } }
  }

  mutating func take(_ batch: Span<Order>, _ frame: UInt32) {
    for i in batch.indices { note(batch[i].account, frame) { $0.take([batch[i]].span, frame) } }
  }

  mutating func take(_ batch: Span<Fill>, _ frame: UInt32) {
    for i in batch.indices { note(batch[i].account, frame) { $0.take([batch[i]].span, frame) } }
  }

  /// The number of accounts that are kept individually; further accounts are only in the sum of all.
  private static let accountLimit = 20_000

  private mutating func note(_ account: Symbol, _ frame: UInt32, _ take: (inout TradingData) -> Void) {
    take(&trading[nil, default: TradingData()])
    if trading[account] != nil || trading.count <= Self.accountLimit { take(&trading[account, default: TradingData()]) }
    tradingFrame = frame
  }

  /// Takes fills from before this run, oldest first.
  mutating func recall(_ past: [Fill], _ frame: UInt32) {
    for (account, fills) in Dictionary(grouping: past, by: \.account) {
      if trading[account] != nil || trading.count <= Self.accountLimit {
        trading[account, default: TradingData()].recall(fills, frame)
      }
    }
    trading[nil, default: TradingData()].recall(past, frame)
    tradingFrame = frame
  }

  /// True if an account, an order or a fill has arrived.
  var hasTrading: Bool { !trading.isEmpty }

  /// The trading data that a viewer sees.
  func trading(for viewer: Viewer) -> TradingData { trading[viewer.account] ?? TradingData() }

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
}
