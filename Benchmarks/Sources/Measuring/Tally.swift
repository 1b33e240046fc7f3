/// The events that a reader has got: their number, a sum over them, and whether they were consecutive.
///
/// The work and the checks are the same in all compared programs.
public struct Tally: Sendable {
  public var count = 0
  public var sum: Int64 = 0
  public var misplaced = 0

  @inlinable public init() {}

  /// Event number `number`, counted from 0.
  @inlinable @inline(__always)
  public mutating func add(number: Int64, price: Int64, size: Int64) {
    sum &+= price ^ size
    if number != Int64(truncatingIfNeeded: count) { misplaced &+= 1 }
    count &+= 1
  }

  public func add(to report: inout Report) {
    report.add("events", count)
    report.add("sum", Int(sum))
    report.add("misplaced", misplaced)
  }
}
