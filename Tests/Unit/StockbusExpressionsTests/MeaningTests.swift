import EventBus
import MarketData
import StockbusExpressions
import Testing

/// Results worked out by hand for `Reading.schema.example`: AAPL, other NVDA, price 100, size 5, percent 1, rank 3, count 7, time 13:30:00
/// on 2013-10-08, received 250 ms later, buy, calm, before wild, "all quiet".
@Suite struct MeaningTests {
  let event = Reading.schema.example

  @Test(arguments: [
    "price > 99.999999999", "price >= 100", "price == 100.00", "price <= 100", "price < 100.000000001", "price != 99",
    "not price > 100", "not (price > 100)", "not price != 100",
    "symbol == AAPL", "symbol == \"AAPL\"", "AAPL == symbol", "symbol != NVDA", "symbol in [NVDA, AAPL]", "symbol not in [NVDA, TSLA]",
    "symbol matches \"A*L\"", "symbol matches AAPL", "symbol not matches \"B*\"", "symbol matches '?A??'", "symbol != other",
    "side == buy", "side != sell", "buy == side", "side in [buy, sell]", "side matches \"b*\"", "mood == calm", "previous == wild",
    "mood != previous", "mood in [dull, calm]", "sole == only", "sole in [only]", "side in [unknown, buy, sell]",
    "percent == 1%", "percent == 1", "percent >= 0.5%", "percent < 1.5%", "percent * 2 == 2%", "2 * percent == 2", "percent / 2 == 0.5%",
    "percent + 1% == 2%", "percent / 1% == 1", "price * 1% == 1", "1% * price == 1", "price / 50% == 200", "size / price == 5%",
    "size / price > 4.9%", "price * percent == 1", "50% * 2 == 100%", "-percent == -1%",
    "rank == 3", "rank < 3.5", "rank > 2.5", "rank != 3.5", "rank <= 3.5", "rank >= 2.5", "rank in [1, 2, 3]", "rank > -1",
    "rank < 4294967296", "count > rank", "count == 7", "count - rank == 4", "count >= -9223372036854775807", "count < 9000000000000000000",
    "count * price == 700", "price / 3 == 33.333333333", "2 / 3 == 0.666666667", "-2 / 3 == -0.666666667", "price / rank > 33",
    "price * size > 499", "price * size == 500", "price + size == 105", "price - size == 95", "-price == -100", "price - -5 == 105",
    "price + size * 2 == 110", "(price + size) * 2 == 210", "price - 50 - 25 == 25", "price - (50 - 25) == 75", "price / 10 / 2 == 5",
    "price / (10 / 2) == 20", "-size * 2 == -10", "abs(-size) == 5", "abs(size - price) == 95", "min(price, size) == 5",
    "max(price, size, 200) == 200", "min(percent, 0.5%) == 0.5%",
    "received - time == 250ms", "received - time > 249ms", "received > time", "received - 1s < time", "time + 250ms == received",
    "250ms + time == received", "(received - time) * 2 == 0.5s", "(received - time) / 2 == 125ms", "1s / (received - time) == 4",
    "-(received - time) == -250ms", "abs(time - received) == 250ms", "1h30m == 5400s", "1.5s == 1500ms", "1d == 24h", "1us == 1000ns",
    "time == 2013-10-08T13:30:00Z", "time == 2013-10-08T15:30:00+02:00", "time >= 2013-10-08T09:30:00Z",
    "time < 2013-10-08 13:30:00.000000001Z",
    "note == \"all quiet\"", "note matches \"*quiet\"", "note != \"quiet\"", "note in [\"a\", 'all quiet']",
    "10 < price <= 100", "100 >= price > 99 > 0", "true", "not false", "1 < 2", "1e2 == price", "1_00 == price", "1e-9 > 0",
    "price > 1000 or size == 5", "price > 1 or size == 4 and false", "(price > 1 or true) and size == 5", "not false and true",
    "not (false and true)", "price in [1, 50 * 2]", "(received - time) * 50% == 125ms", "(received - time) / 50% == 500ms",
    "percent * 50% == 0.5%",
    "50% * 10% == 5%", "50% * 10% * price == 5",
  ])
  func `is so`(text: String) throws { #expect(try verdict(text, event) == .yes) }

  @Test(arguments: [
    "price > 100", "price < 100", "not price == 100", "symbol == NVDA", "symbol in [NVDA, TSLA]", "symbol == other", "symbol == aapl",
    "symbol matches \"a*\"", "symbol matches \"A\"", "side == sell", "mood == wild", "mood == previous", "mood in [dull, wild]",
    "percent == 100%",
    "percent > 1.0", "rank == 3.5", "rank > 4294967296", "count < rank", "note matches \"quiet\"", "10 < price < 100",
    "true and false", "false or false", "(price > 1 or size == 4) and false", "not true or false", "size / price == 5",
    "count > 9223372036854775807", "price < -10_000_000_000", "sole != only", "symbol matches \"\"",
  ])
  func `is not so`(text: String) throws { #expect(try verdict(text, event) == .no) }

  @Test func `what has no result is undecided, and so is what depends on it`() throws {
    let event = Reading.with { $0.size = 0 }
    for text in [
      "price / size > 1", "not (price / size > 1)", "price / size != price / size", "true and price / size > 1",
      "false or price / size > 1",
      "price / size in [1, 2]", "abs(price / size) > 1", "min(price / size, 1) == 1", "1 / (price / size) == 0",
      "1s / (time - time) > 1", "price / percent > 0 and price / (percent - 1%) > 0",
    ] {
      #expect(try verdict(text, event) == .undecided, "\(text)")
      #expect(try !Expression<Reading>(text).matches(event))
    }
    #expect(try verdict("false and price / size > 1", event) == .no)
    #expect(try verdict("price / size > 1 and false", event) == .no)
    #expect(try verdict("price / size > 1 or price == 100", event) == .yes)
    #expect(try verdict("not (price / size > 1 and price == 99)", event) == .yes)
    #expect(try verdict("size / price == 0", event) == .yes)
  }

  @Test func `fields at their ends`() throws {
    let event = Reading.with {
      $0.price = Price(raw: .min)
      $0.size = Quantity(raw: .max)
      $0.count = .min
      $0.rank = .max
    }
    for text in [
      "price == -9223372036.854775808", "price < -9223372036.854775807", "-price == 9223372036.854775808", "abs(price) > size",
      "size == 9223372036.854775807", "size > 9223372036.854775806", "size < 9223372036.854775808", "price + size == -0.000000001",
      "price - size < -18446744073", "price * size < -1_000_000_000_000_000_000", "price * price > 9_000_000_000_000_000_000",
      "count < -9223372036854775807", "count + 1 == -9223372036854775807", "rank == 4294967295", "rank > 4294967294", "rank * rank > 1e18",
      "price > -10_000_000_000", "size < 10_000_000_000",
    ] { #expect(try verdict(text, event) == .yes, "\(text)") }
    // Without rounding between, 2^63 units of 1e-9 cubed have 188 bits.
    #expect(try verdict("price * price * price < 0", event) == .undecided)
    #expect(try verdict("count * count * 10 > 0", event) == .undecided)
  }

  @Test func `rounds half away from zero at the ninth decimal`() throws {
    let event = Reading.with { $0.price = Price(raw: 1) }
    for (text, result) in [
      ("price * 0.5", "0.000000001"), ("price * 0.4", "0"), ("price * -0.5", "-0.000000001"), ("price * -0.4", "0"),
      ("price / 2", "0.000000001"), ("price / 3", "0"), ("price / -2", "-0.000000001"), ("price * 1.5", "0.000000002"),
      ("price * 50%", "0.000000001"), ("price * 49%", "0"),
    ] { #expect(try verdict("\(text) == \(result)", event) == .yes, "\(text)") }
  }

  @Test func `a symbol need not exist when the expression is made`() throws {
    let expression = try Expression<Reading>("symbol == LATER.X or symbol matches \"LATER?Y\"")
    #expect(!expression.matches(Reading.schema.example))
    #expect(expression.matches(Reading.with { $0.symbol = "LATER.X" }))
    #expect(expression.matches(Reading.with { $0.symbol = "LATER.Y" }))
    #expect(!expression.matches(Reading.with { $0.symbol = "LATER.Z" }))
  }

  @Test func `an expression for a type that is known only later`() throws {
    let type: any Event.Type = Trade.self
    let any = try AnyExpression("price > 100", for: type)
    #expect(any.bound(to: Quote.self) == nil)
    #expect(any.bound(to: Trade.self)?.matches(Trade.schema.example) == true)
    #expect(throws: ExpressionError.self) { try AnyExpression("bid > 100", for: type) }
  }

  @Test func `enums without room and comparisons with the field's own type`() throws {
    #expect(try verdict("previous == wild and mood == dull", Reading.with { $0.mood = .dull }) == .yes)
    #expect(try verdict("mood == previous", Reading.with { $0.mood = .wild }) == .yes)
  }
}
