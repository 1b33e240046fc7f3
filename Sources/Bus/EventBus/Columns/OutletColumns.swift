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
  @usableFromInline let batch: BatchColumns?
  let layout: ColumnLayout
  /// The number before which rows hold nothing of a lap ago.
  private var cleared: Int

  init(_ rows: UnsafeMutablePointer<Int64>, _ layout: ColumnLayout, _ mask: Int, next: Int, _ batch: BatchColumns?) {
    self.rows = rows
    self.layout = layout
    width = layout.columns.count
    self.mask = mask
    self.batch = batch
    cleared = next
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
    cleared = next
    clear(from: next, upTo: limit)
  }
}
