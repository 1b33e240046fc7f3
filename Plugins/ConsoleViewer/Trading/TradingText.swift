internal import StockbusPlugin
internal import StockbusViewing

/// Orders, fills, positions and accounts in words and numbers for people.
enum TradingText {
  /// Rounded half away from zero to two decimals; without a sign if the result is zero.
  static func money(_ amount: Amount) -> String {
    let unit: UInt128 = 10_000_000_000_000_000
    let (quotient, rest) = amount.raw.magnitude.quotientAndRemainder(dividingBy: unit)
    let hundredths = quotient + (rest * 2 >= unit ? 1 : 0)
    let (whole, cents) = hundredths.quotientAndRemainder(dividingBy: 100)
    return (amount.raw < 0 && hundredths > 0 ? "-" : "") + "\(whole).\(cents < 10 ? "0" : "")\(cents)"
  }

  /// The amount with a plus sign if it is positive.
  static func signed(_ amount: Amount) -> String {
    let text = money(amount)
    return text == "0.00" || amount.raw < 0 ? text : "+" + text
  }

  /// With at least two decimals, and more if the price has more.
  static func price(_ price: Price) -> String { price.formatted(decimals: 2) }

  /// The condition of an order: `189.25`, `market`, `stop 180.00`, `stop 180.00 limit 179.50`, `trail 2%`.
  static func condition(_ order: Order) -> String {
    switch order.type {
    case .market: "market"
    case .limit: price(order.limit)
    case .stop: "stop \(price(order.stop))"
    case .stopLimit: "stop \(price(order.stop)) limit \(price(order.limit))"
    case .trailingStop: "trail " + (order.trail.raw != 0 ? price(order.trail) : "\(order.trailPercent)%")
    }
  }

  /// `buy 100 AAPL at 189.25 day`.
  static func order(_ order: Order) -> String {
    let condition = order.type == .limit ? "at " + condition(order) : condition(order)
    return "\(order.side.fieldName) \(order.quantity) \(order.symbol) \(condition) \(order.timeInForce.fieldName)"
  }

  static func state(_ order: Order) -> String {
    let words = order.state.fieldName + (order.reason == .none ? "" : " (\(order.reason.fieldName))")
    return String(words.map { $0 == "_" ? " " : $0 })
  }

  // MARK: Plain lines

  /// `09:30:00.401-04:00 paper order 42: buy 100 AAPL at 189.25 day, working`.
  static func line(_ order: Order, zone: DisplayZone) -> String {
    let number = order.number == 0 ? "\(order.key)" : "\(order.number)"
    return "\(zone.stamp(order.time)) \(order.account) order \(number): \(Self.order(order)), \(state(order))"
  }

  static func line(_ fill: Fill, zone: DisplayZone) -> String {
    "\(zone.stamp(fill.time)) \(fill.account) fill \(fill.number): \(fill.side.fieldName) \(fill.quantity) \(fill.symbol) "
      + "at \(price(fill.price)), fee \(money(fill.fee)), realised \(signed(fill.realised))"
  }

  static func line(_ position: Position, zone: DisplayZone) -> String {
    "\(zone.stamp(position.time)) \(position.account) position: \(position.quantity) \(position.symbol) at \(price(position.mark)), "
      + "value \(money(position.value)), unrealised \(signed(position.unrealised)), realised \(signed(position.realised))"
  }

  static func line(_ account: AccountState, zone: DisplayZone) -> String {
    "\(zone.stamp(account.time)) \(account.account) account: equity \(money(account.equity)) \(account.currency), "
      + "cash \(money(account.cash)), buying power \(money(account.buyingPower)), unrealised \(signed(account.unrealised)), "
      + "realised \(signed(account.realised)), fees \(money(account.fees))"
  }
}
