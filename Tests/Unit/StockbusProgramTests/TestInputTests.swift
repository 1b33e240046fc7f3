import MarketData
import StockbusConfig
import StockbusPlugin
import Testing

@testable import StockbusProgram

/// Inputs of tests that are written as series.
@Suite struct TestInputTests {
  @Test func `a series is values and repeated steps`() throws {
    let values = try #require(TestInput.values("100 -0.10x2 +0.30x3 95 1x2"))
    #expect(values.map { "\($0)" } == ["100", "99.9", "99.8", "100.1", "100.4", "100.7", "95", "96", "97"])
  }

  @Test(arguments: ["", "x", "1x2", "100 up", "100 +1x0", "100 +1x-3", "100 +1x1000001", "100 +x3", "9000000000 +900000000x2", "1 2x3x4"])
  func `what is no series is refused`(text: String) { #expect(TestInput.values(text) == nil) }

  @Test func `steps of any length end at the last time there is`() throws {
    let node = try #require(
      ConfigLoader().load(text: "x-a: 1\nruntime: { A: \"1 +1x2\", every: 9000000000000000000s }").description.runtime)
    var problems = Problems()
    guard case .rows(let rows) = TestInput.read(node, of: "a", from: Timestamp(ns: 0), folder: "", &problems) else {
      Issue.record("no rows")
      return
    }
    #expect(problems.isEmpty && rows.count == 3 && rows[2].text.contains("\"time\":\"2262-04-11T23:47:16.854775807Z\""), "\(rows)")
  }
}
