package import MarketData
internal import StockbusInstruments

/// The last bars of every symbol, for candles.
package struct BarSeries {
  /// Bars stored for a symbol and length.
  package static let length = 512
  /// Lengths stored for a symbol; bars of further lengths are not stored.
  package static let lengths = 8

  /// Bars by row and length, ascending by time; up to twice `length`, so that old bars are seldom removed.
  private var series: [Int: [BarLength: [Bar]]] = [:]
  /// The bytes that the bars take.
  private(set) var bytes = 0

  package init() {}

  /// A reissued bar replaces the stored bar of the same time.
  package mutating func add(_ bar: Bar, to row: Int) {
    if series[row]?[bar.length] == nil, series[row]?.count == Self.lengths { return }
    bytes &+= series[row, default: [:]][bar.length, default: []].add(bar, keeping: Self.length)
  }

  /// Removes the older half of the bars of each length; returns the number of removed bars.
  mutating func halve(_ row: Int) -> Int {
    guard let old = series[row] else { return 0 }
    var removed = 0
    for (length, bars) in old {
      let left = bars.count / 2
      removed += bars.count - left
      bytes &-= bars.bytes
      let kept = Array(bars.suffix(left))
      bytes &+= kept.bytes
      series[row]?[length] = kept.isEmpty ? nil : kept
    }
    return removed
  }

  /// Converts the prices of a row's bars to the new shares; a bar with a price out of range is dropped. Volumes stay as they are.
  mutating func apply(_ split: PriceSplit, to row: Int) {
    guard let known = series[row] else { return }
    series[row] = known.mapValues { bars in
      let adjusted = bars.compactMap { split.adjust($0) }
      bytes &+= adjusted.bytes &- bars.bytes
      return adjusted
    }
  }

  /// The lengths with bars, the shortest first.
  package func lengths(of row: Int) -> [BarLength] { (series[row]?.keys).map { $0.sorted() } ?? [] }

  /// The last bars, the newest last.
  package func last(_ length: BarLength, of row: Int) -> ArraySlice<Bar> { (series[row]?[length] ?? []).suffix(Self.length) }
}

extension [Bar] {
  fileprivate var bytes: Int { capacity &* MemoryLayout<Bar>.stride }

  /// Returns the number of bytes by which the storage has grown.
  fileprivate mutating func add(_ bar: Bar, keeping length: Int) -> Int {
    let before = bytes
    var at = count
    while at > 0, self[at - 1].time > bar.time { at -= 1 }
    if at > 0, self[at - 1].time == bar.time { self[at - 1] = bar } else { insert(bar, at: at) }
    if count >= 2 * length { removeFirst(count - length) }
    return bytes &- before
  }
}
