public import MarketData

extension Trade: PricedEvent {
  public static let schema = EventSchema<Trade>(
    "trade", "One execution on a venue.", key: \.symbol, time: \.time,
    example: Trade(
      symbol: "AAPL", price: Price(raw: 189_250_000_000), size: 100, time: Timestamp(ns: 1_381_239_000_012_000_000),
      received: Timestamp(ns: 1_381_239_000_012_345_678), side: .buy, priceDecimals: 2),
    fields: [
      .init("symbol", \.symbol, "The instrument."),
      .init("price", \.price, "Price of one unit.", decimals: \.priceDecimals),
      .init("size", \.size, "Units traded.", decimals: \.sizeDecimals),
      .init("side", \.side, "The side that took the liquidity: buy, sell or unknown."),
      .init("time", \.time, "When the venue says it happened."),
      .init("received", \.received, "When it reached us."),
      .init("condition", \.condition, "The sale condition, such as odd_lot; not written if regular.", omitting: .regular),
    ])
  @inlinable public var lastPrice: Price { price }
  @inlinable public var tradedSize: Quantity { condition.countsForVolume ? size : Quantity(raw: 0) }
}

extension Quote: PricedEvent {
  public static let schema = EventSchema<Quote>(
    "quote", "The best bid and offer.", key: \.symbol, time: \.time,
    example: Quote(
      symbol: "AAPL", bid: Price(raw: 189_240_000_000), ask: Price(raw: 189_260_000_000), bidSize: 300, askSize: 200,
      time: Timestamp(ns: 1_381_239_000_012_000_000), received: Timestamp(ns: 1_381_239_000_012_345_678), priceDecimals: 2),
    fields: [
      .init("symbol", \.symbol, "The instrument."),
      .init("bid", \.bid, "Highest price a buyer offers.", decimals: \.priceDecimals),
      .init("ask", \.ask, "Lowest price a seller asks.", decimals: \.priceDecimals),
      .init("bid_size", \.bidSize, "Units wanted at the bid.", decimals: \.sizeDecimals),
      .init("ask_size", \.askSize, "Units offered at the ask.", decimals: \.sizeDecimals),
      .init("time", \.time, "When the venue says it stood so."),
      .init("received", \.received, "When it reached us."),
    ])
  /// The middle of bid and ask, rounded down to a billionth.
  @inlinable public var lastPrice: Price { Price(raw: (bid.raw & ask.raw) &+ ((bid.raw ^ ask.raw) >> 1)) }
  @inlinable public var tradedSize: Quantity { Quantity(raw: 0) }
}

extension Bar: PricedEvent {
  public static let schema = EventSchema<Bar>(
    "bar", "First, highest, lowest and last price of a stretch of time.", key: \.symbol, time: \.time,
    example: Bar(
      symbol: "AAPL", open: Price(raw: 189_000_000_000), high: Price(raw: 190_500_000_000), low: Price(raw: 188_750_000_000),
      close: Price(raw: 189_250_000_000), volume: 1_250_000, time: Timestamp(ns: 1_381_239_000_000_000_000),
      received: Timestamp(ns: 1_381_239_060_000_000_000), priceDecimals: 2, length: .time(60_000_000_000),
      turnover: Amount(raw: 236_812_500_000_000_000_000_000_000), vwap: Price(raw: 189_450_000_000), count: 4217, session: .regular),
    fields: [
      .init("symbol", \.symbol, "The instrument."),
      .init("length", \.length, "What ends it: a time such as 1m or 1d, trades such as 100t, a volume such as 5000v."),
      .init("open", \.open, "First price.", decimals: \.priceDecimals),
      .init("high", \.high, "Highest price.", decimals: \.priceDecimals),
      .init("low", \.low, "Lowest price.", decimals: \.priceDecimals),
      .init("close", \.close, "Last price.", decimals: \.priceDecimals),
      .init("volume", \.volume, "Units traded.", decimals: \.sizeDecimals),
      .init("vwap", \.vwap, "Average price by volume, to a billionth."),
      .init("turnover", \.turnover, "Sum of price times size, exact."),
      .init("count", \.count, "How many trades; 0 where nothing was traded, or where nobody says."),
      .init("session", \.session, "Part of the trading day: pre, regular, post or unknown."),
      .init("status", \.status, "complete, or partial where the input ended before the stretch did."),
      .init("revision", \.revision, "0 at first; one more for each late trade that changed it."),
      .init("time", \.time, "When the stretch begins."),
      .init("received", \.received, "When it reached us; of a bar made here, when it was due."),
    ])
  @inlinable public var lastPrice: Price { close }
  @inlinable public var tradedSize: Quantity { volume }
}

extension Ranked: PricedEvent {
  public static let schema = EventSchema<Ranked>(
    "ranked", "A price with its place among all symbols of a feed.", key: \.symbol, time: \.time,
    example: Ranked(
      symbol: "AAPL", rank: 1, previousRank: 3, price: Price(raw: 189_250_000_000), change: Price(raw: 1_250_000_000),
      percent: Percent(raw: 664_893_617), volume: 1_250_000, time: Timestamp(ns: 1_381_239_000_012_000_000),
      received: Timestamp(ns: 1_381_239_000_012_345_678), priceDecimals: 2),
    fields: [
      .init("symbol", \.symbol, "The instrument."),
      .init("rank", \.rank, "The place now, counted from 1; 0 where the symbol has left a feed's top."),
      .init("previous_rank", \.previousRank, "The place before this update; 0 where the symbol is new or was not in a feed's top."),
      .init("price", \.price, "Price of one unit.", decimals: \.priceDecimals),
      .init("change", \.change, "Price minus the symbol's reference price.", decimals: \.priceDecimals),
      .init("percent", \.percent, "The change in per cent of the reference price."),
      .init("volume", \.volume, "Units traded since the feed began.", decimals: \.sizeDecimals),
      .init("time", \.time, "When the venue says it happened: the price, or the one that moved the symbol to another place."),
      .init("received", \.received, "When it reached us."),
    ])
  @inlinable public var lastPrice: Price { price }
  @inlinable public var asRanked: Ranked? { self }
  /// A ranking carries the total volume, not the size of one trade.
  @inlinable public var tradedSize: Quantity { Quantity(raw: 0) }
}

extension Alert: SymbolEvent {
  public static let schema = EventSchema<Alert>(
    "alert", "A rule has fired.", key: \.symbol, time: \.time,
    example: Alert(
      symbol: "AAPL", rule: "AAPL above 200", message: "AAPL rose to 200.10", price: Price(raw: 200_100_000_000),
      time: Timestamp(ns: 1_381_239_000_012_000_000), priceDecimals: 2),
    fields: [
      .init("symbol", \.symbol, "The instrument."),
      .init("price", \.price, "The price that fired it.", decimals: \.priceDecimals),
      .init("rule", \.rule, "The rule's name."),
      .init("message", \.message, "What happened, in words."),
      .init("time", \.time, "The time of the event that fired it."),
    ])
}

extension ConnectionStatus: Event {
  public static let schema = EventSchema<ConnectionStatus>(
    "connection_status", "What became of a connection to the world.", time: \.time,
    example: ConnectionStatus(
      component: "echo", state: .connected, reason: "handshake done", time: Timestamp(ns: 1_381_239_000_012_000_000)),
    fields: [
      .init("component", \.component, "The component whose connection it is."),
      .init("state", \.state, "disconnected, connecting, connected; of a document: loading, loaded, empty, malformed, failed."),
      .init("reason", \.reason, "Why, in words."),
      .init("time", \.time, "When it changed."),
    ])
}

extension Gap: Event {
  public static let schema = EventSchema<Gap>(
    "gap", "A break in the numbers by which a venue counts its messages.", time: \.time,
    example: Gap(
      component: "binance", stream: "BTCUSDT", expected: 3_708_132_001, got: 3_708_132_004,
      time: Timestamp(ns: 1_381_239_000_012_000_000)),
    fields: [
      .init("component", \.component, "The component that found it."),
      .init("stream", \.stream, "What is counted by itself, such as a symbol."),
      .init("expected", \.expected, "The number that should have come."),
      .init("got", \.got, "The number that came."),
      .init("time", \.time, "When it was found."),
    ])
}

extension Side: FieldChoice {
  public var fieldName: String {
    switch self {
    case .unknown: "unknown"
    case .buy: "buy"
    case .sell: "sell"
    }
  }
}

extension TradeCondition: FieldChoice {
  public var fieldName: String {
    switch self {
    case .regular: "regular"
    case .sweep: "sweep"
    case .opening: "opening"
    case .closing: "closing"
    case .correctedClose: "corrected_close"
    case .derivativelyPriced: "derivatively_priced"
    case .priorReferencePrice: "prior_reference_price"
    case .outOfSequence: "out_of_sequence"
    case .extendedHours: "extended_hours"
    case .oddLot: "odd_lot"
    case .averagePrice: "average_price"
    case .priceVariation: "price_variation"
    case .specialSettlement: "special_settlement"
    case .contingent: "contingent"
    case .officialPrice: "official_price"
    case .cancelled: "cancelled"
    }
  }
}

extension ConnectionStatus.State: FieldChoice {
  public var fieldName: String {
    switch self {
    case .disconnected: "disconnected"
    case .connecting: "connecting"
    case .connected: "connected"
    case .loading: "loading"
    case .loaded: "loaded"
    case .empty: "empty"
    case .malformed: "malformed"
    case .failed: "failed"
    }
  }
}

extension BarStatus: FieldChoice {
  public var fieldName: String {
    switch self {
    case .complete: "complete"
    case .partial: "partial"
    }
  }
}

extension MarketSession: FieldChoice {
  public var fieldName: String {
    switch self {
    case .unknown: "unknown"
    case .pre: "pre"
    case .regular: "regular"
    case .post: "post"
    }
  }
}
