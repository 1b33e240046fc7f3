import ArgumentParser
import StockbusPlugin

/// Whole numbers as arguments; a number out of its range is answered with the range. Their options take the next word whatever it begins
/// with, or a negative number would be taken for an option.
enum NumberArgument {
  /// What reads one of `range`.
  static func of(_ range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
    { text in
      if let number = Int(text), range.contains(number) { return number }
      let bounds = range.upperBound == .max ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
      throw ValidationError("write a whole number \(bounds), without other marks")
    }
  }
}
