/// What a topic knows of one of its readers, whatever the events are: the part of an inlet that hand-overs touch.
///
/// A class of its own without a type parameter, because the slow halves of publishing and sleeping run over it: in generic code
/// each of their steps would look types up, which took longer than the steps do.
///
/// Unchecked because `cursor` is raw memory; it is an atomic.
public class Reader: @unchecked Sendable {
  /// Where it sleeps.
  public let parker: Parker
  /// Its bit in the topic's attention word.
  let bit: Int
  /// True where the producer may not overtake it; the others have a mailbox.
  let isLossless: Bool
  /// The number of the next event it has not done with, for the lossless.
  @usableFromInline let cursor: Cell

  init(_ parker: Parker, bit: Int, isLossless: Bool, at position: Int) {
    self.parker = parker
    self.bit = bit
    self.isLossless = isLossless
    cursor = makeCell(position)
  }

  deinit { cursor.deallocate() }

  /// Copies what the topic has published up to `end` to where a lossy reader takes it. Answers true where it must be woken.
  func offer(upTo end: Int) -> Bool { false }
}
