import TestSupport
import Testing

@testable import Movers

@Suite struct TopListTests {
  /// All keys, sorted anew each time.
  private struct Model {
    var keys: [Int64]

    var order: [UInt32] {
      keys.indices.filter { keys[$0] != .min }.sorted { keys[$0] == keys[$1] ? $0 < $1 : keys[$0] > keys[$1] }.map(UInt32.init)
    }
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 5), (16, 3), (17, 4), (40, 8), (300, 20)], [1, 4, 1000])
  func `agrees with sorting all keys after each update`(size: (entries: Int, top: Int), distinct: Int64) {
    var random = SplitMix(size.entries * 31 + size.top + Int(distinct))
    var list = TopList<Int64>(capacity: size.top)
    var model = Model(keys: [])
    var wrong: [String] = []
    for step in 0..<rounds(1500) {
      if model.keys.count < size.entries, model.keys.isEmpty || random.oneIn(3) {
        model.keys.append(.min)
        list.extend(to: model.keys.count)
      }
      let entry = Int.random(in: model.keys.indices, using: &random)
      let key = random.oneIn(6) ? .min : Int64.random(in: -distinct...distinct, using: &random)
      let before = model.order.prefix(size.top)
      model.keys[entry] = key
      let after = model.order.prefix(size.top)
      let change = list.update(UInt32(entry), key)
      let expected = TopList<Int64>.Change(
        before: before.firstIndex(of: UInt32(entry)), now: after.firstIndex(of: UInt32(entry)),
        displaced: before.first { !after.contains($0) && $0 != UInt32(entry) })
      if change != expected || list.members.map(\.entry) != Array(after) {
        wrong.append("\(step): \(change) for \(expected), \(list.members.map(\.entry)) for \(Array(after))")
      }
      if list.members.contains(where: { $0.key != model.keys[Int($0.entry)] }) { wrong.append("\(step): a key") }
      if model.keys.indices.contains(where: { list.index(of: UInt32($0)) != after.firstIndex(of: UInt32($0)) }) {
        wrong.append("\(step): an index")
      }
      if wrong.count > 2 { break }
    }
    #expect(wrong == [])
  }

  @Test func `the extreme keys have their places`() {
    var list = TopList<Int64>(capacity: 2)
    list.extend(to: 3)
    #expect(list.update(0, .max) == .init(now: 0))
    #expect(list.update(1, .min + 1) == .init(now: 1))
    #expect(list.update(2, .max) == .init(now: 1, displaced: 1))
    #expect(list.update(0, .min) == .init(before: 0))
    #expect(list.members.map(\.entry) == [2, 1])
  }

  @Test func `the largest of many keys, while entries are added and keys change`() {
    var random = SplitMix(5)
    var tournament = Tournament<Int64>()
    var keys: [Int64] = [.min]
    var wrong = 0
    for _ in 0..<rounds(4000) {
      if random.oneIn(4), keys.count < 700 {
        keys.append(.min)
        tournament.extend(to: keys.count)
      }
      let entry = Int.random(in: keys.indices, using: &random)
      keys[entry] = random.oneIn(3) ? .min : Int64.random(in: 0..<50, using: &random)
      tournament.set(entry, keys[entry])
      let best = keys.max() ?? .min
      if tournament.best != best || tournament.winner != (best == .min ? nil : keys.firstIndex(of: best)) { wrong += 1 }
    }
    #expect(wrong == 0)
    #expect(keys.count > 256)
  }
}
