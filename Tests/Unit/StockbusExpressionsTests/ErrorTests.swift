import EventBus
import MarketData
import StockbusExpressions
import Testing

@Suite struct ErrorTests {
  @Test(arguments: [
    ("", "column 1: expected a condition such as price > 100"),
    ("prise > 100", "column 1: trade has no field 'prise'; did you mean 'price'?"),
    (
      "volume > 100",
      "column 1: trade has no field 'volume' (a bar and a ranked, which sorting_feed emits, and a mover, which movers emits, have one); its fields are symbol, price, size, side, time, received, condition"
    ),
    ("100 < prise", "column 7: trade has no field 'prise'; did you mean 'price'?"),
    ("price > 100 and", "column 16: expected a value, found the end"),
    ("price > 100 price < 5", "column 13: expected an operator such as 'and', found 'price'"),
    ("price > 100 AND size > 5", "column 13: write 'and' in lower case"),
    ("price > 100 && size > 5", "column 13: write 'and'"),
    ("price = 100", "column 7: write '==' to compare"),
    ("price <> 100", "column 7: write '!='"),
    ("!true", "column 1: write 'not', or '!=' to compare"),
    ("price > (100", "column 13: expected ')', found the end"),
    ("price > 100)", "column 12: ')' has no matching opening bracket"),
    ("price", "column 1: a number is not a condition; compare it, as in price > 100"),
    ("side", "column 1: one of unknown, buy, sell is not a condition; compare it, as in side == sell"),
    ("symbol and price > 1", "column 1: a symbol is not a condition; compare it, as in symbol == AAPL"),
    ("side == bye", "column 9: 'side' is never 'bye'; it is one of unknown, buy, sell"),
    ("side == sel", "column 9: 'side' is never 'sel'; did you mean 'sell'?"),
    ("side < buy", "column 1: 'side' and its like cannot be ordered; compare them with '==', '!=', 'in' or 'matches'"),
    ("symbol > AAPL", "column 1: symbols cannot be ordered; compare them with '==', '!=', 'in' or 'matches'"),
    ("symbol == 0700", "column 11: a symbol cannot be compared with a number; write a symbol with other characters as \"0700\""),
    ("symbol in [0700]", "column 12: expected a symbol; between quotation marks it is one: \"0700\""),
    ("symbol in [BTC-USD]", "column 12: expected a symbol; one with other characters than letters and digits is written as \"BTC-USD\""),
    (
      "symbol == price",
      "column 11: a symbol cannot be compared with a number; 'price' is a field here; write the symbol of this name as \"price\""
    ),
    // Locations that were once one byte too far, and texts that are not names.
    (
      "symbol == (price)",
      "column 11: a symbol cannot be compared with a number; 'price' is a field here; write the symbol of this name as \"price\""
    ),
    ("symbol == (5)", "column 11: a symbol cannot be compared with a number"),
    ("symbol == ( 5 )", "column 11: a symbol cannot be compared with a number"),
    ("symbol > max(price, 1, 2)", "column 10: a symbol cannot be compared with a number"),
    ("symbol == abs(price)", "column 11: a symbol cannot be compared with a number"),
    ("symbol in [(5)]", "column 12: expected a symbol"),
    ("symbol in [max(1, 2)]", "column 12: expected a symbol"),
    ("symbol in [(AAPL == NVDA)]", "column 12: expected a symbol"),
    ("symbol == (\"\u{20ac}\u{301}\" == 5)", "column 11: expected a value, found a condition"),
    ("symbol == (-5)", "column 11: a symbol cannot be compared with a number"),
    // Notations of other languages.
    ("symbol == BRK-B", "column 11: expected a symbol; one with other characters than letters and digits is written as \"BRK-B\""),
    ("BTC/USD == symbol", "column 1: expected a symbol; one with other characters than letters and digits is written as \"BTC/USD\""),
    (
      "symbol != BTC-USD-PERP",
      "column 11: expected a symbol; one with other characters than letters and digits is written as \"BTC-USD-PERP\""
    ),
    (
      "symbol == price-size",
      "column 11: a symbol cannot be compared with a number; write a symbol with other characters as \"price-size\""
    ),
    (
      "symbol == BRK - B",
      "column 11: trade has no field 'BRK'; its fields are symbol, price, size, side, time, received, condition; a symbol is compared as in symbol == BRK, several as in symbol in [AAPL, NVDA]"
    ),
    ("True", "column 1: trade has no field 'True'; write 'true'"),
    ("price > 1 and FALSE", "column 15: trade has no field 'FALSE'; write 'false'"),
    (
      "price > 100%",
      "column 9: an amount cannot be compared with a percentage; a quotient is, as in bid / ask < 99%; an amount is written without '%', as in price > 100"
    ),
    ("symbol == «AAPL»", "column 11: write \" as the quotation mark"),
    ("symbol == ‚AAPL‘", "column 11: write ' as the quotation mark"),
    ("symbol == 0700.HK", "column 11: a name that begins with a digit is written in quotation marks: \"0700.HK\""),
    ("symbol matches BRK*", "column 16: write a pattern in quotation marks, as in \"BRK.*\""),
    ("symbol matches BRK.*", "column 16: write a pattern in quotation marks, as in \"BRK.*\""),
    ("symbol matches *", "column 16: write a pattern in quotation marks, as in \"BRK.*\""),
    ("time > 09:45", "column 8: a time is written with its date and zone, as in 2013-10-08T09:45:00Z or 2013-10-08T09:45:00-04:00"),
    ("time > 9:45:30", "column 8: a time is written with its date and zone, as in 2013-10-08T09:45:30Z or 2013-10-08T09:45:30-04:00"),
    ("time > 25:99", "column 8: a time is written with its date and zone, as in 2013-10-08T09:45:00Z or 2013-10-08T09:45:00-04:00"),
    (
      "percent > 1",
      "column 1: trade has no field 'percent' (a ranked, which sorting_feed emits, and a mover, which movers emits, have one); its fields are symbol, price, size, side, time, received, condition"
    ),
    (
      "bid > 1", "column 1: trade has no field 'bid' (a quote has one); its fields are symbol, price, size, side, time, received, condition"
    ),
    (
      "price > 1 within 5m",
      "column 11: write a time in a function, as in highest(price, 5m) or price / lowest(price, 5m) > 101%"
    ),
    (
      "price > 1 for 5m",
      "column 11: how long a condition has to be true is said beside it in a rule, as in { when: \"price > 100\", for: 3s }"
    ),
    (
      "price > 1 in 5m",
      "column 11: write a time in a function, as in highest(price, 5m) or price / lowest(price, 5m) > 101%"
    ),
    ("price \u{2265} 100", "column 7: write '>='"),
    ("price\u{2265}100", "column 6: write '>='"),
    ("symbol == \u{201c}AAPL\u{201d}", "column 11: write \" as the quotation mark"),
    ("price\u{a0}> 1", "column 6: write an ordinary space"),
    ("symbol == \"a,b\"", "column 11: a symbol cannot contain control characters, quotation marks, backslashes or commas"),
    ("symbol in []", "column 12: the list is empty, so nothing can be in it"),
    ("symbol in AAPL", "column 11: expected a list such as [AAPL, NVDA], found 'AAPL'"),
    ("symbol == [AAPL]", "column 11: write a list after 'in', as in symbol in [AAPL, NVDA]"),
    ("symbol matches price", "column 16: expected a pattern such as \"BRK.*\", in which * is any text and ? one character"),
    ("price matches \"1*\"", "column 1: only symbols, texts and choices match a pattern, and this is a number"),
    ("price > time", "column 9: a number cannot be compared with a time; write a time, as in 2013-10-08T13:30:00Z"),
    ("received - time > 250", "column 19: a duration cannot be compared with a number; write a unit, as in 250ms"),
    ("price > \"100\"", "column 9: a number cannot be compared with a text; a number is written without quotation marks"),
    ("price + 1% > 5", "column 1: a percentage cannot be added to a number; multiply instead, as in price * 101%"),
    ("time + 5 > received", "column 1: a number cannot be added to a time; write the number with a unit, as in 250ms"),
    ("time + received > time", "column 1: a time cannot be added to a time"),
    ("price * side > 5", "column 9: expected a number, a duration or a time, found one of unknown, buy, sell"),
    ("price > 1 / 0", "column 9: this divides by zero"),
    ("price > 1.0000000001", "column 9: more than nine decimals"),
    ("price > 1e40", "column 9: the number is too large"),
    ("received - time > 0.1ns", "column 19: finer than a nanosecond"),
    ("received - time > 5 min", "column 21: write a unit directly after its number, as in 250ms; units are d, h, m, s, ms, us and ns"),
    ("received - time > 5min", "column 20: unknown unit 'min'; units are %, d, h, m, s, ms, us and ns"),
    ("received - time > 1s1h", "column 19: write each unit of a duration once, the larger ones first"),
    ("time > 2013-10-08", "column 8: a time is written with its zone, as in 2013-10-08T13:30:00Z"),
    ("time > 2013-10-08T09:30:00 and true", "column 8: a time is written with its zone, as in 2013-10-08T13:30:00Z"),
    ("time > 2013-13-08T09:30:00Z", "column 8: a time is written with its zone, as in 2013-10-08T13:30:00Z"),
    ("abz(price) > 1", "column 1: unknown function 'abz'; did you mean 'abs'?"),
    (
      "sqrt(price) > 1",
      "column 1: unknown function 'sqrt'; there are abs, min, max, and functions over earlier events such as sma(price, 20), highest(price, 5m), vwap(session) and crosses_above(price, vwap(session))"
    ),
    ("abs() > 1", "column 5: abs takes a value"),
    ("abs(1, 2) > 1", "column 6: expected ')', found ','"),
    ("min(price) > 1", "column 10: min takes two or more values, as in min(bid, ask)"),
    ("min(price, time) > 1", "column 12: min takes values of one kind, but this is a time and not a number"),
    ("1 < price > 2", "column 11: only comparisons in one direction can be chained, as in 10 < price <= 20; join others by 'and'"),
    ("price == size == 1", "column 15: only comparisons in one direction can be chained, as in 10 < price <= 20; join others by 'and'"),
    ("(price > 1) > 2", "column 1: expected a value, found a condition"),
    ("price > and", "column 9: expected a value, found 'and'; to use it as a symbol or text, write \"and\""),
    ("symbol == \"AAPL", "column 11: the text has no closing quotation mark"),
    ("symbol == \"\\q\"", "column 12: unknown escape; known are \\\" \\' \\\\ \\n \\r \\t and \\u{…}"),
    ("price > $5", "column 9: prices are written without a currency, as in price > 100"),
    ("price > .5", "column 9: a number begins and ends with a digit, as in 0.5"),
    ("price > 5 %", "column 11: write a '%' directly after a number, as in 1.5%"),
    ("\u{7}", "column 1: unexpected character"),
    ("é == 5", "column 1: trade has no field 'é'; its fields are symbol, price, size, side, time, received, condition"),
    ("price > 5 and é == 5", "column 15: trade has no field 'é'; its fields are symbol, price, size, side, time, received, condition"),
    (
      "AAPL == NVDA",
      "column 1: trade has no field 'AAPL'; its fields are symbol, price, size, side, time, received, condition; a symbol is compared as in symbol == AAPL, several as in symbol in [AAPL, NVDA]"
    ),
    ("price in [size]", "column 11: a list holds constants, no fields"),
    ("price in [buy]", "column 11: trade has no field 'buy'; its fields are symbol, price, size, side, time, received, condition"),
  ])
  func `is told with its place`(text: String, message: String) { #expect(error(text)?.description == message) }

  @Test(arguments: [
    ("price > 1,000", 10, "a number has no commas: 1_000 or 1000"),
    ("price > 1_000,50", 14, "write decimals after a point, as in 0.5"),
    ("price > 1 000", 11, "a number has no spaces: 1_000"),
    ("price > 1 2", 11, "expected an operator such as 'and', found a number"),
    ("size > 1'000", 9, "digits are grouped by '_', as in 1_000"),
    ("price > 100$", 12, "prices are written without a currency, as in price > 100"),
    ("price > 100 USD", 13, "prices are written without a currency, as in price > 100"),
    ("price > 100€", 12, "prices are written without a currency, as in price > 100"),
    ("price > €100", 9, "prices are written without a currency, as in price > 100"),
    ("price > 100k", 12, "write all digits, as in 1_000_000, or 1e6"),
    (
      "price > 1.5m", 9,
      "a number cannot be compared with a duration; d, h, m, s, ms, us and ns are units of time, and a million is written as 1_000_000 or 1e6"
    ),
    ("price > 5 percent", 11, "write a '%' directly after the number, as in 1.5%"),
    ("price > price[1]", 14, "an earlier value is written as prev(price), or prev(price, 3) for three events before"),
    ("price > +5", 9, "expected a value, found '+'; a number has no '+' before it"),
    (
      "$price > 1", 1, "'$' has no meaning here; write a field without it, and a symbol with it in quotation marks, as in \"$X\""
    ),
    (
      "within 5m", 1,
      "write a time in a function, as in highest(price, 5m) or price / lowest(price, 5m) > 101%"
    ),
    (
      "price crosses above 100", 7,
      "write crosses_above(price, 100) or crosses_below(price, 100) for crossings, and change(price) > 0 or change(price) < 0 for moves"
    ),
    (
      "price > avg(price)", 9,
      "unknown function 'avg'; write sma(price, 20)"
    ),
    (
      "time > now()", 8,
      "unknown function 'now'; a condition has no current time; the delay of an event is received - time, as in received - time < 1s"
    ),
    ("symbol like \"A%\"", 8, "write 'matches' with a pattern in which * is any text and ? one character, as in symbol matches \"A*\""),
    (
      "symbol not like \"A%\"", 12,
      "write 'not matches' with a pattern in which * is any text and ? one character, as in symbol not matches \"A*\""
    ),
    (
      "symbol.endswith(\"A\")", 1,
      "unknown function 'symbol.endswith'; write 'matches' with a pattern in which * is any text and ? one character, as in symbol matches \"*USD\""
    ),
    ("symbol ~ \"A\"", 8, "write 'matches', as in symbol matches \"A*\""),
    ("symbol == AAPL*", 16, "expected a value, found the end; write a pattern after 'matches', as in symbol matches \"A*\""),
    (
      "symbol matches [\"A*\", \"B*\"]", 16,
      "write one pattern after 'matches', and join several by 'or', as in symbol matches \"A*\" or symbol matches \"B*\""
    ),
    ("price between 1 and 2", 7, "a range is written as in 10 <= price <= 20"),
    ("price not between 1 and 2", 11, "values outside of a range are written as in price < 10 or price > 20"),
    ("price in [1..2]", 12, "a range is written as in 10 <= price <= 20"),
    ("price in 1..2", 10, "expected a list such as [1, 2], found a number; a range is written as in 10 <= price <= 20"),
    ("symbol in (AAPL, NVDA)", 11, "write a list in square brackets, as in symbol in [AAPL, NVDA]"),
    ("symbol == AAPL, NVDA", 15, "write several as a list after 'in', as in symbol in [AAPL, NVDA]"),
    ("price > 100, size > 5", 12, "write 'and' or 'or' between two conditions"),
    ("price is null", 7, "nothing is null here: every event has all of its fields"),
    ("price is greater than 5", 7, "write '>' to compare"),
    ("price === 1", 7, "write '==' to compare"),
    ("price !== 1", 7, "write '!=' to compare"),
    ("price : 100", 7, "write '==' to compare"),
    ("price % 2 == 0", 7, "write a '%' directly after a number, as in 1.5%; there is no remainder operator"),
    ("price ** 2 > 1", 8, "expected a value, found '*'; there is no power operator, write price * price"),
    ("where price > 100", 1, "leave out 'where'; a condition begins with a value, as in price > 100"),
    ("NOT price > 1", 1, "write 'not' in lower case"),
    ("abs price > 1", 1, "write abs(…), with its values in parentheses"),
    ("> 100", 1, "expected a value, found '>'; every comparison names its field, as in price > 100 and price < 200"),
    ("price > 100 and < 200", 17, "expected a value, found '<'; every comparison names its field, as in price > 100 and price < 200"),
    (
      "price == 100 or 200", 17,
      "a number is not a condition; write a whole comparison on each side of 'or', as in price < 100 or price > 200"
    ),
    (
      "symbol == AAPL or \"NVDA\"", 19,
      "a text is not a condition; write a whole comparison on each side of 'or', as in symbol == AAPL or symbol == NVDA"
    ),
    (
      "price == AAPL", 10,
      "trade has no field 'AAPL'; its fields are symbol, price, size, side, time, received, condition; a symbol is compared as in symbol == AAPL, several as in symbol in [AAPL, NVDA]"
    ),
    ("price == \"AAPL\"", 10, "a number cannot be compared with a text; a symbol is compared as in symbol == AAPL"),
    ("\"price\" > 100", 1, "a text cannot be compared with a number; a field is written without quotation marks: price"),
    ("PRICE > 100", 1, "trade has no field 'PRICE'; did you mean 'price'?"),
    ("trade.price > 1", 1, "trade has no field 'trade.price'; did you mean 'price'?"),
    ("side == BUY", 9, "'side' is never 'BUY'; did you mean 'buy'?"),
  ])
  func `what other languages write is told as it is written here`(text: String, column: Int, message: String) {
    #expect(error(text)?.description == "column \(column): \(message)")
  }

  @Test func `percentages and numbers`() {
    #expect(
      error("percent > size / price", Reading.self)?.description
        == "column 11: a percentage cannot be compared with a number; divide the percentage by 1% to make it a number")
    #expect(error("percent + 1 > 2%", Reading.self)?.message == "a number cannot be added to a percentage; write the number with a '%'")
    #expect(error("size / price > 0.00000001%", Reading.self)?.message == "as a fraction of 1 the percentage has more than nine decimals")
  }

  @Test func `is marked in the text`() {
    #expect(
      error("price > 100 and chnge < 0", Ranked.self)?.marked == """
        price > 100 and chnge < 0
                        ^~~~~ ranked has no field 'chnge'; did you mean 'change'?
        """)
    #expect(error("price > ")?.marked == "price > \n        ^ expected a value, found the end")
    #expect(error("side == 'a\tb'")?.marked.hasPrefix("side == 'a·b'\n        ^~~~~ ") == true)
    let long = Array(repeating: "price > 100", count: 20).joined(separator: " and ") + " and prise > 1 and " + "size > 1"
    let hundreds = Array(repeating: "price > 100", count: 4).joined(separator: " and ")
    #expect(
      error(long)?.marked == """
        …ice > 100 and \(hundreds) and prise > 1 and size > 1
        \(String(repeating: " ", count: 79))^~~~~ trade has no field 'prise'; did you mean 'price'?
        """)
  }

  @Test func `while somebody types`() {
    func state(_ text: String) -> String {
      switch ExpressionDraft<Trade>(text) {
      case .empty: "empty"
      case .incomplete(let error): "incomplete \(error.completions.joined(separator: " "))"
      case .wrong(let error): "wrong: \(error.message)"
      case .ready(let expression): "ready: \(expression)"
      }
    }
    #expect(state("") == "empty" && state("  ") == "empty")
    #expect(state("p") == "incomplete price")
    #expect(state("s") == "incomplete symbol size side")
    #expect(state("size") == "incomplete ")
    #expect(state("px") == "wrong: trade has no field 'px'; did you mean 'price'?")
    #expect(state("qq") == "wrong: trade has no field 'qq'; its fields are symbol, price, size, side, time, received, condition")
    #expect(state("price >") == "incomplete ")
    #expect(state("price > 1") == "ready: price > 1")
    #expect(state("price > 1 a") == "incomplete and")
    #expect(state("price > 1 and r") == "incomplete received")
    #expect(state("side == b") == "incomplete buy")
    #expect(state("side == x") == "wrong: 'side' is never 'x'; it is one of unknown, buy, sell")
    #expect(state("symbol matches \"A") == "incomplete ")
    #expect(state("received - time > 250m") == "ready: received - time > 4h10m")
    #expect(state("received - time > 250u") == "incomplete ")
    #expect(state("symbol not ") == "incomplete in matches")
    #expect(state("symbol not m") == "incomplete matches")
    #expect(state("symbol not [") == "wrong: expected 'in' or 'matches' after 'not', found '['")
    #expect(state("price > 1 )") == "wrong: ')' has no matching opening bracket")
  }
}
