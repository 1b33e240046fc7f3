/// What is known of one entry: its key and where it is.
struct Record: BitwiseCopyable {
  /// As the tree orders it: inverted when the order is descending.
  var key: Int64
  var leaf: UInt32
  /// Its last known index in the leaf. Others that came or went may have pushed it since.
  var hint: UInt32

  /// No leaf has this number.
  static var noLeaf: UInt32 { .max }
  /// What is known of an entry that is not in the order.
  static var absent: Record { Record(key: 0, leaf: noLeaf, hint: 0) }

  var isPresent: Bool {
    @inline(__always) get { leaf != Self.noLeaf }
  }
}
