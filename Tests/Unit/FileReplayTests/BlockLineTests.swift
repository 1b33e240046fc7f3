import MarketData
import Testing

@testable import FileReplay

@Suite struct BlockLineTests {
  /// A line of 100 blocks of ten rows.
  static func line(depth: Int) throws -> BlockLine<Trade> {
    let text = (0..<1000).map { "\(1000 + $0)\n" }.joined()
    return BlockLine(
      try BlockReader(.bytes(Array(text.utf8)), name: "f", blockSize: 50, hasQuotes: false), depth: depth)
  }

  @Test(arguments: [1, 2, 3, 20], [1, 2, 5]) func `blocks come back in order, however few there is memory for`(
    depth: Int, parsers: Int
  ) async throws {
    let line = try Self.line(depth: depth)
    #expect(line.begin()?.count == 50)
    let tasks = (0..<parsers).map { _ in
      Task {
        var count = 0
        while let work = await line.take() {
          count += 1
          if line.put(work) || count.isMultiple(of: 3) { await Task.yield() }
        }
        return count
      }
    }
    var numbers: [Int] = []
    var bytes = 0
    while let work = await line.next() {
      numbers.append(work.number)
      bytes += work.block.count
      #expect(work.bytesRead == 50 * (work.number + 1))
      line.give(back: work)
    }
    var taken = 0
    for task in tasks { taken += await task.value }
    #expect(numbers == Array(0..<100) && taken == 100 && bytes == 5000)
    #expect(await line.next()?.number == nil)
    #expect(await line.take()?.number == nil)
  }

  @Test func `parsers that sleep end when the line is stopped`() async throws {
    let line = try Self.line(depth: 2)
    _ = line.begin()
    let tasks = (0..<3).map { _ in
      Task { while let work = await line.take() { if line.put(work) { await Task.yield() } } }
    }
    // The first block's memory is not given back, so all parsers end up asleep.
    let first = await line.next()
    #expect(first?.number == 0)
    line.stop()
    for task in tasks { await task.value }
    #expect(await line.take()?.number == nil)
  }

  @Test func `a block that nobody waits for keeps nobody`() async throws {
    let line = try Self.line(depth: 3)
    _ = line.begin()
    let first = try #require(await line.take())
    let second = try #require(await line.take())
    let answers = [line.put(second), line.put(first)]
    #expect(answers == [false, false])
    #expect(await line.next()?.number == 0)
    #expect(await line.next()?.number == 1)
  }

  @Test func `nothing that can be cut is no line`() throws {
    let reader = try BlockReader(.bytes([]), name: "f", blockSize: 50, hasQuotes: false)
    #expect(BlockLine<Trade>(reader, depth: 2).begin() == nil)
  }
}
