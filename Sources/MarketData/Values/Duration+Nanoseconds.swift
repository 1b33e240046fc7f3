extension Duration {
  /// Whole nanoseconds, as `Timestamp` and the system's clocks count. A fraction is cut off, towards zero; what 64 bits do not hold
  /// (some 292 years) is the nearest that they do.
  package var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
