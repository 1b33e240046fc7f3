internal import MarketData
internal import StockbusFiles

/// Converts times to local times of the zone in which the quiet hours apply.
struct QuietClock {
  private let hours: QuietHours
  private let zone: ZoneRules

  /// Throws if the zone's rules cannot be read.
  init(_ hours: QuietHours) throws(ZoneProblem) {
    self.hours = hours
    zone = try ZoneRules(hours.zone)
  }

  /// True if a time is within the quiet hours.
  func isQuiet(at time: Timestamp) -> Bool {
    let seconds = Int(time.ns >= 0 ? time.ns / 1_000_000_000 : (time.ns - 999_999_999) / 1_000_000_000)
    let local = seconds + zone.offset(at: seconds)
    let minute = ((local % 86_400 + 86_400) % 86_400) / 60
    if hours.from < hours.to { return minute >= hours.from.minutes && minute < hours.to.minutes }
    return minute >= hours.from.minutes || minute < hours.to.minutes
  }
}
