import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusHistory

/// What a run knows from a file when it begins.
@Suite(.timeLimit(.minutes(15))) struct PastTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("h.db") }

  @Test func `the newest closes and last prices are known at once, earlier closes when they are asked for`() throws {
    let writer = try HistoryWriter(path)
    try writer.write([bar("A", 3 * day, price: 10), bar("A", 5 * day, price: 20), bar("B", 4 * day, .time(minute), price: 30)])
    var batch = HistoryBatch()
    let time = Timestamp(ns: 6 * day)
    batch.add(prices: [Trade(symbol: "C", price: Price(raw: 1_500_000_000), size: 2, time: time, received: time, priceDecimals: 2)].span)
    _ = try writer.write(batch)
    let (past, symbols) = try HistoryReader(path).past()
    #expect(symbols == 3 && past.path == path && !past.isEmpty)
    #expect(past.close(of: "A", before: 6) == .init(day: 5, price: 21, decimals: 2))
    #expect(past.close(of: "A", before: 5) == .init(day: 3, price: 11, decimals: 2))
    #expect(past.close(of: "A", before: 3) == nil)
    // Only daily bars have closes.
    #expect(past.close(of: "B", before: 6) == nil && past.close(of: "C", before: 9) == nil)
    #expect(past.last(of: "C") == .init(Price(raw: 1_500_000_000), at: time, decimals: 2))
    #expect(past.symbols == ["A", "B", "C"])

    // What is written afterwards is not from before the run.
    try writer.write([bar("A", 6 * day, price: 70), bar("C", 6 * day, price: 80)])
    #expect(past.close(of: "A", before: 9) == .init(day: 5, price: 21, decimals: 2))
    #expect(past.close(of: "C", before: 9) == nil)
    try writer.close()
  }

  @Test func `only the first symbols are taken if there are more than the limit`() throws {
    let writer = try HistoryWriter(path)
    try writer.write(["A", "B", "C"].map { bar($0, day) })
    let (past, symbols) = try HistoryReader(path).past(limit: 2)
    #expect(symbols == 3)
    #expect(past.close(of: "B", before: 9) != nil && past.close(of: "C", before: 9) == nil)
    try writer.close()
  }

  @Test func `what is wrong with a file is said`() throws {
    #expect(HistoryReader.faultOfReading(path) == "does not exist")
    folder.put("no database", in: "x.db")
    #expect(HistoryReader.faultOfReading(folder.file("x.db"))?.hasPrefix("is no database of stockbus") == true)
    try HistoryWriter(path).close()
    #expect(HistoryReader.faultOfReading(path) == nil)
  }
}
