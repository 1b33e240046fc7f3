import TestSupport
import Testing

@testable import SortingFeed

/// Bad patterns for trees and arrays: everything at one end, everything equal, growing and emptying.
@Suite struct PatternTests {
  static let size: UInt32 = 6000

  /// Applies the same operations to an order and to the model, and compares every result.
  private struct Pair: ~Copyable {
    var order: RankedOrder
    var model: Model
    var wrong = 0

    init(descending: Bool) {
      order = RankedOrder(descending: descending)
      model = Model(descending: descending)
    }

    mutating func update(_ entry: UInt32, key: Int64) {
      if order.update(entry, key: key) != model.update(entry, key: key) { wrong += 1 }
    }

    mutating func remove(_ entry: UInt32) {
      if order.remove(entry) != model.remove(entry) { wrong += 1 }
    }

    borrowing func finish(sourceLocation: SourceLocation = #_sourceLocation) {
      let wrong = wrong
      #expect(wrong == 0, "answers that differ", sourceLocation: sourceLocation)
      expectSound(order, sourceLocation: sourceLocation)
      expectSame(order, model, sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [false, true])
  func `stays right while every entry moves to the front one by one`(descending: Bool) {
    var pair = Pair(descending: descending)
    for entry in 0..<Self.size { pair.update(entry, key: Int64(entry)) }
    for round in 1...3 {
      for entry in 0..<Self.size {
        let distance = Int64(round) * 10_000 + Int64(entry)
        pair.update(entry, key: descending ? distance : -distance)
      }
      pair.finish()
    }
  }

  @Test(arguments: [false, true])
  func `stays right while keys only rise`(descending: Bool) {
    var pair = Pair(descending: descending)
    for step in 0..<3 * Self.size { pair.update(step % Self.size, key: Int64(step)) }
    pair.finish()
  }

  @Test(arguments: [false, true])
  func `stays right when all keys are equal`(descending: Bool) {
    var pair = Pair(descending: descending)
    for entry in 0..<Self.size { pair.update(entry &* 7919 % Self.size, key: 5) }
    pair.finish()
    for entry in 0..<Self.size { pair.update(entry &* 4801 % Self.size, key: 6) }
    pair.finish()
  }

  @Test(arguments: [false, true])
  func `stays right while everything falls into one gap`(descending: Bool) {
    var pair = Pair(descending: descending)
    for entry in 0..<Self.size { pair.update(entry, key: Int64(entry) * 1_000_000) }
    // Closer and closer to the middle, from both sides in turn, so that the same place splits again and again.
    for entry in 0..<Self.size {
      let distance = Int64(Self.size - entry)
      pair.update(entry &* 7919 % Self.size, key: 3_000_500_000 + (entry % 2 == 0 ? distance : -distance))
    }
    pair.finish()
  }

  @Test(arguments: [false, true])
  func `empties and fills again`(descending: Bool) {
    var pair = Pair(descending: descending)
    for round in 0..<3 {
      for entry in 0..<Self.size { pair.update(entry, key: Int64(entry &* 7919 % Self.size)) }
      for entry in 0..<Self.size {
        switch round {
        case 0: pair.remove(entry)  // Scattered.
        case 1: pair.remove(pair.model.rows[0].entry)
        default: pair.remove(pair.model.rows[pair.model.rows.count - 1].entry)
        }
      }
      pair.finish()
      #expect(pair.order.entry(atRank: 0) == nil)
    }
    pair.update(3, key: 1)
    pair.finish()
  }

  @Test func `answers at the very end while the root row fills up and widens`() {
    var order = RankedOrder(descending: false)
    let width = order.spine.rootNodes.count
    var entry: UInt32 = 0
    var wrong = 0
    // Every page and node is full, so the root row is as short as possible for this number of entries.
    while order.spine.rootNodes.count == width {
      let (added, again) = (order.update(entry, key: Int64(entry)), order.update(entry, key: Int64(entry)))
      if added != (nil, Int(entry)) || again != (Int(entry), Int(entry)) { wrong += 1 }
      if order.spine.rootCount >= order.spine.rootNodes.count { wrong += 1 }
      entry += 1
    }
    #expect(wrong == 0)
    #expect(entry > UInt32(LeafPages.capacity * Spine.fanOut * (width - 2)))
    expectSound(order)
  }

  @Test func `gives pages back as entries leave`() {
    var order = RankedOrder(descending: false)
    func fill(_ order: inout RankedOrder) {
      for entry in 0..<Self.size { _ = order.update(entry, key: Int64(entry &* 7919 % Self.size)) }
    }
    fill(&order)
    let pages = order.leaves.made
    for _ in 0..<10 {
      for entry in 0..<Self.size { _ = order.remove(entry) }
      fill(&order)
    }
    #expect(order.leaves.made <= pages)
  }

  @Test func `fills its pages whole when entries arrive in order`() {
    for descending in [false, true] {
      var order = RankedOrder(descending: descending)
      for entry in 0..<Self.size { _ = order.update(entry, key: Int64(entry)) }
      let pages = order.leaves.made
      #expect(pages <= Int(Self.size) / LeafPages.capacity + 2)
      expectSound(order)
    }
  }

  @Test func `keeps its pages reasonably full while entries jump`() {
    var generator = SplitMix(4)
    var order = RankedOrder(descending: false)
    for _ in 0..<200_000 {
      _ = order.update(.random(in: 0..<Self.size, using: &generator), key: .random(in: .min ... .max, using: &generator))
    }
    let pages = order.leaves.made
    #expect(pages <= Int(Self.size) / (LeafPages.capacity / 3))
  }
}
