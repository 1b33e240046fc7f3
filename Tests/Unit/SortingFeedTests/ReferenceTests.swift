import TestSupport
import StockbusTestKit
import Testing

@testable import SortingFeed

/// The short division compared with the 128-bit one of `Percent.change`, and the saturation with 128-bit subtraction.
@Suite struct ReferenceTests {
  /// The results, computed in the slow way.
  private func plain(_ first: Int64, _ now: Int64) -> (change: Int64, percent: Int64) {
    let difference = Int128(now) - Int128(first)
    let change = Int64(clamping: difference)
    if first == 0 { return (change, 0) }
    return (change, Int64(exactly: difference * 100_000_000_000 / Int128(first)) ?? 0)
  }

  /// Returns the differences, because millions of expectations would be too slow.
  private func faults(_ first: Int64, _ all: [Int64]) -> [String] {
    let reference = Reference(Price(raw: first))
    return all.compactMap { now in
      let (change, percent) = reference.change(to: Price(raw: now))
      let right = plain(first, now)
      let slow = Percent.change(from: Price(raw: first), to: Price(raw: now)) ?? 0
      if (change.raw, percent.raw) == right, slow == percent { return nil }
      return "\(first) to \(now): \(change.raw), \(percent.raw) for \(right)"
    }
  }

  @Test func `by hand`() {
    let reference = Reference(Price(raw: 3_000_000_000))
    #expect(reference.change(to: Price(raw: 4_000_000_000)) == (1, Percent(raw: 33_333_333_333)))
    #expect(reference.change(to: Price(raw: 2_000_000_000)) == (-1, Percent(raw: -33_333_333_333)))
    #expect(reference.change(to: Price(raw: 3_000_000_000)) == (0, 0))
    // For a negative price a rise is a negative percentage.
    #expect(Reference(-4).change(to: -3) == (1, -25))
    #expect(Reference(0).change(to: 5) == (5, 0))
  }

  @Test func `values at the edges`() {
    var edges: [Int64] = [.min, .min + 1, .max - 1, .max, 0]
    for power in [1, 10, 1000, 10_000_000, 1_000_000_000, 99_999_999_999, 100_000_000_000, 4_294_967_295, 4_294_967_296] as [Int64] {
      for near in [-1, 0, 1] as [Int64] { edges += [power + near, near - power, .max / power &+ near, .min / power &+ near] }
    }
    for first in edges { #expect(faults(first, edges).isEmpty) }
  }

  @Test func `prices of every number of decimals, near and far`() {
    var random = SplitMix(5)
    var wrong: [String] = []
    for decimals in 0...9 {
      let unit = (0..<9 - decimals).reduce(Int64(1)) { product, _ in product * 10 }
      for _ in 0..<300 {
        // Small and large numbers are equally likely.
        let first = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random) / unit &* unit
        var all: [Int64] = []
        for _ in 0..<30 {
          let step = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random)
          all += [first &+ step, first &+ step / unit &* unit, step]
        }
        wrong += faults(first, all)
      }
    }
    #expect(wrong.prefix(3) == [])
  }
}
