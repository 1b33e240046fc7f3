internal import MarketData

/// The meaning of a number as a time, judging by its size: a date such as 20240102, or a count of seconds, milliseconds, microseconds or
/// nanoseconds since 1970 that gives a time from 1990 to tomorrow. These ranges do not overlap; any other number is no time.
struct TimeGuess: Hashable, Sendable {
  /// The whole numbers with this meaning: from `least` on, `width` more.
  let least: UInt64
  let width: UInt64
  /// Nanoseconds in a unit; 0 for dates.
  let unit: UInt64
  let name: String

  @inline(always)
  func covers(_ whole: UInt64) -> Bool { whole &- least <= width }

  private static let units: [(unit: UInt64, name: String)] = [
    (TimeUnit.second, "seconds since 1970"), (TimeUnit.millisecond, "milliseconds since 1970"),
    (TimeUnit.microsecond, "microseconds since 1970"), (1, "nanoseconds since 1970"),
  ]
  /// The beginning of 1990.
  static let earliest = Timestamp(ns: 631_152_000_000_000_000)

  /// The meaning of a number at the time `now`; nil if it is no time.
  init?(_ whole: UInt64, now: Timestamp, from earliest: Timestamp = Self.earliest) {
    let (tomorrow, isOver) = now.ns.addingReportingOverflow(TimeUnit.day)
    let latest = isOver ? UInt64(Int64.max) : UInt64(max(0, tomorrow))
    var above: UInt64 = 0
    for (unit, name) in Self.units {
      let least = max(UInt64(max(0, earliest.ns)) / unit, above)
      above = latest / unit + 1
      guard latest / unit >= least, whole >= least, whole <= latest / unit else { continue }
      self.init(least: least, width: latest / unit - least, unit: unit, name: name)
      return
    }
    let last = CivilDate(daysSinceEpoch: Int(latest / TimeUnit.second / 86_400)).number
    guard whole <= last, Self.date(whole) != nil else { return nil }
    self.init(least: 19_000_101, width: last - 19_000_101, unit: 0, name: "a date")
  }

  private init(least: UInt64, width: UInt64, unit: UInt64, name: String) {
    (self.least, self.width, self.unit, self.name) = (least, width, unit, name)
  }

  /// The date written as eight digits, from 1900 on.
  static func date(_ whole: UInt64) -> CivilDate? {
    guard (19_000_101...99_991_231).contains(whole) else { return nil }
    let number = Int(whole)
    return CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }

  /// A suggestion for a number that is no time by itself; empty if nothing is likely.
  static func advice(_ whole: UInt64, digits: Int, now: Timestamp) -> String {
    if [8, 12, 14].contains(digits), let date = Self.date(digits == 8 ? whole : whole / (digits == 12 ? 10_000 : 1_000_000)) {
      return "; 'time: yyyymmdd' reads it as a date, \(date.iso)"
    }
    let days = whole.multipliedReportingOverflow(by: 86_400)
    if !days.overflow, let guess = TimeGuess(days.partialValue, now: now), guess.unit == TimeUnit.second {
      return "; 'time: days' reads it as days since 1970, \(CivilDate(daysSinceEpoch: Int(whole)).iso)"
    }
    // Days since 1899-12-30, from 2009 on: smaller numbers are mostly seconds since midnight.
    if (40_000..<100_000).contains(whole), let guess = TimeGuess((whole - 25_569) * 86_400, now: now), guess.unit == TimeUnit.second {
      return "; 'time: excel' reads it as a spreadsheet's date, \(CivilDate(daysSinceEpoch: Int(whole) - 25_569).iso)"
    }
    return "; set 'time: s' (or ms, us, ns, days, yyyymmdd) to say what it is"
  }
}

extension CivilDate {
  /// 20130801
  fileprivate var number: UInt64 { UInt64(year * 10_000 + month * 100 + day) }

  /// `2013-08-01`
  var iso: String { "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)" }
}
