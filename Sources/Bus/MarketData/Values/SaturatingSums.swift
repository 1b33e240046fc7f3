extension FixedWidthInteger {
  /// The sum, or the limit that it exceeds.
  @inlinable @inline(__always)
  package func addingSaturating(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? Self.limit(upward: other > 0) : sum
  }

  /// The difference, or the limit that it exceeds.
  @inlinable @inline(__always)
  package func subtractingSaturating(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? Self.limit(upward: other < 0) : difference
  }

  /// A separate function, so that a sum that fits costs only one branch that is not taken.
  @usableFromInline @inline(never)
  static func limit(upward: Bool) -> Self { upward ? .max : .min }
}
