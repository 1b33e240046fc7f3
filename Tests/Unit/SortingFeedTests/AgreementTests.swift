import TestSupport
import Testing

@testable import SortingFeed

/// The operations of a random test, in per cent; the others are small moves.
struct Mix: CustomTestStringConvertible {
  var testDescription: String
  var jumps = 20
  var ties = 0
  var removals = 10
  var extremes = 0
}

@Suite struct AgreementTests {
  static let mixes = [
    Mix(testDescription: "mostly small moves", jumps: 2, removals: 1),
    Mix(testDescription: "mostly far jumps", jumps: 90, removals: 5),
    Mix(testDescription: "few distinct keys", jumps: 0, ties: 90, removals: 5),
    Mix(testDescription: "entries coming and going", jumps: 30, removals: 45),
    Mix(testDescription: "extreme keys", jumps: 20, ties: 20, removals: 10, extremes: 40),
  ]

  @Test(arguments: [1, 2, 25, 64, 65, 1000, 5000], mixes)
  func `agrees with a sorted array`(size: Int, mix: Mix) {
    for descending in [false, true] {
      agree(size: size, mix: mix, descending: descending, operations: rounds(8_000))
    }
  }

  @Test(arguments: [false, true])
  func `agrees with sorting when the order outgrows its first root row`(descending: Bool) {
    var generator = SplitMix(11)
    var order = RankedOrder(descending: descending)
    var keys = (0..<UInt32(200_000)).map { _ in Int64.random(in: 0..<100_000, using: &generator) }
    let sorted = { (keys: [Int64]) in
      keys.indices.sorted { left, right in
        if keys[left] == keys[right] { return left < right }
        return descending ? keys[left] > keys[right] : keys[left] < keys[right]
      }
    }
    for entry in keys.indices { _ = order.update(UInt32(entry), key: keys[entry]) }
    for _ in 0..<30_000 {
      let entry = Int.random(in: keys.indices, using: &generator)
      keys[entry] = .random(in: -50_000..<150_000, using: &generator)
      _ = order.update(UInt32(entry), key: keys[entry])
    }
    let width = order.spine.rootNodes.count
    #expect(width > Spine.fanOut, "the test is too small to widen the root row")
    expectSound(order)
    let right = sorted(keys)
    var read: [Int] = []
    order.forEach(ranks: 0..<right.count) { entry, _ in read.append(Int(entry)) }
    #expect(read == right)
    var wrong = 0
    for rank in stride(from: 0, to: right.count, by: 17) {
      if order.entry(atRank: rank) != UInt32(right[rank]) || order.rank(of: UInt32(right[rank])) != rank { wrong += 1 }
    }
    #expect(wrong == 0)
    for entry in keys.indices.reversed() where entry % 50 != 0 { _ = order.remove(UInt32(entry)) }
    expectSound(order)
    let left = right.filter { $0 % 50 == 0 }
    read = []
    order.forEach(ranks: 0..<left.count) { entry, _ in read.append(Int(entry)) }
    #expect(read == left)
  }

  private func agree(size: Int, mix: Mix, descending: Bool, operations: Int) {
    var generator = SplitMix(UInt64(size) &* 31 &+ (descending ? 1 : 0))
    var order = RankedOrder(descending: descending)
    var model = Model(descending: descending)
    var wrong: [String] = []
    for operation in 0..<operations {
      let entry = UInt32.random(in: 0..<UInt32(size), using: &generator)
      let dice = Int.random(in: 0..<100, using: &generator)
      if dice < mix.removals {
        let (left, right) = (order.remove(entry), model.remove(entry))
        if left != right { wrong.append("\(operation): removed \(left as Int?) for \(right as Int?)") }
      } else {
        let key = key(for: dice - mix.removals, of: model.key(of: entry), mix, &generator)
        let (left, right) = (order.update(entry, key: key), model.update(entry, key: key))
        if left != right { wrong.append("\(operation): \(left) for \(right)") }
      }
      if wrong.count > 3 { break }
      if operation % (operations / 4) == operations / 8 { expectSound(order) }
    }
    #expect(wrong.isEmpty)
    expectSound(order)
    expectSame(order, model)
  }

  private func key(for dice: Int, of current: Int64?, _ mix: Mix, _ generator: inout SplitMix) -> Int64 {
    if dice < mix.extremes {
      return [.min, .min + 1, -1, 0, 1, .max - 1, .max].randomElement(using: &generator) ?? 0
    }
    if dice < mix.extremes + mix.ties { return Int64.random(in: 0..<4, using: &generator) }
    guard dice >= mix.extremes + mix.ties + mix.jumps, let current else {
      return Int64.random(in: -1_000_000...1_000_000, using: &generator)
    }
    return current &+ Int64.random(in: -500...500, using: &generator)
  }
}
