package import StockbusPlugin

/// The trading accounts of the run as the last events left them: a value, updated by one mutating call for each batch.
///
/// Prices do not change it: what a position is worth now is computed when it is drawn.
package struct Portfolio {
  /// What is kept of each kind; events of more are counted and not shown.
  package static let accountLimit = 100
  package static let positionLimit = 1000
  package static let orderLimit = 1000
  package static let fillLimit = 200

  /// An order number counts over all accounts of one broker, but a run may have several brokers.
  package struct OrderID: Hashable {
    package let account: Symbol
    package let number: Int64

    package init(_ order: Order) {
      account = order.account
      number = order.number
    }
  }

  /// A fill's number counts over all accounts of one broker, too.
  package struct FillID: Hashable {
    package let account: Symbol
    package let number: Int64

    package init(_ fill: Fill) { (account, number) = (fill.account, fill.number) }
  }

  private struct PositionID: Hashable {
    let account: Symbol
    let symbol: Symbol
  }

  /// In the order of their first events.
  package private(set) var accounts: [AccountState] = []
  /// In the order of their first events; closed ones stay, because they show what they brought in.
  package private(set) var positions: [Position] = []
  private var places: [PositionID: Int] = [:]
  /// Orders that can still be filled.
  package private(set) var orders: [OrderID: Order] = [:]
  /// The last fills, oldest first.
  package private(set) var fills: [Fill] = []
  /// Fills that came before those.
  package private(set) var olderFills = 0
  /// Events beyond the limits.
  package private(set) var beyond = Beyond()
  /// Events taken.
  package private(set) var total = 0

  /// Events that are not shown, because a limit was reached.
  package struct Beyond: Hashable {
    package var accounts = 0
    package var positions = 0
    package var orders = 0

    package var sentence: String? {
      let parts = [("accounts", accounts), ("positions", positions), ("open orders", orders)].filter { $0.1 > 0 }
      if parts.isEmpty { return nil }
      return "too many to show; events not shown: " + parts.map { "\($0.1) of \($0.0)" }.joined(separator: ", ")
    }
  }

  package init() {}

  // MARK: Events

  package mutating func take(_ batch: Span<AccountState>) {
    total &+= batch.count
    for i in batch.indices {
      let event = batch[i]
      if let at = accounts.firstIndex(where: { $0.account == event.account }) {
        accounts[at] = event
      } else if accounts.count < Self.accountLimit {
        accounts.append(event)
      } else {
        beyond.accounts += 1
      }
    }
  }

  package mutating func take(_ batch: Span<Position>) {
    total &+= batch.count
    for i in batch.indices {
      let event = batch[i]
      let id = PositionID(account: event.account, symbol: event.symbol)
      if let at = places[id] {
        positions[at] = event
      } else if positions.count < Self.positionLimit {
        places[id] = positions.count
        positions.append(event)
      } else {
        beyond.positions += 1
        // An open position takes the place of a closed one.
        guard event.quantity.raw != 0, let at = positions.firstIndex(where: { $0.quantity.raw == 0 }) else { continue }
        places[PositionID(account: positions[at].account, symbol: positions[at].symbol)] = nil
        places[id] = at
        positions[at] = event
      }
    }
  }

  /// Requests are not orders yet, and orders that are done leave.
  package mutating func take(_ batch: Span<Order>) {
    total &+= batch.count
    for i in batch.indices {
      let event = batch[i]
      if event.number == 0 { continue }
      let id = OrderID(event)
      if !event.state.isOpen {
        orders[id] = nil
      } else if orders.count < Self.orderLimit || orders[id] != nil {
        orders[id] = event
      } else {
        beyond.orders += 1
      }
    }
  }

  package mutating func take(_ batch: Span<Fill>) {
    total &+= batch.count
    for i in batch.indices { fills.append(batch[i]) }
    let older = fills.count - Self.fillLimit
    if older > 0 {
      fills.removeFirst(older)
      olderFills += older
    }
  }

  /// Takes fills of runs before; those that are known already stay as they are.
  package mutating func recall(_ past: [Fill]) {
    let known = Set(fills.map(FillID.init))
    let all = past.filter { !known.contains(FillID($0)) } + fills
    fills = Array(all.sorted { ($0.time, $0.number) < ($1.time, $1.number) }.suffix(Self.fillLimit))
  }

  // MARK: Values at the prices on the screen

  /// A position at the last price that is known.
  package struct Holding {
    package let position: Position
    package let price: Price
    package let value: Amount
    package let unrealised: Amount
  }

  /// The position at the market's price if that is newer than the price at which the broker valued it; otherwise as the broker said.
  package static func holding(_ position: Position, in market: Market) -> Holding {
    let reported = Holding(position: position, price: position.mark, value: position.value, unrealised: position.unrealised)
    guard position.quantity.raw != 0, let row = market.row(of: position.symbol), row.time > position.time, row.price != position.mark,
      let value = value(position, at: row.price), let unrealised = value.subtracting(position.cost)
    else { return reported }
    return Holding(position: position, price: row.price, value: value, unrealised: unrealised)
  }

  /// `value × price ÷ mark`, which contains the contract's multiplier; exact, as far as the broker's value is. Nil if it is out of range, or
  /// if the broker had no price.
  private static func value(_ position: Position, at price: Price) -> Amount? {
    if position.mark.raw <= 0 { return nil }
    let mark = Int128(position.mark.raw)
    let (quotient, rest) = position.value.raw.quotientAndRemainder(dividingBy: mark)
    let (whole, overflow) = quotient.multipliedReportingOverflow(by: Int128(price.raw))
    // The rest is smaller than a price, so this product fits.
    return overflow ? nil : Amount(raw: whole).adding(Amount(raw: rest * Int128(price.raw) / mark))
  }

  /// All accounts, their equity and unrealised profit at the market's prices. What the account ties up stays as the broker said.
  package func accounts(in market: Market) -> [AccountState] {
    var current = accounts
    for position in positions where position.quantity.raw != 0 {
      guard let at = current.firstIndex(where: { $0.account == position.account }),
        let change = Self.holding(position, in: market).value.subtracting(position.value), change != .zero
      else { continue }
      // A sum out of range leaves the broker's number.
      current[at].equity = current[at].equity.adding(change) ?? current[at].equity
      current[at].unrealised = current[at].unrealised.adding(change) ?? current[at].unrealised
    }
    return current
  }
}
