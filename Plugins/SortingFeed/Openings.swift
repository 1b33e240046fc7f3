internal import StockbusInstruments
internal import StockbusPlugin

/// Finds the events with which symbols begin a trading date.
struct Openings<E: PricedEvent>: Sendable {
  private(set) var closes: PreviousCloses
  private let unknown: Counter

  /// - Parameter closes: those of the previous instance; nil if there are none.
  init(_ context: Context, _ closes: PreviousCloses?) {
    self.closes = PreviousCloses(context.past, context.instruments, after: closes)
    unknown = context.counter(
      "without a close", "Symbols whose change counts from their first price of a date, because no earlier close is known.")
  }

  /// The opening with which `event` begins its date; nil for any other event.
  @inline(__always)
  mutating func take(_ event: E) -> PreviousCloses.Opening? {
    if event.hasLeft { return nil }
    let opening = closes.take(event.symbol, event.lastPrice, at: closes.moment(of: event), isDated: isDated(event))
    if let opening, opening.close == nil { unknown.add(1) }
    return opening
  }

  /// Whether the event's time may stand for a date.
  @inline(__always)
  private func isDated(_ event: E) -> Bool {
    guard let bar = event as? Bar else { return false }
    return bar.length == .unknown || bar.length >= .day
  }
}
