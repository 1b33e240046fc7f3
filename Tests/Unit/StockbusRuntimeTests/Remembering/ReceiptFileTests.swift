import Foundation
import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusRuntime

/// What was confirmed is known to the next run, until no event can be repeated for which it was.
@Suite(.timeLimit(.minutes(15))) struct ReceiptFileTests {
  private let folder = TemporaryFolder()
  private var memory: String { folder.path + "/run.memory" }
  private func receipts() throws -> ReceiptFile { try ReceiptFile(beside: memory) }

  @Test func `a receipt outlives a run that is killed`() throws {
    try receipts().add("desk web 1")
    let next = try receipts()
    #expect(next.contains("desk web 1") && !next.contains("desk web 2"))
    next.add("desk web 2")
    let third = try receipts()
    #expect(third.contains("desk web 1") && third.contains("desk web 2"))
  }

  @Test func `a line that was not finished is no receipt`() throws {
    folder.put("desk web 1\ndesk web 2", in: "run.memory.receipts")
    let receipts = try receipts()
    #expect(receipts.contains("desk web 1") && !receipts.contains("desk web 2"))
  }

  @Test func `a memory forgets the receipts from before it`() throws {
    let file = try receipts()
    file.add("before")
    let number = file.memoryBegins()
    file.add("meanwhile")
    file.memoryEnds(number, isKept: true)
    #expect(!file.contains("before") && file.contains("meanwhile"))
    file.memoryEnds(file.memoryBegins(), isKept: false)
    #expect(file.contains("meanwhile"))
  }

  @Test func `a receipt of an earlier run stays until its event has come again`() throws {
    try receipts().add("desk web 1")
    let file = try receipts()
    for _ in 0..<3 { file.memoryEnds(file.memoryBegins(), isKept: true) }
    #expect(file.contains("desk web 1"))
    file.memoryEnds(file.memoryBegins(), isKept: true)
    #expect(!file.contains("desk web 1"))
  }

  @Test func `who waits for a memory goes on when one is kept that was taken afterwards, or cannot be`() async throws {
    let file = try receipts()
    let earlier = file.memoryBegins()
    let waiting = Task { await file.memoryIsKept(file.nextMemory) }
    while !file.isAwaited { await Task.yield() }
    file.memoryEnds(earlier, isKept: true)
    #expect(file.isAwaited)
    file.memoryEnds(file.memoryBegins(), isKept: false)
    await waiting.value
    #expect(!file.isAwaited)
    // That one has been taken.
    await file.memoryIsKept(earlier)
  }

  @Test func `the file does not grow for ever`() throws {
    let file = try receipts()
    for number in 0..<20_000 {
      file.add("desk web \(number)")
      if number % 100 == 0 { file.memoryEnds(file.memoryBegins(), isKept: true) }
    }
    #expect((try String(contentsOfFile: memory + ".receipts", encoding: .utf8)).split(separator: "\n").count < 5000)
    file.end()
    #expect(!folder.names.contains("run.memory.receipts"))
  }

  @Test func `only the end of a run ends its receipts`() throws {
    try receipts().add("desk web 1")
    let keeper = try MemoryKeeper(memory)
    _ = try keeper.keep(RunMemory(time: Timestamp(ns: 1), isOfEndedRun: false))
    #expect(try receipts().contains("desk web 1"))
    _ = try keeper.keep(RunMemory(time: Timestamp(ns: 2)))
    #expect(try !receipts().contains("desk web 1"))
  }
}
