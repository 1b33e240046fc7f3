import Testing

@testable import SortingFeed

@Suite struct RankedOrderTests {
  private func entries(_ order: borrowing RankedOrder, _ ranks: Range<Int> = 0..<100) -> [UInt32] {
    var entries: [UInt32] = []
    order.forEach(ranks: ranks) { entry, _ in entries.append(entry) }
    return entries
  }

  @Test func `answers no rank before and the rank now for a new entry`() {
    var order = RankedOrder(descending: false)
    let first = order.update(0, key: 10)
    let second = order.update(1, key: 5)
    #expect(first == (nil, 0))
    #expect(second == (nil, 0))
    #expect(order.rank(of: 0) == 1)
  }

  @Test func `answers the rank before and the rank now for a moved entry`() {
    var order = RankedOrder(descending: false)
    for entry in 0..<UInt32(5) { _ = order.update(entry, key: Int64(entry) * 10) }
    let up = order.update(0, key: 35)
    #expect(up == (0, 3))
    let down = order.update(4, key: -1)
    #expect(down == (4, 0))
    #expect(entries(order) == [4, 1, 2, 3, 0])
  }

  @Test func `keeps the rank when the key stays`() {
    var order = RankedOrder(descending: true)
    for entry in 0..<UInt32(200) { _ = order.update(entry, key: Int64(entry)) }
    for entry in 0..<UInt32(200) {
      let rank = 199 - Int(entry)
      let answer = order.update(entry, key: Int64(entry))
      #expect(answer == (rank, rank))
    }
  }

  @Test(arguments: [false, true])
  func `puts the lower entry first when two keys tie`(descending: Bool) {
    var order = RankedOrder(descending: descending)
    for entry: UInt32 in [7, 2, 9, 4] { _ = order.update(entry, key: 1) }
    #expect(entries(order) == [2, 4, 7, 9])
    _ = order.update(2, key: 0)
    let back = order.update(2, key: 1)
    #expect(back == (descending ? 3 : 0, 0))
  }

  @Test func `ranks the highest key first when descending`() {
    var order = RankedOrder(descending: true)
    for (entry, key) in [3, -4, 9, 0].enumerated() { _ = order.update(UInt32(entry), key: Int64(key)) }
    #expect(entries(order) == [2, 0, 3, 1])
  }

  @Test(arguments: [false, true])
  func `orders the lowest and the highest keys there are`(descending: Bool) {
    var order = RankedOrder(descending: descending)
    let keys: [Int64] = [.max, .min, 0, -1, .min + 1, .max - 1]
    for (entry, key) in keys.enumerated() { _ = order.update(UInt32(entry), key: key) }
    var read: [Int64] = []
    order.forEach(ranks: 0..<6) { _, key in read.append(key) }
    #expect(read == keys.sorted(by: descending ? (>) : (<)))
    for (entry, key) in keys.enumerated() { #expect(order.key(of: UInt32(entry)) == key) }
  }

  @Test func `answers nil for what is not there`() {
    var order = RankedOrder(descending: false)
    #expect(order.count == 0)
    #expect(order.rank(of: 0) == nil)
    #expect(order.entry(atRank: 0) == nil)
    #expect(order.remove(12) == nil)
    _ = order.update(5, key: 1)
    #expect(order.rank(of: 4) == nil)
    #expect(order.key(of: 4) == nil)
    #expect(order.rank(of: 6) == nil)
    #expect(order.rank(of: .max) == nil)
    #expect(order.entry(atRank: 1) == nil)
    #expect(order.entry(atRank: -1) == nil)
    #expect(order.remove(4) == nil)
  }

  @Test func `answers the rank it had for a removed entry and takes it back as a new one`() {
    var order = RankedOrder(descending: false)
    for entry in 0..<UInt32(3) { _ = order.update(entry, key: Int64(entry)) }
    #expect(order.remove(1) == 1)
    #expect(order.remove(1) == nil)
    #expect(order.count == 2)
    #expect(entries(order) == [0, 2])
    let again = order.update(1, key: 9)
    #expect(again == (nil, 2))
  }

  @Test func `hands over the entries of the ranks asked for and leaves out those outside`() {
    var order = RankedOrder(descending: false)
    for entry in 0..<UInt32(1000) { _ = order.update(entry, key: Int64(entry)) }
    #expect(entries(order, 0..<0) == [])
    #expect(entries(order, 998..<2000) == [998, 999])
    #expect(entries(order, -5..<2) == [0, 1])
    #expect(entries(order, 1000..<1001) == [])
    #expect(entries(order, 50..<150) == Array(50..<150))
    #expect(entries(order, 0..<1000) == Array(0..<1000))
  }

  @Test func `stops handing over when the reader throws`() {
    struct Enough: Error {}
    var order = RankedOrder(descending: false)
    for entry in 0..<UInt32(10) { _ = order.update(entry, key: Int64(entry)) }
    var seen = 0
    do {
      try order.forEach(ranks: 0..<10) { (_, _) throws(Enough) in
        seen += 1
        if seen == 4 { throw Enough() }
      }
      Issue.record("the error did not come through")
    } catch {
      #expect(seen == 4)
    }
  }

  @Test func `answers the same with room made in advance`() {
    var reserved = RankedOrder(descending: false, capacity: 3000)
    var plain = RankedOrder(descending: false)
    for entry in 0..<UInt32(5000) {
      let key = Int64(entry &* 7919 % 4001)
      let (left, right) = (reserved.update(entry, key: key), plain.update(entry, key: key))
      #expect(left == right)
    }
    expectSound(reserved)
  }
}
