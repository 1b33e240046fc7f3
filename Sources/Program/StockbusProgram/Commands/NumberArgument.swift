import ArgumentParser
import StockbusPlugin

/// Whole numbers as arguments; the error for a number out of range states the range. Such options must take the next word unconditionally,
/// because otherwise a negative number would be parsed as an option.
package enum NumberArgument {
  /// A parser for numbers in `range`.
  package static func of(_ range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
    { text in
      if let number = Int(text), range.contains(number) { return number }
      let bounds = range.upperBound == .max ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
      throw ValidationError("write a whole number \(bounds)")
    }
  }
}
