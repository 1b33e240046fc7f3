/// What is known of one entry: its key and where it is.
struct Record: BitwiseCopyable {
  /// As the tree orders it: inverted when the order is descending.
  var key: Int64
  var leaf: UInt32
  /// Its last known index in the leaf. Others that came or went may have pushed it since.
  var hint: UInt32

  /// What is known of an entry that is not in the order: the first leaf, which there always is, and no index of any leaf. Whoever looks
  /// for it where the record says finds another entry, without having asked first.
  static var absent: Record { Record(key: 0, leaf: 0, hint: .max) }

  var isPresent: Bool {
    @inline(__always) get { hint != .max }
  }
}
