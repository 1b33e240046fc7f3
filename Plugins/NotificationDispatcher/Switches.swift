internal import StockbusPlugin

/// Whether alerts are on at all.
struct Switches: Hashable, Sendable {
  var isEnabled = true
  /// Off until the run's clock shows this.
  var mutedUntil: Duration?

  func isSilent(at clock: any Timekeeper) -> Bool {
    if !isEnabled { return true }
    // The clock is asked only while it matters.
    guard let mutedUntil else { return false }
    return clock.uptime < mutedUntil
  }
}
