import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import FileReplay

/// Receipts never decrease on the output, so that readers may work with time.
@Suite struct ReceiptTests {
  private func receipts(_ text: String, options: String = "") async throws -> [String] {
    let folder = TemporaryFolder()
    folder.put(text, in: "rows.csv")
    let trades: [Trade] = try await PluginHarness().first(
      100, of: Plugin.fileReplay, options: "path: \(folder.file("rows.csv"))\ntime: s\n\(options)")
    return trades.map { "\($0.time.ns / 1_000_000_000) \($0.received.ns / 1_000_000_000)" }
  }

  @Test(arguments: ["speed: max", "speed: 1000x"])
  func `a row that is at most five seconds back counts as received with the one before it`(speed: String) async throws {
    let rows = "symbol,time,price\nA,10,1\nA,7,1\nA,5,1\nA,4,1\nA,9,1\nA,12,1\n"
    #expect(try await receipts(rows, options: speed) == ["10 10", "7 10", "5 10", "4 4", "9 9", "12 12"])
  }

  @Test func `receipts that are recorded are ordered too`() async throws {
    let rows = "symbol,time,received,price\nA,10,20,1\nA,11,19,1\nA,12,21,1\n"
    #expect(try await receipts(rows) == ["10 20", "11 20", "12 21"])
  }

  @Test func `the ends of time do not trap`() {
    var order = ReceiptOrder(isNeeded: true)
    for ns in [Int64.max, .min, 0, .min, .max] {
      let time = Timestamp(ns: ns)
      #expect(order.ordered(Trade(symbol: "A", price: 1, size: 1, time: time, received: time)).received == time)
    }
  }
}
