internal import MarketData

/// A number of events per period, written `1000/s`, `60/m`, `10/100ms`, or `max` for no limit.
///
/// Rates are equal if they are equally fast, as `60/m` and `1/s` are.
public struct Rate: Hashable, Comparable, Sendable {
  /// Events in each period; 0 if there is no limit.
  public let count: Int
  private let nanoseconds: Int64

  /// The rate without a limit: as fast as possible.
  public static let max = Rate(unchecked: 0, 1)

  /// `count` events in each `period`; nil unless `count` is at least 1 and the period is 1 ns to 366 days, in whole nanoseconds.
  public init?(_ count: Int, per period: Duration) {
    let nanoseconds = period.wholeNanoseconds
    guard count >= 1, period >= .nanoseconds(1), period <= Self.longest, period == .nanoseconds(nanoseconds) else { return nil }
    self.init(unchecked: count, nanoseconds)
  }

  /// `count` events per second. Traps if `count` is less than 1.
  public static func perSecond(_ count: Int) -> Rate {
    precondition(count >= 1, "a rate is at least one event")
    return Rate(unchecked: count, 1_000_000_000)
  }

  private init(unchecked count: Int, _ nanoseconds: Int64) {
    self.count = count
    self.nanoseconds = nanoseconds
  }

  private static let longest = Duration.seconds(366 * 86_400)

  /// The time in which `count` events may occur.
  public var period: Duration { .nanoseconds(nanoseconds) }
  /// True for `max`.
  public var isUnlimited: Bool { count == 0 }
  /// The time from one event to the next, rounded down to the attosecond; zero if there is no limit.
  public var interval: Duration { isUnlimited ? .zero : period / count }

  // At most 2^63 events by 366 days of nanoseconds: 118 bits.
  private static func product(_ a: Rate, _ b: Rate) -> Int128 { Int128(a.count) * Int128(b.nanoseconds) }

  public static func == (a: Rate, b: Rate) -> Bool {
    a.isUnlimited || b.isUnlimited ? a.isUnlimited == b.isUnlimited : product(a, b) == product(b, a)
  }
  public static func < (a: Rate, b: Rate) -> Bool {
    a.isUnlimited || b.isUnlimited ? !a.isUnlimited && b.isUnlimited : product(a, b) < product(b, a)
  }
  public func hash(into hasher: inout Hasher) {
    var (a, b) = (Int64(count), nanoseconds)
    while b != 0 { (a, b) = (b, a % b) }
    hasher.combine(isUnlimited ? 0 : Int64(count) / a)
    hasher.combine(isUnlimited ? 0 : nanoseconds / a)
  }
}

extension Rate: CustomStringConvertible {
  public var description: String {
    if isUnlimited { return "max" }
    let period = period.optionText
    // `1s` is shortened to `/s`, but not `1m30s` or `1.5s`.
    let isUnit = period.first == "1" && period.dropFirst().allSatisfy(\.isLetter)
    return "\(count)/\(isUnit ? String(period.dropFirst()) : period)"
  }
}

extension Rate: ScalarOption {
  public init(option text: String) throws(OptionTextError) {
    if text == "max" {
      self = .max
      return
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let number = parts.first, !number.isEmpty, number.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw text.lowercased() == "max" ? .hint("write max") : .mismatch
    }
    guard let count = Int(number) else { throw .because("too many") }
    guard parts.count == 2 else { throw .hint("write a unit, such as \(count)/s") }
    guard count >= 1 else { throw .because("the least is one event") }
    let written = String(parts[1])
    let period: Duration
    do throws(OptionTextError) {
      period = try Duration(option: written.first?.isNumber == true ? written : "1" + written)
    } catch {
      throw .hint("units are d, h, m, s, ms, us and ns")
    }
    guard let rate = Rate(count, per: period) else { throw .because("its period must be 1ns to 366d, in whole nanoseconds") }
    self = rate
  }

  public static var optionType: OptionType { OptionType("rate", plural: "rates", phrase: "a rate such as 1000/s, or max") }
  public static var optionSample: String { "1000/s" }
  public static var optionSchema: JSONValue { OptionSchema.text(#"max|[0-9]+/([0-9]|d|h|ms|m|us|µs|μs|ns|s).*"#) }
  public var optionText: String { description }
}
