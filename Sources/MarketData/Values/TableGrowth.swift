/// The growth rule for tables that are indexed by a symbol's handle or any other dense number.
///
/// If an index is missing, a table doubles its length, to at least 64 places and at least to the index. So growing one by one has constant
/// cost per place, and a table is never longer than twice its highest index or 64; by symbol, twice `Symbol.limit`.
@usableFromInline
package enum TableGrowth {
  /// The new length of a table of `count` places, so that it contains `index`, which it does not yet.
  @usableFromInline
  package static func length(of count: Int, toHold index: Int) -> Int { max(index + 1, 2 * count, 64) }
}

extension RangeReplaceableCollection where Self: RandomAccessCollection, Index == Int {
  /// Makes `index` valid, if it is not yet; new places hold `value`.
  @inlinable
  package mutating func grow(toHold index: Int, filling value: Element) {
    let old = count
    if index >= old { append(contentsOf: repeatElement(value, count: TableGrowth.length(of: old, toHold: index) - old)) }
  }
}
