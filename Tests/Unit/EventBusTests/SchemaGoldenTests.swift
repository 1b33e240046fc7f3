import EventBus
import MarketData
import Testing

/// The encoded forms of every event type of the bus, written by hand.
@Suite struct SchemaGoldenTests {
  private func check<E: Event & Equatable>(
    _ event: E, header: String, json golden: String, csv line: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(E.schema.csvHeader == header, sourceLocation: sourceLocation)
    #expect(json(event) == golden, sourceLocation: sourceLocation)
    #expect(E.schema.json(event) == golden, sourceLocation: sourceLocation)
    #expect(csv(event) == line, sourceLocation: sourceLocation)
    #expect(try decodeJSON(E.self, golden) == event, sourceLocation: sourceLocation)
    #expect(try decodeCSV(E.self, line) == event, sourceLocation: sourceLocation)
    #expect(E.schema.undeclaredProperties() == [], sourceLocation: sourceLocation)
  }

  @Test func `a trade`() throws {
    try check(
      Trade.schema.example, header: "symbol,price,size,side,time,received,condition",
      json:
        #"{"symbol":"AAPL","price":189.25,"size":100,"side":"buy","time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv: "AAPL,189.25,100,buy,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z,")
  }

  @Test func `the condition of a trade is written if it is not the usual one, and where it is asked for`() throws {
    let time = Timestamp(ns: 0)
    let odd = Trade(symbol: "AAPL", price: 1, size: 2, time: time, received: time, condition: .oddLot)
    try check(
      odd, header: "symbol,price,size,side,time,received,condition",
      json:
        #"{"symbol":"AAPL","price":1,"size":2,"side":"unknown","time":"1970-01-01T00:00:00Z","received":"1970-01-01T00:00:00Z","condition":"odd_lot"}"#,
      csv: "AAPL,1,2,unknown,1970-01-01T00:00:00Z,1970-01-01T00:00:00Z,odd_lot")
    let regular = Trade(symbol: "AAPL", price: 1, size: 2, time: time, received: time)
    // Lines of before there were conditions, the word itself, and nothing between quotation marks.
    let line = "AAPL,1,2,unknown,1970-01-01T00:00:00Z,1970-01-01T00:00:00Z"
    for end in ["", ",", ",regular", ",\"\"", "\n", ",\r\n"] { #expect(try decodeCSV(Trade.self, line + end) == regular, "\(end)") }
    #expect(throws: TextError.self) { try decodeCSV(Trade.self, line + ",odd") }
    #expect(throws: TextError.self) { try decodeCSV(Trade.self, line + ",,") }
    let early = #"{"condition":"regular","symbol":"AAPL","price":1,"size":2,"side":"unknown","time":0,"received":0}"#
    #expect(try decodeJSON(Trade.self, early) == regular)
    #expect(try decodeJSON(Trade.self, early.replacing("regular", with: "odd_lot")) == odd)
    // A field that is asked for by name is always there.
    let chosen = try #require(EventEncoder<Trade>(fields: ["condition", "price"]))
    func written(_ trade: Trade, _ encode: (Trade, inout ByteWriter) -> Void) -> String {
      var out = ByteWriter()
      encode(trade, &out)
      return out.string
    }
    #expect(written(regular) { chosen.encodeJSON($0, to: &$1) } == #"{"condition":"regular","price":1}"#)
    #expect(written(regular) { chosen.encodeCSV($0, to: &$1) } == "regular,1")
    // An echo differs where it has lost a condition.
    func difference(_ trade: Trade, _ echo: String) throws -> String? {
      var echo = echo
      return try echo.withUTF8 { bytes in
        var reader = ByteReader(bytes)
        return try Trade.schema.firstDifference(from: trade, json: &reader)
      }
    }
    #expect(try difference(odd, json(regular)) == "condition")
    #expect(try difference(regular, json(odd)) == "condition")
    #expect(try difference(regular, early) == nil)
    #expect(try difference(odd, json(odd)) == nil)
  }

  @Test func `what a spreadsheet would take for a formula gets an apostrophe, where that is asked for; numbers stay`() {
    func defused<E: Event>(_ event: E) -> String {
      var out = ByteWriter()
      var encoder = EventEncoder<E>()
      encoder.defusesFormulas = true
      encoder.encodeCSV(event, to: &out)
      return out.string
    }
    let time = Timestamp(ns: 0)
    for name in ["=1+1", "+A", "-A", "@SUM(A1)"] {
      guard let symbol = try? Symbol(name) else { continue }
      let trade = Trade(symbol: symbol, price: Price(raw: -1_500_000_000), size: 1, time: time, received: time)
      #expect(defused(trade) == "'\(name),-1.5,1,unknown,1970-01-01T00:00:00Z,1970-01-01T00:00:00Z,")
      #expect(csv(trade).hasPrefix("\(name),-1.5,"))
    }
    // After CSV's own quotation mark, and several in one record.
    let text = "=HYPERLINK(\"http://x\",\"y\")"
    let alert = Alert(symbol: "AAPL", rule: text, message: "-2", price: Price(raw: -2_000_000_000), time: time)
    #expect(defused(alert).contains("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""))
    #expect(defused(alert).contains("'-2"))
    #expect(defused(Alert.schema.example) == csv(Alert.schema.example))
  }

  @Test func `a quote`() throws {
    try check(
      Quote.schema.example, header: "symbol,bid,ask,bid_size,ask_size,time,received",
      json:
        #"{"symbol":"AAPL","bid":189.24,"ask":189.26,"bid_size":300,"ask_size":200,"time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv: "AAPL,189.24,189.26,300,200,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z")
  }

  @Test func `a bar`() throws {
    try check(
      Bar.schema.example, header: "symbol,length,open,high,low,close,volume,vwap,turnover,count,session,status,revision,time,received",
      json:
        #"{"symbol":"AAPL","length":"1m","open":189.00,"high":190.50,"low":188.75,"close":189.25,"volume":1250000,"vwap":189.45,"turnover":236812500,"count":4217,"session":"regular","status":"complete","revision":0,"time":"2013-10-08T13:30:00Z","received":"2013-10-08T13:31:00Z"}"#,
      csv: "AAPL,1m,189.00,190.50,188.75,189.25,1250000,189.45,236812500,4217,regular,complete,0,2013-10-08T13:30:00Z,2013-10-08T13:31:00Z")
  }

  @Test func `a ranked price`() throws {
    try check(
      Ranked.schema.example, header: "symbol,rank,previous_rank,price,change,percent,volume,time,received",
      json:
        #"{"symbol":"AAPL","rank":1,"previous_rank":3,"price":189.25,"change":1.25,"percent":0.664893617,"volume":1250000,"time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv: "AAPL,1,3,189.25,1.25,0.664893617,1250000,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z")
  }

  @Test func `a mover`() throws {
    try check(
      Mover.schema.example,
      header: "symbol,list,period,rank,previous_rank,price,reference,change,percent,volume,turnover,mark,time,received",
      json:
        #"{"symbol":"AAPL","list":"gainers","period":"week","rank":2,"previous_rank":3,"price":492.81,"reference":482.75,"change":10.06,"percent":2.083894355,"volume":62440000,"turnover":30426000000,"mark":"none","time":"2013-10-11T04:00:00Z","received":"2013-10-11T04:00:00.000345678Z"}"#,
      csv:
        "AAPL,gainers,week,2,3,492.81,482.75,10.06,2.083894355,62440000,30426000000,none,2013-10-11T04:00:00Z,2013-10-11T04:00:00.000345678Z"
    )
    #expect(MemoryLayout<Mover>.stride == 96)
    #expect(Mover.schema.undeclaredProperties() == [])
  }

  @Test func `an alert`() throws {
    try check(
      Alert.schema.example, header: "symbol,price,rule,message,time,status",
      json: #"{"symbol":"AAPL","price":200.10,"rule":"AAPL above 200","message":"AAPL rose to 200.10","time":"2013-10-08T13:30:00.012Z"}"#,
      csv: "AAPL,200.10,AAPL above 200,AAPL rose to 200.10,2013-10-08T13:30:00.012Z,")
  }

  @Test func `a connection's state`() throws {
    try check(
      ConnectionStatus.schema.example, header: "component,state,reason,time",
      json: #"{"component":"echo","state":"connected","reason":"handshake done","time":"2013-10-08T13:30:00.012Z"}"#,
      csv: "echo,connected,handshake done,2013-10-08T13:30:00.012Z")
  }

  @Test func `a dead letter, with what needs escaping`() throws {
    let letter = DeadLetter(
      component: "prices", origin: "ticks.csv:17", sequence: -1, reason: "\"price\": \\ \u{1}\u{1f}\t\r\n", payload: "AAPL,\"é𝄞\",1",
      time: Timestamp(ns: -1))
    try check(
      letter, header: "component,origin,sequence,reason,payload,time",
      json:
        #"{"component":"prices","origin":"ticks.csv:17","sequence":-1,"reason":"\"price\": \\ \u0001\u001f\t\r\n","payload":"AAPL,\"é𝄞\",1","time":"1969-12-31T23:59:59.999999999Z"}"#,
      csv: "prices,ticks.csv:17,-1,\"\"\"price\"\": \\ \u{1}\u{1f}\t\r\n\",\"AAPL,\"\"é𝄞\"\",1\",1969-12-31T23:59:59.999999999Z")
  }

  @Test(arguments: [
    (TimeStyle.iso8601(.seconds), "2013-10-08T13:30:00Z", "1969-12-31T23:59:59Z"),
    (.iso8601(.milliseconds), "2013-10-08T13:30:00.012Z", "1969-12-31T23:59:59.999Z"),
    (.iso8601(.microseconds), "2013-10-08T13:30:00.012345Z", "1969-12-31T23:59:59.999999Z"),
    (.iso8601(.nanoseconds), "2013-10-08T13:30:00.012345678Z", "1969-12-31T23:59:59.999999999Z"),
    (.iso8601(.shortest), "2013-10-08T13:30:00.012345678Z", "1969-12-31T23:59:59.999999999Z"),
    (.epoch(.nanoseconds), "1381239000012345678", "-1"),
    (.epoch(.microseconds), "1381239000012345", "-1"),
    (.epoch(.milliseconds), "1381239000012", "-1"),
    (.epoch(.seconds), "1381239000", "-1"),
  ]) func `times in every style, cut towards the past`(style: TimeStyle, golden: String, before: String) {
    func end(_ ns: Int64) -> (json: Substring, csv: Substring) {
      var trade = Trade.schema.example
      trade.received = Timestamp(ns: ns)
      return (
        json(trade, times: style).split(separator: ":", maxSplits: 20).last ?? "", csv(trade, times: style).split(separator: ",").last ?? ""
      )
    }
    #expect(end(1_381_239_000_012_345_678).csv == golden)
    #expect(end(-1).csv == before)
    if case .epoch = style { #expect(end(-1).json == "\(before)}") }
  }

  @Test func `the schema finds time and symbol`() {
    #expect(Trade.schema.time(of: Trade.schema.example) == Timestamp(ns: 1_381_239_000_012_000_000))
    #expect(Trade.schema.symbol(of: Trade.schema.example) == "AAPL")
    #expect(DeadLetter.schema.symbol(of: DeadLetter.schema.example) == nil)
  }

  @Test func `the middle of a quote does not overflow`() {
    var quote = Quote.schema.example
    #expect(quote.lastPrice == Price(raw: 189_250_000_000))
    quote.bid = Price(raw: .max - 1)
    quote.ask = Price(raw: .max)
    #expect(quote.lastPrice == Price(raw: .max - 1))
    quote.bid = Price(raw: -3)
    quote.ask = Price(raw: -2)
    #expect(quote.lastPrice == Price(raw: -3))
  }
}
