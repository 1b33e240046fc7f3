import MarketData
import Testing

@Suite struct PriceTests {
  @Test func `reads the literal digits`() throws {
    #expect(try Price("189.250").raw == 189_250_000_000)
  }
}
