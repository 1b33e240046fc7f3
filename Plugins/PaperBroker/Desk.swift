internal import StockbusPlugin
internal import StockbusTrading

/// The broker with its position in the inputs, and what waits to be saved and published. A value, used by the actor once for each batch.
struct Desk {
  private var broker: Broker
  private var outcomes = Outcomes()
  /// What has changed since the last save, in order.
  private(set) var unsaved: [BrokerRecord] = []
  /// What is saved and not published.
  private var unpublished: [BrokerRecord] = []
  private(set) var position = BookedPosition()
  /// Up to here everything was booked by an earlier run.
  private var booked = BookedPosition()
  private var passed = BookedPosition()
  private let interval: Int64
  /// Accounts that are opened by the first event or command.
  private var unopened: [AccountRules]
  /// When positions are valued next, in nanoseconds; nil while no price has come since they were.
  private var valueAt: Int64?

  init(_ settings: PaperBrokerSettings) {
    broker = Broker(BrokerRules(openOrders: settings.openOrders))
    interval = settings.valueEvery.wholeNanoseconds
    unopened = settings.accounts.map(\.rules)
  }

  /// Opens the accounts as they were saved. Accounts that are new are opened too; without anything saved they are opened by the first event
  /// or command, whose time is the first that is known.
  mutating func restore(_ settings: PaperBrokerSettings, from state: SavedTrading) throws(BrokerError) {
    let known = Set(state.snapshot.accounts.map(\.account))
    for account in settings.accounts { try broker.open(account.rules, at: state.position.time, into: &outcomes) }
    try broker.restore(state.snapshot)
    booked = state.position
    position = state.position
    outcomes.accounts.removeAll { known.contains($0.account) }
    // Readers that begin now, such as a screen, know nothing of it yet. Fills are not told again.
    unpublished = state.snapshot.orders.map { BrokerRecord($0) }
    unpublished += state.snapshot.positions.filter { $0.quantity.raw != 0 }.map { BrokerRecord($0) }
    unpublished += state.snapshot.accounts.map { BrokerRecord($0) }
    collect()
    unopened = []
  }

  private mutating func openAccounts(at time: Timestamp) {
    for account in unopened {
      do { try broker.open(account, at: time, into: &outcomes) } catch { preconditionFailure("settings that were checked: \(error)") }
    }
    unopened = []
    collect()
  }

  /// True if its accounts are open.
  var hasBegun: Bool { unopened.isEmpty }

  var hasUnsaved: Bool { !unsaved.isEmpty }

  /// The state as it is now.
  mutating func state() -> SavedTrading { SavedTrading(snapshot: broker.snapshot(), position: position) }

  mutating func saved() {
    unpublished += unsaved
    unsaved.removeAll(keepingCapacity: true)
  }

  mutating func publish(into output: inout Outlet<BrokerRecord>) {
    for record in unpublished { output.send(record) }
    unpublished.removeAll(keepingCapacity: true)
  }

  /// Processes events in their order; returns how many were booked before.
  mutating func process<E: Event>(_ events: Span<E>, _ take: (inout Broker, E, inout Outcomes) -> Void) -> Int {
    var passedOver = 0
    for place in events.indices {
      let received = E.schema.receipt(of: events[place])
      if wasBooked(received) {
        passedOver += 1
        continue
      }
      advance(to: received.before)
      if !unopened.isEmpty { openAccounts(at: received) }
      take(&broker, events[place], &outcomes)
      move(to: received)
      if valueAt == nil { valueAt = received.ns.addingSaturating(interval) }
      if !outcomes.isEmpty { collect() }
    }
    return passedOver
  }

  /// True for an event that an earlier run has booked: the inputs come in the same order each time.
  private mutating func wasBooked(_ received: Timestamp) -> Bool {
    if received > booked.time { return false }
    if received < booked.time { return true }
    passed.count += 1
    return passed.count <= booked.count
  }

  private mutating func move(to received: Timestamp) {
    if received > position.time { position = BookedPosition(time: received) }
    position.count += 1
  }

  // MARK: Time

  var due: Timestamp? {
    let next = min(valueAt ?? .max, broker.nextSessionEnd.ns)
    return next == .max ? nil : Timestamp(ns: next)
  }

  /// Does what is due by then, each at its moment.
  mutating func advance(to time: Timestamp) {
    while let due, due <= time {
      if broker.nextSessionEnd <= due { broker.advance(to: broker.nextSessionEnd, into: &outcomes) }
      if let at = valueAt, at <= due.ns { value(at: Timestamp(ns: at)) }
      collect()
    }
  }

  /// Values positions at the end of the input.
  mutating func valueNow() {
    if valueAt != nil { value(at: position.time) }
    collect()
  }

  private mutating func value(at time: Timestamp) {
    valueAt = nil
    broker.reportTrails(at: time, into: &outcomes)
    broker.revalue(at: time, into: &outcomes)
  }

  /// Moves outcomes to what has to be saved: orders before their fills, then what these have changed.
  private mutating func collect() {
    if outcomes.isEmpty { return }
    for order in outcomes.orders { unsaved.append(BrokerRecord(order)) }
    for fill in outcomes.fills { unsaved.append(BrokerRecord(fill)) }
    for position in outcomes.positions { unsaved.append(BrokerRecord(position)) }
    for account in outcomes.accounts { unsaved.append(BrokerRecord(account)) }
    outcomes.clear()
  }

  // MARK: Commands

  mutating func openOrders(of account: Symbol) -> [Order] { broker.snapshot().orders.filter { $0.account == account } }

  /// An account in a few lines.
  mutating func summary(of account: Symbol) -> String {
    guard let state = broker.state(of: account) else { return "no account '\(account)'" }
    let snapshot = broker.snapshot()
    var lines = [
      "\(account): equity \(state.equity) \(state.currency), cash \(state.cash), to trade with \(state.buyingPower), "
        + "realised \(state.realised), unrealised \(state.unrealised), fees \(state.fees)"
    ]
    for position in snapshot.positions where position.account == account && position.quantity.raw != 0 {
      lines.append("\(position.symbol): \(position.quantity) at \(position.mark), unrealised \(position.unrealised)")
    }
    for order in snapshot.orders where order.account == account {
      let limit = order.limit.raw == 0 ? "" : " at \(order.limit)"
      let stop = order.stop.raw == 0 ? "" : " stop \(order.stop)"
      lines.append(
        "\(order.side.fieldName) \(order.symbol) \(order.quantity)\(limit)\(stop) \(order.timeInForce.fieldName), filled \(order.filled), key \(order.key)"
      )
    }
    return lines.joined(separator: "\n")
  }

  /// Runs `body` with the broker at the present: the latest receipt, or `now` if nothing has come.
  mutating func command<Result>(now: Timestamp, _ body: (inout Broker, Timestamp, inout Outcomes) -> Result) -> Result {
    let time = position.time.ns == .min ? now : position.time
    if !unopened.isEmpty { openAccounts(at: time) }
    let result = body(&broker, time, &outcomes)
    collect()
    return result
  }
}

extension Int64 {
  fileprivate func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
