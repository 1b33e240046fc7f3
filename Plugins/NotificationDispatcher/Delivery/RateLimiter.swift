internal import StockbusPlugin

/// Limits the rate: the generic cell rate algorithm (ITU-T I.371), which allows a burst of one period's number at once.
struct RateLimiter: Sendable {
  private let rate: Rate
  /// When the next one would be due if all arrived at equal intervals.
  private var due: Duration?

  init(_ rate: Rate) { self.rate = rate }

  /// True if one more may pass, which is then counted.
  mutating func passes(at now: Duration) -> Bool {
    if rate.isUnlimited { return true }
    let next = max(due ?? now, now) + rate.interval
    if next - now > rate.period { return false }
    due = next
    return true
  }
}
