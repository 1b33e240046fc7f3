package import MarketData

/// The last trades of every symbol.
package struct Tape {
  package struct Print: Hashable {
    package var time = Timestamp(ns: 0)
    package var price = Price(raw: 0)
    package var size = Quantity(raw: 0)
    package var side = Side.unknown
    package var decimals: UInt8 = 0
    package var sizeDecimals: UInt8 = 0
  }

  /// Trades stored for a symbol; a power of two.
  package static let length = 32
  /// Trades of further symbols are not stored.
  package static let limit = 2048

  /// `length` places for each row, used in turn.
  private var prints: ContiguousArray<Print> = []
  private var counts: ContiguousArray<Int> = []

  package init() {}

  @inline(__always)
  package mutating func add(_ print: Print, to row: Int) {
    if row >= counts.count {
      if row >= Self.limit { return }
      grow(to: row)
    }
    let count = counts[row]
    prints[row * Self.length + count & (Self.length - 1)] = print
    counts[row] = count &+ 1
  }

  @inline(never)
  private mutating func grow(to row: Int) {
    let rows = max(row + 1, min(Self.limit, counts.count * 2))
    counts.append(contentsOf: repeatElement(0, count: rows - counts.count))
    prints.append(contentsOf: repeatElement(Print(), count: rows * Self.length - prints.count))
  }

  /// How many trades of a row have been stored so far, those that are gone included.
  package func count(of row: Int) -> Int { row < counts.count ? counts[row] : 0 }

  /// The newest first.
  package func last(_ count: Int, of row: Int) -> [Print] {
    guard row < counts.count else { return [] }
    let total = counts[row]
    return (0..<min(count, total, Self.length)).map { prints[row * Self.length + (total - 1 - $0) & (Self.length - 1)] }
  }
}
