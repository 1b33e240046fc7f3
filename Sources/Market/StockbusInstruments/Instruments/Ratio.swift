package import StockbusPlugin

/// An exact positive ratio in lowest terms: `7:1`.
package struct Ratio: BitwiseCopyable, Hashable, Sendable {
  package let numerator: Int64
  package let denominator: Int64

  package static let one = Ratio(unchecked: 1, 1)

  /// Nil unless both are positive.
  package init?(_ numerator: Int64, _ denominator: Int64) {
    guard numerator > 0, denominator > 0 else { return nil }
    var (a, b) = (numerator, denominator)
    while b != 0 { (a, b) = (b, a % b) }
    self.init(unchecked: numerator / a, denominator / a)
  }

  private init(unchecked numerator: Int64, _ denominator: Int64) {
    self.numerator = numerator
    self.denominator = denominator
  }

  package var inverse: Ratio { Ratio(unchecked: denominator, numerator) }

  /// The product; nil if it does not fit.
  package func times(_ other: Ratio) -> Ratio? {
    // The factors are reduced crosswise, so that only results that do not fit overflow.
    guard let a = Ratio(numerator, other.denominator), let b = Ratio(other.numerator, denominator) else { return nil }
    let (top, o1) = a.numerator.multipliedReportingOverflow(by: b.numerator)
    let (bottom, o2) = a.denominator.multipliedReportingOverflow(by: b.denominator)
    return o1 || o2 ? nil : Ratio(unchecked: top, bottom)
  }

  /// `raw` times this ratio, rounded once, half to even; nil if it does not fit.
  package func applied(to raw: Int64) -> Int64? {
    let product = Int128(raw) * Int128(numerator)
    let divisor = Int128(denominator)
    var (quotient, rest) = product.quotientAndRemainder(dividingBy: divisor)
    let twice = rest.magnitude * 2
    if twice > divisor.magnitude || (twice == divisor.magnitude && quotient & 1 != 0) { quotient += product < 0 ? -1 : 1 }
    return Int64(exactly: quotient)
  }
}

extension Ratio: CustomStringConvertible {
  package var description: String { "\(numerator):\(denominator)" }
}

/// A split: from the beginning of `date` on there are `ratio` new shares for each old one, such as 7:1, or 1:20 for a reverse split.
package struct Split: BitwiseCopyable, Hashable, Sendable {
  /// The first trading date with the new shares (the ex-date).
  package let date: TradingDate
  package let ratio: Ratio

  package init(date: TradingDate, ratio: Ratio) {
    self.date = date
    self.ratio = ratio
  }
}

extension Split: ScalarOption {
  /// The largest number on either side.
  static let limit: Int64 = 1_000_000

  package init(option text: String) throws(OptionTextError) {
    let parts = text.split(separator: " ")
    guard parts.count == 2 else { throw .mismatch }
    let date = try TradingDate(option: String(parts[0]))
    let sides = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    guard sides.count == 2, sides.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 &- 48 < 10 } }) else { throw .mismatch }
    guard let new = Int64(sides[0]), let old = Int64(sides[1]), new <= Self.limit, old <= Self.limit, let ratio = Ratio(new, old) else {
      throw .because("both sides of a ratio are whole numbers from 1 to 1,000,000")
    }
    self.init(date: date, ratio: ratio)
  }
  package static var optionType: OptionType {
    OptionType("split", plural: "splits", phrase: "a date with a ratio of new to old shares such as 2014-06-09 7:1")
  }
  package static var optionSample: String { "2014-06-09 7:1" }
  package static var optionSchema: JSONValue { OptionPattern.text("[0-9]{4}-[0-9]{2}-[0-9]{2} +[0-9]+:[0-9]+") }
  package var optionText: String { "\(date) \(ratio)" }
}
