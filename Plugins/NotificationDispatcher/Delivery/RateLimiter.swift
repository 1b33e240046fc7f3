internal import StockbusPlugin

/// Lets so many through in so much time: the generic cell rate algorithm (ITU-T I.371), which allows a burst of as many at once.
struct RateLimiter: Sendable {
  private let rate: Rate
  /// When the next one would be due if all came evenly.
  private var due: Duration?

  init(_ rate: Rate) { self.rate = rate }

  /// True where one more may go, and counts it.
  mutating func passes(at now: Duration) -> Bool {
    if rate.isUnlimited { return true }
    let next = max(due ?? now, now) + rate.interval
    if next - now > rate.period { return false }
    due = next
    return true
  }
}
