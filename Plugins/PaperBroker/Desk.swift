internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusTrading

/// The broker with its position in the inputs, and its unsaved and unpublished events. A value, used by the actor once for each batch.
struct Desk {
  var broker: Broker
  var outcomes = Outcomes()
  /// The changes since the last save, in order.
  private(set) var unsaved: [BrokerRecord] = []
  private var unsavedInstruments: [BrokerSnapshot.Instrument] = []
  /// Saved events that are not yet published.
  private var unpublished: [BrokerRecord] = []
  private(set) var position = BookedPosition()
  /// The position at the last change. A restarted broker continues from here: later events had no effect except on prices.
  private var changedAt = BookedPosition()
  /// Up to here everything was booked by an earlier run.
  private(set) var booked = BookedPosition()
  private var passed = BookedPosition()
  private let interval: Int64
  /// Accounts that the first event or command opens.
  private(set) var unopened: [AccountRules]
  /// The terms of accounts that are opened later; nil if none may be.
  let newcomers: AccountRules?
  /// When positions are valued next, in nanoseconds; nil if no price has arrived since they were valued.
  private var valueAt: Int64?
  private(set) var markets: Markets
  let instruments: Instruments
  /// True if a command has made a change without a record.
  private var mustSave = false
  /// Problems as sentences, until they are taken.
  private var problems: [String] = []
  private var reportedBelowZero: Set<Symbol> = []

  init(_ settings: PaperBrokerSettings, _ instruments: Instruments) {
    self.instruments = instruments
    markets = Markets(instruments, settings.sessions)
    broker = Broker(
      BrokerRules(undefinedNeedPrices: !instruments.isEmpty, openOrders: settings.openOrders), terms: Markets.terms(of: instruments))
    interval = settings.valueEvery.wholeNanoseconds
    unopened = settings.accounts.map(\.rules)
    newcomers = settings.accounts.first { $0.name == settings.newcomers }?.rules
  }

  /// Opens the accounts as they were saved, also those of newcomers, and accounts that are new in the settings.
  ///
  /// Without saved accounts they are opened by the first event or command, whose time is the first known one.
  mutating func restore(_ settings: PaperBrokerSettings, from state: SavedTrading, mayRepeat: Bool = true) throws(BrokerError) {
    let known = Dictionary(state.snapshot.accounts.map { ($0.account, $0) }) { first, _ in first }
    for account in settings.accounts { try broker.open(account.rules, at: state.position.time, into: &outcomes) }
    if let newcomers {
      for account in state.snapshot.accounts where broker.currency(of: account.account) == nil {
        var rules = newcomers
        (rules.name, rules.currency, rules.deposit) = (account.account, account.currency, account.deposits)
        try broker.open(rules, at: state.position.time, into: &outcomes)
      }
    }
    try broker.restore(state.snapshot)
    if mayRepeat { booked = state.position }
    position = state.position
    changedAt = state.position
    if position.time.ns != .min { markets.begin(at: position.time.before, &broker, into: &outcomes) }
    outcomes.accounts.removeAll { known[$0.account] != nil }
    // Readers that begin now, such as a screen, do not know this state yet. Fills are not published again.
    unpublished = state.snapshot.orders.map { BrokerRecord($0) }
    unpublished += state.snapshot.positions.filter { $0.quantity.raw != 0 }.map { BrokerRecord($0) }
    unpublished += state.snapshot.accounts.map { BrokerRecord($0) }
    collect()
    unopened = []
  }

  /// Continues at `time`, which is before that of the book: what was booked had wrong times, and nothing that comes was booked before.
  /// Splits that took effect by the time of the book are not repeated.
  mutating func setBack(to time: Timestamp) {
    (booked, position, changedAt) = (BookedPosition(), BookedPosition(), BookedPosition())
    broker.setBack(to: time.before)
    markets.setBack(to: time.before, &broker, into: &outcomes)
  }

  /// The settings without effect on an account that was saved before, in sentences.
  static func remarks(on settings: PaperBrokerSettings, after state: SavedTrading) -> [String] {
    settings.accounts.compactMap { account in
      guard let saved = state.snapshot.accounts.first(where: { $0.account == account.name }), saved.deposits != Amount(account.deposit)
      else { return nil }
      let place = settings.path.map { shown($0) } ?? "the saved state"
      return
        "account \(shown(account.name.description)): 'deposit: \(account.deposit)' has no effect, because \(place) already has the account "
        + "with a deposit of \(saved.deposits); to start again, remove the file"
    }
  }

  mutating func openAccounts(at time: Timestamp) {
    for account in unopened {
      do { try broker.open(account, at: time, into: &outcomes) } catch { preconditionFailure("settings that were checked: \(error)") }
    }
    unopened = []
    collect()
  }

  /// True if its accounts are open.
  var hasBegun: Bool { unopened.isEmpty }

  var hasUnsaved: Bool { !unsaved.isEmpty || mustSave }

  /// The present state.
  mutating func state() -> SavedTrading { SavedTrading(snapshot: broker.snapshot(), position: position) }

  /// Passes the unsaved events to `write`, and allows publishing them if that does not throw.
  mutating func save<Failure: Error>(
    _ write: ([BrokerRecord], [BrokerSnapshot.Instrument], BookedPosition) throws(Failure) -> Void
  ) throws(Failure) {
    unsavedInstruments += broker.takeChangedInstruments()
    try write(unsaved, unsavedInstruments, changedAt)
    unsavedInstruments.removeAll(keepingCapacity: true)
    mustSave = false
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
      if !markets.hasBegun { markets.begin(at: received.before, &broker, into: &outcomes) }
      advance(to: received.before)
      if !unopened.isEmpty { openAccounts(at: received) }
      take(&broker, events[place], &outcomes)
      move(to: received)
      if valueAt == nil { valueAt = received.ns.addingSaturating(interval) }
      if !outcomes.isEmpty { collect() }
    }
    return passedOver
  }

  /// True for an event that an earlier run has booked: the inputs arrive in the same order each time.
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
    let next = min(valueAt ?? .max, markets.due?.ns ?? .max)
    return next == .max ? nil : Timestamp(ns: next)
  }

  /// Makes all changes that are due by then, each at its moment.
  mutating func advance(to time: Timestamp) {
    while let due, due <= time {
      if let at = valueAt, at <= due.ns { value(at: Timestamp(ns: at)) }
      collect()
      guard let change = markets.due, change <= due else { continue }
      if let problem = markets.advance(&broker, into: &outcomes) { problems.append(problem) }
      // Everything up to then has been booked, so that a restarted broker does not repeat it.
      if due >= position.time { position = BookedPosition(time: Timestamp(ns: due.ns + 1)) }
      collect()
    }
  }

  /// Something has changed of which there is no record.
  mutating func keep() {
    mustSave = true
    changedAt = position
  }

  mutating func takeProblems() -> [String] {
    for symbol in broker.takeBelowZero() where reportedBelowZero.insert(symbol).inserted {
      problems.append(
        "\(symbol): its price is below zero. Paper orders cannot be filled at such prices: new orders are rejected, open orders wait, and positions keep the value of the last price above zero"
      )
    }
    defer { problems.removeAll() }
    return problems
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

  /// Moves outcomes to the unsaved events: orders before their fills, then the accounts and positions that these have changed.
  mutating func collect() {
    if outcomes.isEmpty { return }
    for order in outcomes.orders { unsaved.append(BrokerRecord(order)) }
    for fill in outcomes.fills { unsaved.append(BrokerRecord(fill)) }
    for position in outcomes.positions { unsaved.append(BrokerRecord(position)) }
    for account in outcomes.accounts { unsaved.append(BrokerRecord(account)) }
    outcomes.clear()
    changedAt = position
  }
}
