/// How tables by number grow: by a symbol's handle, or whatever else is dense and counts up.
///
/// Where a place is missing a table becomes twice as long, at least 64 places and at least as long as it takes. So growing place by place
/// costs a constant each, and a table is never longer than twice its highest number or 64: by symbol, than twice `Symbol.limit`.
@usableFromInline
package enum TableGrowth {
  /// How long a table of `count` places becomes, so that it has a place `index`, which it has not yet.
  @usableFromInline
  package static func length(of count: Int, toHold index: Int) -> Int { max(index + 1, 2 * count, 64) }
}

extension RangeReplaceableCollection where Self: RandomAccessCollection, Index == Int {
  /// Gives the table a place `index`, if it has none yet; new places hold `value`.
  @inlinable
  package mutating func grow(toHold index: Int, filling value: Element) {
    let old = count
    if index >= old { append(contentsOf: repeatElement(value, count: TableGrowth.length(of: old, toHold: index) - old)) }
  }
}
