import MarketData
import StockbusPlugin
import Testing

@testable import StockbusDecoding

/// Values that do not fit into an event, and values that stand for none.
@Suite struct KeptTests {
  private static func spec(_ event: EventKind, _ change: (inout DecodingSpec) -> Void = { _ in }) throws -> DecodingSpec {
    var fields = FieldPaths()
    fields.symbol = ValuePath("s")
    switch event {
    case .trade: (fields.price, fields.size) = (ValuePath("p"), ValuePath("q"))
    case .quote: (fields.bid, fields.ask, fields.bidSize, fields.askSize) = (ValuePath("b"), ValuePath("a"), ValuePath("B"), ValuePath("A"))
    case .bar: break
    }
    var rule = MessageRule()
    rule.when = ["s": [ValuePattern("*")]]
    rule.event = event
    rule.fields = fields
    var spec = DecodingSpec()
    spec.messages = ["it": rule]
    change(&spec)
    return spec
  }

  private static func trade(_ price: String, _ size: String, _ change: (inout DecodingSpec) -> Void = { _ in }) throws -> (
    String, KeptValues, [String]
  ) {
    var decoder = try MessageDecoder<Trade>(try spec(.trade, change))
    var events: [String] = []
    let verdict = decoder.decode(#"{"s":"X","p":\#(price),"q":\#(size)}"#, received: received) { events.append("\($0.price) x\($0.size)") }
    let kept = decoder.takeKept()
    #expect(decoder.takeKept() == nil)
    if case .malformed(let reason) = verdict { return (reason, kept?.counts ?? KeptValues(), kept?.remarks ?? []) }
    return (events.joined(), kept?.counts ?? KeptValues(), kept?.remarks ?? [])
  }

  @Test func `a size that does not fit is 0 or cut, and the trade is kept`() throws {
    let (large, counts, remarks) = try Self.trade("0.00000799", "12000000000")
    #expect(large == "0.00000799 x0" && counts.unfit == 1)
    #expect(
      remarks == [
        "'size' is out of range: '12000000000' (byte 29); it is 0 in the event, and the rest is kept; 'size_scale: 1000' reads sizes in units "
          + "of 1000"
      ])
    #expect(try Self.trade("1", "12000000000") { $0.sizeScale = 1000 }.0 == "1 x12000000")
    let (fine, cut, _) = try Self.trade("3500.1", "\"0.000000000000000001\"")
    #expect(fine == "3500.1 x0" && cut.cut == 1)
    #expect(try Self.trade("2", "1.9999999999").0 == "2 x1.999999999")
    #expect(try Self.trade("2", "\"NaN\"").0 == "2 x0")
    #expect(try Self.trade("2", "18446744073709551615").1.unfit == 1)
  }

  @Test func `a price that is too fine is rounded where the spec says so`() throws {
    #expect(try Self.trade("0.000000001139", "1").0.contains("'finer_prices: round' in the decoding rounds prices to nine"))
    let (rounded, counts, _) = try Self.trade("1.78425773559708e-09", "1") { $0.finerPrices = .round }
    #expect(rounded == "0.000000002 x1" && counts.rounded == 1)
    #expect(try Self.trade("1e-12", "1") { $0.finerPrices = .round }.0.contains("more than nine decimals"))
  }

  @Test(arguments: ["9223372036854775807", "9223372036.854775807", "-9223372036854775808", "1.7976931348623157e308"])
  func `the largest numbers are no prices`(_ text: String) throws {
    for scale in [1, 1_000_000_000] {
      #expect(try Self.trade(text, "1") { $0.priceScale = scale }.0.contains("'price' is undefined: '\(text)' stands for no number"))
    }
  }

  @Test func `null, an empty text and the largest number are a side that nobody quotes`() throws {
    func quote(_ bid: String) throws -> String {
      let message = #"{"s":"X","b":\#(bid),"a":1.2,"B":5,"A":10}"#
      let result = try decode([message, #"{"s":"X","b":1,"a":1.2,"B":5,"A":10}"#], Self.spec(.quote), as: Quote.self)
      #expect(result.last?.events.first?.hasPrefix("X 1.0 x5 / 1.2 x10") == true)
      return result[0].events.first.map { String($0.prefix { $0 != "@" }) } ?? "\(result[0].verdict)"
    }
    for text in ["null", "\"\"", "\"NaN\"", "9223372036854775807", "9223372036.854775807", "\"9223372036.854776\""] {
      #expect(try quote(text) == "X 0.0 x0 / 1.2 x10 ", "\(text)")
    }
    #expect(try quote("[1]").contains("not a value"))
    let result = try decode([#"{"s":"X","a":1.2}"#], Self.spec(.quote), as: Quote.self)
    #expect(result[0].events.isEmpty)
  }
}
