import Testing

@testable import StockbusViewing

@Suite struct RowFilterTests {
  @Test func `a filter of rows refuses functions over earlier events at their character, and says why`() {
    let problem = RowFilter("price > sma(price, 20)").problem
    #expect(problem?.description == "sma needs earlier events, but a filter of rows sees only the last event of each symbol")
    #expect(problem?.character == 8)
  }
}
