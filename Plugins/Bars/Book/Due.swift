/// A moment at which bars are due, with the list of these bars.
struct Due: BitwiseCopyable {
  var moment: Int64
  /// The first of the list.
  var cell: UInt32
  var count: UInt32
  /// The least and the greatest of their keys.
  var leastKey: UInt32
  var greatestKey: UInt32
}
