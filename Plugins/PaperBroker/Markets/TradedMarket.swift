internal import StockbusPlugin
internal import StockbusTrading

/// The broker's market of one calendar: its state, and when that changes next.
///
/// A session begins before everything that is received at its first moment, and ends after everything that is received at its end. If one
/// session directly follows another, as in a market that trades day and night, the first one ends before the next one begins.
struct TradedMarket {
  let hours: TradingHours
  /// The broker's number for the market.
  let number: Int
  /// The present or next stretch of trading.
  private var stretch: TradingHours.Stretch?
  private var isOpen = false
  /// When the state changes next: everything up to then has been received. Nil if it never does.
  private(set) var due: Timestamp?

  init(_ hours: TradingHours, number: Int) {
    self.hours = hours
    self.number = number
  }

  /// When trading begins; nil if the market is open.
  var opening: Timestamp? { isOpen ? nil : stretch?.start }

  /// Sets the broker's state at `time`, after everything that was received then. Day orders stay.
  mutating func begin(at time: Timestamp, _ broker: inout Broker, into out: inout Outcomes) {
    stretch = hours.stretch(endingAfter: time)
    isOpen = stretch.map { $0.start <= time } ?? false
    // In a break the session continues, so the broker knows its end.
    if let stretch, isOpen || !stretch.isFirst { set(true, time, &broker, &out) }
    if !isOpen { set(false, time, &broker, &out) }
    plan(after: time)
  }

  /// Makes the change that is due.
  mutating func advance(_ broker: inout Broker, into out: inout Outcomes) {
    guard let due, let stretch else { return }
    if !isOpen {
      isOpen = true
      set(true, due, &broker, &out)
    } else {
      isOpen = false
      // At the end of the session the broker has closed the market itself.
      if stretch.end < stretch.close { set(false, due, &broker, &out) } else { broker.advance(to: due, into: &out) }
      self.stretch = hours.stretch(endingAfter: due)
    }
    plan(after: due)
  }

  private mutating func plan(after time: Timestamp) {
    due = stretch.map { isOpen ? $0.end : max($0.start.before, time) }
  }

  private func set(_ isOpen: Bool, _ time: Timestamp, _ broker: inout Broker, _ out: inout Outcomes) {
    do {
      if isOpen {
        try broker.open(market: number, until: stretch?.close, at: time, into: &out)
      } else {
        try broker.close(market: number, isBreak: true, at: time, into: &out)
      }
    } catch { preconditionFailure("there are fewer calendars than markets: \(error)") }
  }
}
