/// A point in time in nanoseconds since 1970-01-01T00:00:00Z, without leap seconds; the range is 1677 to 2262.
public struct Timestamp: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// Nanoseconds since the epoch; negative before it.
  public var ns: Int64

  /// `ns` nanoseconds after the epoch.
  @inlinable public init(ns: Int64) { self.ns = ns }

  @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool { a.ns < b.ns }
}

extension Timestamp: CustomStringConvertible {
  /// ISO-8601 in UTC with as many decimals of a second as needed, in groups of three: `2013-10-08T13:30:00.012Z`.
  public var description: String {
    var out = ByteWriter(capacity: 48)
    out.put(iso8601: self, form: .shortest)
    return out.string
  }

  /// The time of day in UTC to milliseconds, truncated, for people: `13:30:00.012`.
  public var timeOfDay: String {
    var out = ByteWriter(capacity: 48)
    out.put(iso8601: self, form: .milliseconds)
    return String(out.string.dropFirst(11).dropLast())
  }

  /// The time that `text` represents in ISO-8601 with a zone (`Z` or `+02:00`); nothing may precede or follow it.
  public init(iso8601 text: String) throws(TextError) {
    var text = text
    let result: Result<Timestamp, TextError> = text.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      do throws(TextError) {
        let time = try reader.iso8601()
        try reader.expectEnd()
        return .success(time)
      } catch { return .failure(error) }
    }
    self = try result.get()
  }
}

/// A date in the proleptic Gregorian calendar.
public struct CivilDate: Hashable, Sendable {
  public let year: Int
  public let month: Int
  public let day: Int

  /// Nil if there is no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date `days` days after 1970-01-01. Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
  public init(daysSinceEpoch days: Int) {
    let z = days + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days from 1970-01-01 to this date. The same paper, days_from_civil.
  public var daysSinceEpoch: Int {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
