/// The record of one entry: its key and its position.
struct Record: BitwiseCopyable {
  /// In the tree's order: inverted when the order is descending.
  var key: Int64
  var leaf: UInt32
  /// The entry's last known index in the leaf; insertions and removals may have moved it since.
  var hint: UInt32

  /// The record of an entry that is not in the order: the first leaf, which always exists, and an index that no leaf has. A look-up with it
  /// finds another entry, so no check is needed before it.
  static var absent: Record { Record(key: 0, leaf: 0, hint: .max) }

  var isPresent: Bool {
    @inline(__always) get { hint != .max }
  }
}
