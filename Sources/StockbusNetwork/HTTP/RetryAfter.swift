package import MarketData

/// The pause that a server asks for in `Retry-After` (RFC 9110, section 10.2.3), in seconds or as a date.
package enum RetryAfter {
  /// The pause from `now`, never negative; nil if the value is not valid.
  package static func pause(_ value: String, now: Timestamp) -> Duration? {
    let text = value.trimming()
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
      // More digits than any sensible value has: the pause is clamped.
      return .seconds(text.utf8.count > 9 ? 999_999_999 : Int(text) ?? 0)
    }
    guard let date = HTTPDate.parse(text) else { return nil }
    return date.ns <= now.ns ? .zero : .nanoseconds(date.ns - now.ns)
  }
}

/// The three forms of a date in HTTP (RFC 9110, section 5.6.7).
enum HTTPDate {
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`; nil for any other form.
  static func parse(_ text: String) -> Timestamp? {
    guard text.utf8.count <= 64 else { return nil }
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    guard words.count == 5 || words.count == 6 else { return nil }
    // Only the form of asctime has the month directly after the day's name.
    if month(words[1]) != nil {
      guard words.count == 5 else { return nil }
      return time(day: words[2], month: words[1], year: words[4], clock: words[3])
    }
    guard words.count == 6, words[5] == "GMT" else { return nil }
    return time(day: words[1], month: words[2], year: words[3], clock: words[4])
  }

  private static func month(_ name: String) -> Int? {
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].firstIndex(of: name).map { $0 + 1 }
  }

  private static func time(day: String, month name: String, year: String, clock: String) -> Timestamp? {
    guard let month = month(name), let day = number(day, 1...31), var fullYear = number(year, 0...9999) else { return nil }
    // RFC 9110: a two-digit year that seems more than 50 years ahead belongs to the past century; here that begins with 70.
    if year.utf8.count == 2 { fullYear += fullYear < 70 ? 2000 : 1900 }
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let hour = number(parts[0], 0...23), let minute = number(parts[1], 0...59),
      let second = number(parts[2], 0...60), (1678...2261).contains(fullYear),
      let date = CivilDate(year: fullYear, month: month, day: day)
    else { return nil }
    let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second
    return Timestamp(ns: Int64(seconds) * 1_000_000_000)
  }

  private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 4, text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text) else { return nil }
    return range.contains(value) ? value : nil
  }
}

extension String {
  fileprivate func trimming() -> String {
    String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
