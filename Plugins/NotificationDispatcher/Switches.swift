internal import StockbusPlugin

/// Whether all alerts are on or off.
struct Switches: Hashable, Sendable, Codable {
  var isEnabled = true
  /// Off until this time of the run's clock.
  var mutedUntil: Duration?

  /// The clock of another run begins anew.
  private enum CodingKeys: String, CodingKey { case isEnabled }

  func isSilent(at clock: any Timekeeper) -> Bool {
    if !isEnabled { return true }
    // The clock is read only while alerts are muted.
    guard let mutedUntil else { return false }
    return clock.uptime < mutedUntil
  }
}
