package import MarketData

/// The date of a bar of a day or more.
///
/// Such a bar stands for a date, and its time is the moment at which that date begins: in UTC, at the exchange, or in the zone of the feed.
/// The configuration always names the zone, so a replay gives the same bars on every machine.
package enum BarDate {
  /// The date that begins at `time`, in days since 1970-01-01: in UTC, or else in a zone; nil if no date begins then.
  ///
  /// - Parameters:
  ///   - offset: the zone's seconds east of Greenwich at a time in seconds since the epoch.
  ///   - begin: the first moment of a day in the zone, in seconds since the epoch; where clocks skip midnight it is later than midnight.
  package static func beginning(at time: Timestamp, offset: (Int) -> Int, begin: (Int) -> Int) -> Int? {
    let (seconds, rest) = Int(time.ns).quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest != 0 { return nil }
    if seconds % day == 0 { return seconds / day }
    let local = seconds + offset(seconds)
    let date = local / day - (local % day < 0 ? 1 : 0)
    return begin(date) == seconds ? date : nil
  }

  private static var day: Int { 86_400 }
}
