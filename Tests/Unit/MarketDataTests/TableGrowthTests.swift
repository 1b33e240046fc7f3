import MarketData
import Testing

@Suite struct TableGrowthTests {
  @Test(arguments: [
    (0, 0, 64), (0, 63, 64), (0, 64, 65), (64, 64, 128), (64, 127, 128), (64, 128, 129), (128, 1000, 1001), (1001, 1001, 2002),
  ])
  func `a table becomes twice as long, at least 64 places and as long as it takes`(count: Int, index: Int, length: Int) {
    #expect(TableGrowth.length(of: count, toHold: index) == length)
    var table = Array(repeating: 7, count: count)
    table.grow(toHold: index, filling: -1)
    #expect(table == Array(repeating: 7, count: count) + Array(repeating: -1, count: length - count))
  }

  @Test func `a table that has the place stays as it is`() {
    var table: ContiguousArray<UInt8> = [1, 2, 3]
    for index in 0..<3 { table.grow(toHold: index, filling: 9) }
    #expect(table == [1, 2, 3])
  }

  @Test func `a million places one by one are moved a constant number of times`() {
    var table: [Int32] = []
    var moved = 0
    for index in 0..<1_000_000 {
      let before = table.count
      table.grow(toHold: index, filling: 0)
      if table.count != before { moved += before }
    }
    // 64 + 128 + … + 524,288: each doubling moves all entries once.
    #expect(moved == 1_048_512)
    #expect(table.count == 1_048_576)
  }
}
