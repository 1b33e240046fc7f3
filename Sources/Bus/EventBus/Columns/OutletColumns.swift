/// The rows of a topic, as its outlet writes them.
///
/// Unchecked because it has raw memory, which only the one outlet of the topic writes, before the events are committed.
@usableFromInline
final class OutletColumns: @unchecked Sendable {
  /// The row of each slot.
  @usableFromInline let rows: UnsafeMutablePointer<Int64>
  @usableFromInline let width: Int
  @usableFromInline let mask: Int
  /// The columns of the batch that is passed on; nil if there are none.
  /// Unchecked because it is read for each run that is passed on; only the one outlet uses it.
  @exclusivity(unchecked) @usableFromInline private(set) var batch: BatchColumns?
  let layout: ColumnLayout
  /// The number before which rows hold nothing of a lap ago.
  private var cleared = 0
  /// The rows of the events in the spill, as far as they have one: those at the end may have none.
  private var aside: [Int64] = []

  init(_ rows: UnsafeMutablePointer<Int64>, _ layout: ColumnLayout, _ mask: Int) {
    self.rows = rows
    self.layout = layout
    width = layout.columns.count
    self.mask = mask
  }

  /// Called when another outlet begins, with the number of its first event.
  func begin(at next: Int, upTo limit: Int, passing batch: BatchColumns?) {
    self.batch = batch
    rollBack(to: next, limit)
  }

  /// The row of event `number`.
  @inlinable @inline(__always)
  func row(_ number: Int) -> UnsafeMutablePointer<Int64> { rows + (number & mask) &* width }

  /// Takes the values of a lap ago away, up to the number before which writing must stop.
  func clear(from next: Int, upTo limit: Int) {
    var at = max(cleared, next)
    cleared = max(cleared, limit)
    while at < limit {
      let n = min(limit &- at, mask &+ 1 &- (at & mask))
      row(at).update(repeating: ColumnLayout.missing, count: n &* width)
      at &+= n
    }
  }

  /// Takes the values of events away that were not committed.
  func rollBack(to next: Int, _ limit: Int) {
    aside = []
    cleared = next
    clear(from: next, upTo: limit)
  }

  /// Calls `body` with the row of the last of `count` events in the spill.
  func withLastAside(of count: Int, _ body: (UnsafeMutablePointer<Int64>) -> Void) {
    while aside.count < count * width { aside.append(contentsOf: repeatElement(ColumnLayout.missing, count: width)) }
    let at = (count - 1) * width
    aside.withUnsafeMutableBufferPointer { body($0.baseAddress.unsafelyUnwrapped + at) }
  }

  /// Moves the rows of the oldest events of the spill, which has `count`, to those of the events from `next` on, which are contiguous.
  @usableFromInline
  func moveAside(atMost n: Int, of count: Int, to next: Int) {
    let (n, to) = (min(n, count), row(next))
    for i in 0..<(n * width) { to[i] = i < aside.count ? aside[i] : ColumnLayout.missing }
    aside.removeFirst(min(aside.count, n * width))
  }
}
