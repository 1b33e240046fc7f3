/// A moment at which bars are due, with the list of these bars.
struct Due: BitwiseCopyable {
  var moment: Int64
  /// The first bar of the list.
  var cell: UInt32
  var count: UInt32
  /// The least and the greatest of their keys.
  var leastKey: UInt32
  var greatestKey: UInt32

  /// Puts a bar in front of the list.
  @inline(__always)
  mutating func add(_ cell: Int, _ key: UInt32) {
    self.cell = UInt32(truncatingIfNeeded: cell)
    count += 1
    leastKey = min(leastKey, key)
    greatestKey = max(greatestKey, key)
  }
}
