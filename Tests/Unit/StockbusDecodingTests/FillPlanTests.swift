import MarketData
import StockbusPlugin
import Testing

@testable import StockbusDecoding

/// Addresses and pages of missed trades, written by hand from the venues' documentation.
@Suite struct FillPlanTests {
  private func plan(_ preset: VenuePreset, _ series: String) throws -> FillPlan {
    try #require(try FillPlan.all(of: preset.spec, limit: 1 << 20).first { $0.series == series })
  }

  private func address(_ plan: FillPlan, _ symbol: Symbol) -> String? {
    plan.address(of: symbol, from: 7, before: 12, since: Timestamp(ns: 1_700_000_000_123_456_789))
  }

  private func page(_ plan: FillPlan, _ text: String) -> FillPlan.Page {
    Array(text.utf8).withUnsafeBufferPointer { plan.read($0, of: "BTC-USD", received: received) }
  }

  private func lines(_ page: FillPlan.Page) -> [String] { page.rows.map { "\($0.number): \(line($0.trade))" } }

  @Test func `Binance: by number`() throws {
    let trades = try plan(.binance, "trade")
    #expect(address(trades, "BTC-USDT") == "https://api.binance.com/api/v3/historicalTrades?symbol=BTCUSDT&fromId=7&limit=1000")
    let found = page(
      trades,
      #"[{"id":28457,"price":"4.00000100","qty":"12.0","quoteQty":"48.000012","time":1499865549590,"isBuyerMaker":true,"isBestMatch":true}]"#
    )
    #expect(lines(found) == ["28457: BTC-USD 4.00000100 x12.0 sell @2017-07-12T13:19:09.590Z"])
    #expect(page(trades, "[]").rows == [] && page(trades, "[]").fault == nil)
    #expect(page(trades, #"{"code":-1121,"msg":"Invalid symbol."}"#).refusal == "Invalid symbol.")
    let aggregated = #"[{"a":26129,"p":"0.01633102","q":"4.7","f":27781,"l":27781,"T":1498793709153,"m":false,"M":true}]"#
    #expect(
      lines(page(try plan(.binance, "agg_trade"), aggregated)) == ["26129: BTC-USD 0.01633102 x4.7 buy @2017-06-30T03:35:09.153Z"])
    #expect(
      address(try plan(.binanceFutures, "agg_trade"), "BTC-USDT")
        == "https://fapi.binance.com/fapi/v1/aggTrades?symbol=BTCUSDT&fromId=7&limit=1000")
  }

  @Test func `Coinbase: back from a number, and the maker's side is turned round`() throws {
    let trades = try plan(.coinbaseExchange, "match")
    #expect(trades.beginning == .before)
    #expect(address(trades, "BTC/USD") == "https://api.exchange.coinbase.com/products/BTC-USD/trades?after=12&limit=1000")
    let found = page(
      trades,
      #"[{"time":"2014-11-07T22:19:28.578544Z","trade_id":74,"price":"10.00","size":"0.01","side":"buy"},{"time":"2014-11-07T01:08:43.642366Z","trade_id":73,"price":"100.0","size":"0.01","side":"sell"}]"#
    )
    #expect(
      lines(found) == [
        "74: BTC-USD 10.00 x0.01 sell @2014-11-07T22:19:28.578544Z", "73: BTC-USD 100.0 x0.01 buy @2014-11-07T01:08:43.642366Z",
      ])
    #expect(page(trades, #"{"message":"NotFound"}"#).refusal == "NotFound")
  }

  @Test func `Kraken: from a time, with other names and a cursor beside the list`() throws {
    let trades = try plan(.kraken, "trade")
    #expect(
      address(trades, "BTC-USD") == "https://api.kraken.com/0/public/Trades?pair=XBTUSD&since=1700000000123456789&count=1000")
    let found = page(
      trades,
      #"{"error":[],"result":{"XXBTZUSD":[["30243.40000","0.34507674",1688669597.827736900,"b","m","",61044952]],"last":"1688671969993150842"}}"#
    )
    #expect(lines(found) == ["61044952: BTC-USD 30243.40000 x0.34507674 buy @2023-07-06T18:53:17.827736900Z"])
    #expect(found.fault == nil)
    #expect(page(trades, #"{"error":["EGeneral:Too many requests"]}"#).refusal == "EGeneral:Too many requests")
  }

  @Test func `placeholders of an address`() {
    func text(_ template: String) -> String {
      FillTemplate(template).text(
        symbol: "A/b", from: -3, before: 4, since: Timestamp(ns: -1_500_000_000), credentials: ["key": Secret("k&1")])
    }
    #expect(text("{symbol}{symbol:lower}?{from},{before}") == "A%2Fba%2Fb?-3,4")
    #expect(text("{since:s} {since:ms} {since:us} {since:ns}") == "-2 -1500 -1500000 -1500000000")
    #expect(text("{since:iso8601}{credentials.key}") == "1969-12-31T23%3A59%3A58.500Zk%261")
    #expect(text("no{") == "no{" && text("{}") == "{}")
    #expect(
      FillTemplate("{symbol}?{form}").faults == [
        "unknown placeholder '{form}'; did you mean 'from'?", "it needs either {from}, {before} or {since:ns}",
      ])
    #expect(FillTemplate("{from}{before}").faults == ["it needs either {from}, {before} or {since:ns}", "it needs {symbol}"])
  }

  @Test func `what is wrong in a description of missed trades`() {
    var spec = VenuePreset.kraken.spec
    #expect(spec.fillFaults() == [])
    var rule = MessageRule.rows(time: "t", price: "p", size: "q", side: "s", number: "n")
    rule.sequence = nil
    rule.fields?.symbol = "x"
    rule.fields?.time = nil
    rule.fields?.price = nil
    spec.fill = [
      "trad": FillSpec("https://x/{symbol}?{from}&{credentials.key}", pace: .seconds(1), messages: ["rows": rule]), "trade": FillSpec(),
    ]
    #expect(
      spec.fillFaults().map { "\($0.option): \($0.message)" } == [
        "fill.trad: 'decoding.fill.trad' is of no kind of trades with a 'sequence'; did you mean 'trade'?",
        "credentials: 'credentials' needs 'key'",
        "fill.trad.messages.rows.fields: 'decoding.fill.trad.messages.rows.fields' has no 'price', which a trade needs",
        "fill.trad.messages.rows: 'decoding.fill.trad.messages.rows' needs a 'sequence': the path of a trade's number",
        "fill.trad.messages.rows.fields: 'decoding.fill.trad.messages.rows.fields' has no 'time', which a missed trade needs",
        "fill.trad.messages.rows.fields.symbol: 'decoding.fill.trad.messages.rows.fields.symbol' is not needed: rows are of the symbol that was asked for",
        "fill.trade: 'decoding.fill.trade' needs a 'url'",
        "fill.trade.messages: 'messages' is needed: the kinds of messages, as in decoding: { messages: { ticks: { when: { type: trade }, event: trade, fields: { symbol: data.s, price: data.p } } } }",
      ])
    var numbers = VenuePreset.binance.spec
    var trade = MessageRule()
    trade.sequence = SequenceRule("t", step: .rising)
    trade.only = ["m": ["true"]]
    var own = DecodingSpec()
    own.messages = ["trade": trade]
    numbers = own.over(numbers)
    #expect(
      numbers.fillFaults().map(\.message) == [
        "'decoding.fill.trade' needs numbers of the trades: each symbol's own, one more each time, but 'trade' has others",
        "'decoding.fill.trade' needs all trades, but 'only' in 'trade' leaves some out",
      ])
  }
}
