internal import Synchronization

/// What a topic knows of a reader regardless of the event type: the part of an inlet that hand-overs use.
///
/// A class of its own without a type parameter, because the slow paths of publishing and sleeping loop over it: in generic code each step
/// would look up types, which took longer than the steps themselves.
///
/// Unchecked because `cursor` is raw memory; what it holds is an atomic.
@usableFromInline package class Reader: @unchecked Sendable {
  /// Where the reader sleeps.
  @usableFromInline package let parker: Parker
  /// Its bit in the topic's attention word.
  let bit: Int
  /// True if the producer must not overtake it; other readers have a mailbox.
  let isLossless: Bool
  /// The number of the next event that it has not finished; for lossless readers.
  @usableFromInline let cursor: Cell
  /// The number at which the reader leaves, since the topic was cut; `Int.max` for one that stays. Set under the topic's lock.
  let leavesAt = Register(.max)

  init(_ parker: Parker, bit: Int, isLossless: Bool, at position: Int) {
    self.parker = parker
    self.bit = bit
    self.isLossless = isLossless
    cursor = makeCell(position)
  }

  deinit { cursor.deallocate() }

  /// The number that the producer must not overtake; `Int.max` for a reader that has come to where it leaves.
  var bound: Int {
    let position = cursor.pointee.load(ordering: .acquiring)
    return position < leavesAt.number ? position : .max
  }

  /// True if it wants to be woken when the topic's watermark advances.
  var isFollowing: Bool { false }

  /// Copies what the topic has published up to `end` into a lossy reader's mailbox. Returns true if the reader must be woken.
  func offer(upTo end: Int) -> Bool { false }
}
