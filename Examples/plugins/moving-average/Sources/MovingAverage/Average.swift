public import StockbusPlugin

/// What the averages of a symbol's prices did at a trade.
public struct Average: SymbolEvent, Hashable {
  public var symbol: Symbol
  public var short: Price
  public var long: Price
  public var signal: Signal
  public var time: Timestamp

  public static let schema = EventSchema<Average>(
    "average", "The averages of a symbol's last prices.", key: \.symbol, time: \.time,
    example: Average(
      symbol: "ACME", short: Price(raw: 13_000_000_000), long: Price(raw: 12_500_000_000), signal: .rise,
      time: Timestamp(ns: 1_381_239_000_000_000_000)),
    fields: [
      .init("symbol", \.symbol, "The instrument."), .init("short", \.short, "The average of few prices."),
      .init("long", \.long, "The average of many prices."),
      .init("signal", \.signal, "Whether the short average has crossed the long one: rise, fall or none."),
      .init("time", \.time, "The time of the last price."),
    ])
}

/// Which way the short average has crossed the long one.
public enum Signal: UInt8, FieldChoice, Sendable, Hashable {
  case none, rise, fall

  public var fieldName: String {
    switch self {
    case .none: "none"
    case .rise: "rise"
    case .fall: "fall"
    }
  }
}
