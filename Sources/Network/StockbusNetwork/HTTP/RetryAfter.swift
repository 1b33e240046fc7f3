package import MarketData

/// The time that a server asks its client to wait, by `Retry-After` (RFC 9110, section 10.2.3).
///
/// The value is in seconds, from some servers with decimals, or a date, or, from other servers, a date in seconds since 1970. A date is
/// compared with the response's own `Date`, because the server's clock may differ from ours, or, without it, with the run's clock.
package struct RetryAfter: Sendable, Hashable {
  /// The longest pause, whatever a server asks for: a day.
  package static let longest = Duration.seconds(86_400)

  /// The pause that the server asks for, never negative.
  package let asked: Duration

  package init(_ asked: Duration) { self.asked = max(.zero, asked) }

  /// Reads the field's value; nil if it is not valid.
  ///
  /// - Parameters:
  ///   - date: the value of the response's `Date`.
  ///   - now: the run's time.
  package init?(_ value: String, date: String? = nil, now: Timestamp) {
    let text = value.trimmed
    let now = Duration.nanoseconds((date.flatMap { HTTPDate.parse($0.trimmed) } ?? now).ns)
    if let seconds = Self.seconds(text) {
      // As a pause the number would be between 30 and 300 years.
      self.init(seconds >= .seconds(1_000_000_000) && seconds < .seconds(10_000_000_000) ? seconds - now : seconds)
    } else if let due = HTTPDate.parse(text) {
      self.init(.nanoseconds(due.ns) - now)
    } else {
      return nil
    }
  }

  /// The pause before the client's next request.
  package var pause: Duration { min(asked, Self.longest) }

  /// A number of seconds such as `17` or `2.75`. Digits beyond eleven before the point, or nine after it, do not matter: pauses are
  /// limited, and no clock is so exact.
  private static func seconds(_ text: String) -> Duration? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
    let whole = Int(parts[0].drop { $0 == "0" }.prefix(12)) ?? 0
    let fraction = parts.count == 2 ? Int(parts[1].prefix(9)) ?? 0 : 0
    var unit = 1_000_000_000
    if parts.count == 2 { for _ in parts[1].prefix(9) { unit /= 10 } }
    return .seconds(min(whole, 99_999_999_999)) + .nanoseconds(fraction * unit)
  }
}

extension RetryAfter: CustomStringConvertible {
  /// A description such as `asked to wait 8 s`; with the limit if the server asks for more.
  package var description: String {
    "asked to wait \(Self.words(asked))" + (asked > Self.longest ? ", which waits \(Self.words(Self.longest)) at most" : "")
  }

  private static func words(_ duration: Duration) -> String {
    let ms = Int(clamping: duration.wholeNanoseconds / 1_000_000)
    if ms % 1000 == 0 { return "\(ms / 1000) s" }
    var decimals = String(ms % 1000 + 1000).dropFirst()
    while decimals.last == "0" { decimals = decimals.dropLast() }
    return "\(ms / 1000).\(decimals) s"
  }
}

extension HTTPResponse {
  /// The time that the server asks its client to wait; nil if the response contains none.
  package func retryAfter(now: Timestamp) -> RetryAfter? {
    fields["Retry-After"].flatMap { RetryAfter($0, date: fields["Date"], now: now) }
  }
}

/// The three forms of a date in HTTP (RFC 9110, section 5.6.7).
enum HTTPDate {
  /// The time of `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`; nil for any other form.
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
