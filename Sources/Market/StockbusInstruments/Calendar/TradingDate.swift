package import StockbusPlugin

/// A date of trading, without a time zone: the day that a calendar assigns to a session.
///
/// It is a number of days, so that comparing and counting take one instruction.
package struct TradingDate: BitwiseCopyable, Hashable, Sendable {
  /// Days from 1970-01-01.
  package let days: Int32

  /// `days` days after 1970-01-01.
  @inlinable package init(days: Int32) { self.days = days }

  package init(_ date: CivilDate) { days = Int32(clamping: date.daysSinceEpoch) }

  /// Nil if there is no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
    self.init(date)
  }

  package var civil: CivilDate { CivilDate(daysSinceEpoch: Int(days)) }
  /// 1970-01-01 was a Thursday.
  package var weekday: Weekday { Weekday(rawValue: (Int(days) + 3).remainder(by: 7)) ?? .monday }
  /// The Monday of its week.
  package var monday: TradingDate { advanced(by: -weekday.rawValue) }

  /// The date `count` days later, or earlier if it is negative.
  package func advanced(by count: Int) -> TradingDate { TradingDate(days: Int32(clamping: Int(days) + count)) }
}

extension TradingDate: Comparable {
  @inlinable package static func < (a: TradingDate, b: TradingDate) -> Bool { a.days < b.days }
}

extension TradingDate: CustomStringConvertible {
  /// The date as text: `2013-10-08`.
  package var description: String { civil.optionText }
}

extension TradingDate: ScalarOption {
  /// The dates that options may name: all full years in the range of `Timestamp`.
  private static let allowed = 1678...2261

  package init(option text: String) throws(OptionTextError) {
    let date = try CivilDate(option: text)
    guard Self.allowed.contains(date.year) else { throw .because("dates are from 1678 to 2261") }
    self.init(date)
  }
  package static var optionType: OptionType { CivilDate.optionType }
  package static var optionSample: String { CivilDate.optionSample }
  package static var optionSchema: JSONValue { OptionPattern.text("[0-9]{4}-[0-9]{2}-[0-9]{2}") }
  package var optionText: String { description }
}

/// Schemas of this module's scalar options.
enum OptionPattern {
  /// A text of this form, or with a variable.
  static func text(_ pattern: String) -> JSONValue { ["type": "string", "pattern": .string("^(\(pattern))$|\\$\\{")] }
}

extension Int {
  /// Floor division, which also rounds negative numbers down.
  func quotient(by divisor: Int) -> Int { self / divisor - (self % divisor < 0 ? 1 : 0) }
  func remainder(by divisor: Int) -> Int { (self % divisor + divisor) % divisor }
}

/// Written as the number of days.
extension TradingDate: Codable {
  package init(from decoder: any Decoder) throws { days = try Int32(from: decoder) }
  package func encode(to encoder: any Encoder) throws { try days.encode(to: encoder) }
}
