public import MarketData

extension Order: SymbolEvent {
  public static let schema = EventSchema<Order>(
    "order", "An order as it is asked for, and as it stands after each change.", key: \.symbol, time: \.time,
    example: Order(
      account: "paper", key: "momentum-17", symbol: "AAPL", side: .buy, type: .limit, quantity: 100, limit: Price(raw: 189_250_000_000),
      timeInForce: .gtc, state: .partiallyFilled, number: 42, filled: 60, value: Amount(raw: 11_354_400_000_000_000_000_000),
      fees: Amount(raw: 300_000_000_000_000_000), reserved: Amount(raw: 7_570_200_000_000_000_000_000),
      time: Timestamp(ns: 1_381_239_000_012_000_000), received: Timestamp(ns: 1_381_239_000_012_345_678)),
    fields: [
      .init("account", \.account, "The account that it is for."),
      .init("key", \.key, "The sender's own name for it; sent twice, it is one order."),
      .init("replaces", \.replaces, "The key of the order that it takes the place of; empty if none."),
      .init("number", \.number, "Counted from 1; 0 as long as it is only asked for."),
      .init("symbol", \.symbol, "The instrument."),
      .init("side", \.side, "buy or sell."),
      .init("type", \.type, "market, limit, stop, stop_limit or trailing_stop."),
      .init("time_in_force", \.timeInForce, "day, gtc (good till cancelled) or ioc (immediate or cancel)."),
      .init("quantity", \.quantity, "Units to buy or sell."),
      .init("limit", \.limit, "The worst price allowed; 0 if none."),
      .init("stop", \.stop, "The price that triggers it; 0 if none."),
      .init("trail", \.trail, "A trailing stop's distance from the best price; 0 if in per cent."),
      .init("trail_percent", \.trailPercent, "The same in per cent of the best price; 0 if as a price."),
      .init(
        "state", \.state,
        "new, working, triggered, partially_filled, filled, cancelled, rejected, expired or replaced; new and cancelled ask."),
      .init("reason", \.reason, "Why it is in this state."),
      .init("filled", \.filled, "Units filled so far."),
      .init("value", \.value, "Sum of price times quantity of its fills, exact."),
      .init("fees", \.fees, "Fees of its fills."),
      .init("reserved", \.reserved, "Buying power set aside for the rest."),
      .init("best", \.best, "The best price since a trailing stop was accepted; 0 if none."),
      .init("time", \.time, "When it changed, as the venue says."),
      .init("received", \.received, "When what changed it reached us."),
    ])
}

extension Fill: SymbolEvent {
  public static let schema = EventSchema<Fill>(
    "fill", "An execution of an order, with the reason for its price.", key: \.symbol, time: \.time,
    example: Fill(
      account: "paper", symbol: "AAPL", side: .buy, reason: .limitTouch, number: 7, order: 42, price: Price(raw: 189_240_000_000),
      quantity: 60, fee: Amount(raw: 300_000_000_000_000_000), realised: .zero, position: 60, shown: Price(raw: 189_240_000_000),
      shownSize: 60, time: Timestamp(ns: 1_381_239_000_012_000_000), received: Timestamp(ns: 1_381_239_000_012_345_678)),
    fields: [
      .init("account", \.account, "The account."),
      .init("number", \.number, "Counted from 1."),
      .init("order", \.order, "The order's number; 0 if there is none."),
      .init("symbol", \.symbol, "The instrument."),
      .init("side", \.side, "buy or sell."),
      .init("price", \.price, "Price of one unit."),
      .init("quantity", \.quantity, "Units."),
      .init("fee", \.fee, "Fee, not contained in the price."),
      .init("realised", \.realised, "Profit that it booked, before fees."),
      .init("position", \.position, "The account's position after it; below zero if short."),
      .init("reason", \.reason, "Why this price: touch, next_trade, limit_touch, limit_trade, limit_through or cash_in_lieu."),
      .init("shown", \.shown, "The price that the market showed."),
      .init("shown_size", \.shownSize, "The size that it showed."),
      .init("time", \.time, "When it happened, as the venue says."),
      .init("received", \.received, "When what caused it reached us."),
    ])
}

extension Position: SymbolEvent {
  public static let schema = EventSchema<Position>(
    "position", "What an account holds of an instrument.", key: \.symbol, time: \.time,
    example: Position(
      account: "paper", symbol: "AAPL", quantity: 60, cost: Amount(raw: 11_354_400_000_000_000_000_000), mark: Price(raw: 189_250_000_000),
      value: 11_355, unrealised: Amount(raw: 600_000_000_000_000_000), realised: .zero, fees: Amount(raw: 300_000_000_000_000_000),
      time: Timestamp(ns: 1_381_239_000_012_000_000), received: Timestamp(ns: 1_381_239_000_012_345_678)),
    fields: [
      .init("account", \.account, "The account."),
      .init("symbol", \.symbol, "The instrument."),
      .init("quantity", \.quantity, "Units; below zero if short."),
      .init("cost", \.cost, "What all of them cost, exact; below zero if short."),
      .init("mark", \.mark, "The last price, at which it is valued."),
      .init("value", \.value, "Quantity times mark."),
      .init("unrealised", \.unrealised, "Value minus cost."),
      .init("realised", \.realised, "Profit booked so far, before fees."),
      .init("fees", \.fees, "Fees so far."),
      .init("time", \.time, "When it changed, as the venue says."),
      .init("received", \.received, "When what changed it reached us."),
    ])
}

extension AccountState: Event {
  public static let schema = EventSchema<AccountState>(
    "account", "The money of a trading account.", time: \.time,
    example: AccountState(
      account: "paper", currency: "USD", deposits: 100_000, cash: Amount(raw: 88_645_300_000_000_000_000_000),
      equity: Amount(raw: 100_000_300_000_000_000_000_000), exposure: 11_355, marginUsed: 11_355,
      reserved: Amount(raw: 7_570_200_000_000_000_000_000), buyingPower: Amount(raw: 81_075_100_000_000_000_000_000), realised: .zero,
      unrealised: Amount(raw: 600_000_000_000_000_000), fees: Amount(raw: 300_000_000_000_000_000),
      time: Timestamp(ns: 1_381_239_000_012_000_000), received: Timestamp(ns: 1_381_239_000_012_345_678)),
    fields: [
      .init("account", \.account, "The account."),
      .init("currency", \.currency, "The currency of all its amounts."),
      .init("deposits", \.deposits, "What was paid in."),
      .init("cash", \.cash, "Cash; a short sale's proceeds are in it."),
      .init("equity", \.equity, "Cash and the value of all positions."),
      .init("exposure", \.exposure, "Value of all positions, short ones as positive."),
      .init("margin_used", \.marginUsed, "Equity that the positions tie up."),
      .init("reserved", \.reserved, "Equity set aside for open orders."),
      .init("buying_power", \.buyingPower, "Equity minus both."),
      .init("realised", \.realised, "Profit booked so far, before fees."),
      .init("unrealised", \.unrealised, "Value of all positions minus their cost."),
      .init("fees", \.fees, "Fees so far."),
      .init("time", \.time, "When it changed, as the venue says."),
      .init("received", \.received, "When what changed it reached us."),
    ])
}

extension OrderType: FieldChoice {
  public var fieldName: String {
    switch self {
    case .market: "market"
    case .limit: "limit"
    case .stop: "stop"
    case .stopLimit: "stop_limit"
    case .trailingStop: "trailing_stop"
    }
  }
}

extension TimeInForce: FieldChoice {
  public var fieldName: String {
    switch self {
    case .day: "day"
    case .gtc: "gtc"
    case .ioc: "ioc"
    }
  }
}

extension OrderState: FieldChoice {
  public var fieldName: String {
    switch self {
    case .new: "new"
    case .working: "working"
    case .triggered: "triggered"
    case .partiallyFilled: "partially_filled"
    case .filled: "filled"
    case .cancelled: "cancelled"
    case .rejected: "rejected"
    case .expired: "expired"
    case .replaced: "replaced"
    }
  }
}

extension OrderReason: FieldChoice {
  public var fieldName: String {
    switch self {
    case .none: "none"
    case .asked: "asked"
    case .unknownAccount: "unknown_account"
    case .unknownInstrument: "unknown_instrument"
    case .unknownOrder: "unknown_order"
    case .alreadyDone: "already_done"
    case .otherCurrency: "other_currency"
    case .badKey: "bad_key"
    case .badSide: "bad_side"
    case .badQuantity: "bad_quantity"
    case .notInLots: "not_in_lots"
    case .badPrice: "bad_price"
    case .offTick: "off_tick"
    case .badTrail: "bad_trail"
    case .insufficientBuyingPower: "insufficient_buying_power"
    case .shortNotAllowed: "short_not_allowed"
    case .closed: "closed"
    case .halted: "halted"
    case .tooManyOrders: "too_many_orders"
    case .outOfRange: "out_of_range"
    case .notFilledAtOnce: "not_filled_at_once"
    case .sessionEnd: "session_end"
    case .split: "split"
    }
  }
}

extension FillReason: FieldChoice {
  public var fieldName: String {
    switch self {
    case .touch: "touch"
    case .nextTrade: "next_trade"
    case .limitTouch: "limit_touch"
    case .limitTrade: "limit_trade"
    case .limitThrough: "limit_through"
    case .cashInLieu: "cash_in_lieu"
    }
  }
}
