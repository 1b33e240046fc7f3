internal import StockbusPlugin

/// An event that can wait, also from one run to the next, and is then received later.
protocol GuardedEvent: PricedEvent, Codable {
  var received: Timestamp { get set }
  /// The price that is compared with those before; nil if the event has none of the market.
  var comparedPrice: Int64? { get }
  /// How much further ahead of its receipt than others it may be dated, in nanoseconds.
  var leeway: Int64 { get }
}

extension GuardedEvent {
  var leeway: Int64 { 0 }
}

extension Trade: GuardedEvent {
  var comparedPrice: Int64? { condition.countsForLast ? price.raw : nil }
}

extension Quote: GuardedEvent {
  /// The middle; nil if a side is missing, whose price and size are 0.
  var comparedPrice: Int64? { bid.raw | bidSize.raw == 0 || ask.raw | askSize.raw == 0 ? nil : lastPrice.raw }
}

extension Bar: GuardedEvent {
  var comparedPrice: Int64? { close.raw }
  /// A bar of a day has the midnight in UTC of its date as its time, and the date begins up to fourteen hours earlier in the east.
  var leeway: Int64 { length < .day ? 0 : 14 * 3600 * 1_000_000_000 }
}
