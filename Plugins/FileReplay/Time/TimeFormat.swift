internal import MarketData

/// How times are written in a file.
enum TimeFormat: Hashable, Sendable, CaseIterable {
  /// ISO-8601 or a date if the text has that form, otherwise a number whose meaning follows from its size: see `TimeGuess`.
  case auto
  /// `2013-10-08T13:30:00.012Z`, up to nine decimals; without a zone the zone option must be given.
  case iso8601
  /// `2008-01-02`: the first moment of that day in the zone option, or in UTC without one.
  case date
  /// A date without separators, perhaps with the time of day: `20080102`, `20080102093000`, `20080102 093000`.
  case compact
  /// Days since 1970: the first moment of that day in the zone option, or in UTC without one.
  case days
  /// Days since 1899-12-30 by the clock of the zone option, as spreadsheets store times: `45293.3958333333`; read to the millisecond.
  case excel
  case seconds, milliseconds, microseconds, nanoseconds
  /// The time elapsed since midnight of the date option in the zone option. This is not the local time: on the day when clocks go forward,
  /// 09:30 is 8.5 hours after midnight.
  case secondsSinceMidnight, millisecondsSinceMidnight, microsecondsSinceMidnight, nanosecondsSinceMidnight
  /// As a `TimePattern` says.
  case pattern

  /// The formats that have a name.
  static var named: [TimeFormat] { allCases.filter { $0 != .pattern } }

  /// The format's name in options.
  var name: String {
    switch self {
    case .auto: "auto"
    case .iso8601: "iso8601"
    case .date: "date"
    case .compact: "yyyymmdd"
    case .days: "days"
    case .excel: "excel"
    case .pattern: "pattern"
    case .seconds: "s"
    case .milliseconds: "ms"
    case .microseconds: "us"
    case .nanoseconds: "ns"
    case .secondsSinceMidnight: "s since midnight"
    case .millisecondsSinceMidnight: "ms since midnight"
    case .microsecondsSinceMidnight: "us since midnight"
    case .nanosecondsSinceMidnight: "ns since midnight"
    }
  }

  /// The format with this name; nil if there is none.
  init?(_ name: String) {
    guard let found = Self.named.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// The format that was probably meant by a word that names none.
  static func meant(by text: String) -> TimeFormat? {
    let word = text.lowercased()
    if let same = Self(word) { return same }
    let others: [(TimeFormat, [String])] = [
      (.seconds, ["sec", "second", "seconds", "epoch", "unix", "unixtime", "timestamp"]),
      (.milliseconds, ["milli", "millis", "millisecond", "milliseconds", "msec"]),
      (.microseconds, ["micro", "micros", "microsecond", "microseconds", "usec", "µs"]),
      (.nanoseconds, ["nano", "nanos", "nanosecond", "nanoseconds", "nsec"]),
      (.iso8601, ["iso", "iso-8601", "datetime", "rfc3339"]), (.date, ["day"]),
      (.excel, ["serial", "ole", "oadate", "spreadsheet", "sheets"]),
      (.compact, ["yyyymmddhhmmss", "yyyymmdd hhmmss", "%y%m%d", "%y%m%d%h%m%s", "yyyymmddhhmm"]),
    ]
    if let other = others.first(where: { $0.1.contains(word) }) { return other.0 }
    // Two letters are too few: many formats differ from them by one letter.
    return word.utf8.count < 3 ? nil : suggestion(for: word, among: named.filter { $0 != .compact }.map(\.name)).flatMap { Self($0) }
  }

  /// Nanoseconds in the unit; nil for formats that are not plain numbers.
  var unit: UInt64? {
    switch self {
    case .auto, .iso8601, .date, .compact, .days, .excel, .pattern: nil
    case .seconds, .secondsSinceMidnight: TimeUnit.second
    case .milliseconds, .millisecondsSinceMidnight: TimeUnit.millisecond
    case .microseconds, .microsecondsSinceMidnight: TimeUnit.microsecond
    case .nanoseconds, .nanosecondsSinceMidnight: 1
    }
  }

  /// True if the format has numbers as times.
  var readsNumbers: Bool { self != .iso8601 && self != .date && self != .pattern }

  var isSinceMidnight: Bool {
    switch self {
    case .secondsSinceMidnight, .millisecondsSinceMidnight, .microsecondsSinceMidnight, .nanosecondsSinceMidnight: true
    default: false
    }
  }
}

/// A value of the option `time`: a format's name, or a pattern.
struct TimeForm: Hashable, Sendable {
  var format: TimeFormat
  var pattern: TimePattern?

  static let auto = TimeForm(.auto)

  init(_ format: TimeFormat) { self.format = format }

  init(_ pattern: TimePattern) { (format, self.pattern) = (.pattern, pattern) }

  /// The value as it is written in a configuration.
  var name: String { pattern?.text ?? format.name }

  /// True if times are only times of day, counted from midnight of the option `date` or shown by a clock on it.
  var needsDate: Bool { format.isSinceMidnight || pattern.map { !$0.hasDate } ?? false }
  /// True if times are dates only.
  var areDates: Bool { format == .date || pattern.map { !$0.hasClock } ?? false }
}

/// How times finer than a nanosecond are treated, because event times have nanoseconds.
enum FinerTimes: String, Hashable, Sendable, CaseIterable {
  /// The row is malformed.
  case reject
  /// Rounded down to the nanosecond.
  case truncate
}

/// Nanoseconds in a unit of time.
enum TimeUnit {
  static let second: UInt64 = 1_000_000_000
  static let millisecond: UInt64 = 1_000_000
  static let microsecond: UInt64 = 1000
  static let day: Int64 = 86_400_000_000_000
}
