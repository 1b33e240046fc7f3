/// What a window sums up of its values, exactly: values can be added and removed in any order.
struct Tally: BitwiseCopyable {
  /// The sum of the values, of their differences from `base`, or of the turnover.
  private(set) var sum: Int128 = 0
  /// The sum of the squares of the differences, or of the volume.
  private(set) var second: UInt128 = 0
  /// What deviations are computed from, so that squares are small; or the extreme, or the first value.
  private(set) var base: Int64 = 0
  private(set) var count: UInt32 = 0
  /// What the sum of the squares is beyond 128 bits; for a turnover 1 if it is too large; for extremes 1 if `base` is the extreme.
  private var flag: UInt32 = 0

  @inline(__always)
  mutating func add(_ statistic: Statistic, _ value: Int64, turnover: Int128 = 0) {
    switch statistic {
    case .sum, .mean, .count: sum &+= Int128(value)
    case .vwap:
      let isOver: Bool
      (sum, isOver) = sum.addingReportingOverflow(turnover)
      if isOver { flag = 1 }
      second &+= UInt128(truncatingIfNeeded: value)
    case .deviation, .score:
      if count == 0 { self = Tally(base: value) }
      spread(value, isAdded: true)
    case .highest:
      if count == 0 || (flag == 1 && value >= base) { (base, flag) = (value, 1) }
    case .lowest:
      if count == 0 || (flag == 1 && value <= base) { (base, flag) = (value, 1) }
    case .first:
      if count == 0 { base = value }
    }
    count &+= 1
  }

  @inline(__always)
  mutating func remove(_ statistic: Statistic, _ value: Int64, turnover: Int128 = 0) {
    switch statistic {
    case .sum, .mean, .count: sum &-= Int128(value)
    case .vwap:
      sum &-= turnover
      second &-= UInt128(truncatingIfNeeded: value)
    case .deviation, .score: spread(value, isAdded: false)
    case .highest, .lowest, .first:
      if value == base { flag = 0 }
    }
    count &-= 1
  }

  /// Removes several values of a sum together.
  @inline(__always)
  mutating func remove(_ values: UInt32, sum: Int128) {
    self.sum &-= sum
    count &-= values
  }

  /// The same of a turnover.
  @inline(__always)
  mutating func remove(_ values: UInt32, turnover: Int128, volume: Int128) {
    remove(values, sum: turnover)
    second &-= UInt128(truncatingIfNeeded: volume)
  }

  init(base: Int64 = 0) { self.base = base }

  private mutating func spread(_ value: Int64, isAdded: Bool) {
    let difference = Int128(value) &- Int128(base)
    let square = difference.magnitude &* difference.magnitude
    let isOver: Bool
    if isAdded {
      sum &+= difference
      (second, isOver) = second.addingReportingOverflow(square)
      flag &+= isOver ? 1 : 0
    } else {
      sum &-= difference
      (second, isOver) = second.subtractingReportingOverflow(square)
      flag &-= isOver ? 1 : 0
    }
  }

  /// True if the extreme has left the window, so that it must be looked for.
  @inline(__always) var hasLostExtreme: Bool { count > 0 && flag == 0 }

  /// Sets the extreme, or the first value, of the values in the window.
  mutating func set(extreme: Int64) { (base, flag) = (extreme, 1) }

  /// The result over the values in the window; nil if there is none. `newest` is the value that a score is about.
  @inline(__always)
  func result(_ statistic: Statistic, newest: Int64 = 0) -> Int64? {
    switch statistic {
    case .sum: return Int64(exactly: sum)
    case .count: return Int64(count) &* 1_000_000_000
    case .mean: return Rounding.quotient(sum, Int128(count))
    case .vwap: return flag > 0 ? nil : Rounding.quotient(sum, Int128(truncatingIfNeeded: second))
    case .deviation, .score: return spread(statistic, newest)
    case .highest, .lowest, .first: return count > 0 ? base : nil
    }
  }

  /// The deviation of the population, or how many of them `newest` is above the mean.
  @inline(never)
  private func spread(_ statistic: Statistic, _ newest: Int64) -> Int64? {
    if count == 0 { return nil }
    // The variance times the square of the count, in 256 bits: exact, so it does not depend on the base.
    let squares = second.multipliedFullWidth(by: UInt128(count))
    let square = sum.magnitude.multipliedFullWidth(by: sum.magnitude)
    let (low, isBorrowed) = squares.low.subtractingReportingOverflow(square.low)
    let high = squares.high &+ UInt128(flag) &* UInt128(count) &- square.high &- (isBorrowed ? 1 : 0)
    if statistic == .deviation, high == 0, let root = Rounding.root(low, per: Int(count)) { return root }
    var result = (Rounding.double(high) * 0x1p128 + Rounding.double(low)).squareRoot()
    if statistic == .deviation {
      result /= Double(count)
    } else {
      // Where nothing moves, nothing is unusual.
      if result == 0 { return nil }
      let distance = (Int128(newest) &- Int128(base)) &* Int128(count) &- sum
      result = Rounding.double(distance.magnitude) / result * (distance < 0 ? -1e9 : 1e9)
    }
    let rounded = Rounding.nearest(result)
    return rounded == .min ? nil : rounded
  }
}
