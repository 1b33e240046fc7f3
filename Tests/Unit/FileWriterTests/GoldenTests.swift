import FileWriter
import StockbusTestKit
import Testing

/// What file_writer writes for these events.
func write<E: Event>(_ events: [E], _ options: String = "", as name: String = "out.jsonl", in folder: TemporaryFolder) async throws
  -> String
{
  try await PluginHarness().consume([events], by: Plugin.fileWriter, options: "path: \(folder.file(name))\n\(options)")
  return folder.content(name)
}

@Suite(.timeLimit(.minutes(15))) struct GoldenTests {
  let folder = TemporaryFolder()

  private func check<E: Event>(_: E.Type, json: String, csv: String) async throws {
    let example = E.schema.example
    #expect(try await write([example, example], in: folder) == json + "\n" + json + "\n")
    #expect(try await write([example], as: "out.csv", in: folder) == E.schema.csvHeader + "\n" + csv + "\n")
    for name in folder.names { folder.remove(name) }
  }

  @Test func `trades`() async throws {
    try await check(
      Trade.self,
      json: #"{"symbol":"AAPL","price":189.25,"size":100,"side":"buy","time":"2013-10-08T13:30:00.012Z","#
        + #""received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv: "AAPL,189.25,100,buy,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z,")
  }

  @Test func `quotes`() async throws {
    try await check(
      Quote.self,
      json: #"{"symbol":"AAPL","bid":189.24,"ask":189.26,"bid_size":300,"ask_size":200,"time":"2013-10-08T13:30:00.012Z","#
        + #""received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv: "AAPL,189.24,189.26,300,200,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z")
  }

  @Test func `bars`() async throws {
    try await check(
      Bar.self,
      json: #"{"symbol":"AAPL","length":"1m","open":189.00,"high":190.50,"low":188.75,"close":189.25,"volume":1250000,"vwap":189.45,"#
        + #""turnover":236812500,"count":4217,"session":"regular","status":"complete","revision":0,"time":"2013-10-08T13:30:00Z","received":"2013-10-08T13:31:00Z"}"#,
      csv: "AAPL,1m,189.00,190.50,188.75,189.25,1250000,189.45,236812500,4217,regular,complete,0,2013-10-08T13:30:00Z,2013-10-08T13:31:00Z")
  }

  @Test func `rankings`() async throws {
    try await check(
      Ranked.self,
      json: #"{"symbol":"AAPL","rank":1,"previous_rank":3,"price":189.25,"change":1.25,"percent":0.664893617,"volume":1250000,"#
        + #""time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv: "AAPL,1,3,189.25,1.25,0.664893617,1250000,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z")
  }

  @Test func `alerts, connections and dead letters`() async throws {
    try await check(
      Alert.self,
      json: #"{"symbol":"AAPL","price":200.10,"rule":"AAPL above 200","message":"AAPL rose to 200.10","time":"2013-10-08T13:30:00.012Z"}"#,
      csv: "AAPL,200.10,AAPL above 200,AAPL rose to 200.10,2013-10-08T13:30:00.012Z,")
    try await check(
      ConnectionStatus.self,
      json: #"{"component":"echo","state":"connected","reason":"handshake done","time":"2013-10-08T13:30:00.012Z"}"#,
      csv: "echo,connected,handshake done,2013-10-08T13:30:00.012Z")
    try await check(
      DeadLetter.self,
      json: #"{"component":"prices","origin":"ticks.csv:17","sequence":0,"reason":"price: unexpected text at byte 6","#
        + #""payload":"AAPL,abc,100","time":"2013-10-08T13:30:00.012Z"}"#,
      csv: #"prices,ticks.csv:17,0,price: unexpected text at byte 6,"AAPL,abc,100",2013-10-08T13:30:00.012Z"#)
  }

  @Test func `decimals stay as they came`() async throws {
    var trade = Trade.schema.example
    var lines: [Trade] = []
    for (price, decimals, size, sizeDecimals) in [("5", 0, "1", 3), ("5", 4, "0.25", 0), ("0.000000001", 2, "1.5", 9)]
      as [(String, UInt8, String, UInt8)]
    {
      trade.price = try Price(price)
      trade.priceDecimals = decimals
      trade.size = try Quantity(size)
      trade.sizeDecimals = sizeDecimals
      lines.append(trade)
    }
    #expect(
      try await write(lines, "fields: [size, price]\nformat: csv\nheader: false", in: folder) == """
        1.000,5
        0.25,5.0000
        1.500000000,0.000000001

        """)
  }

  @Test func `fields are written in the order they are named`() async throws {
    let trade = Trade.schema.example
    #expect(try await write([trade], "fields: [side, symbol]", in: folder) == #"{"side":"buy","symbol":"AAPL"}"# + "\n")
    #expect(try await write([trade], "fields: price", as: "p.csv", in: folder) == "price\n189.25\n")
  }

  @Test(arguments: [
    ("iso8601", #""2013-10-08T13:30:00.012345678Z""#), ("iso8601_s", #""2013-10-08T13:30:00Z""#),
    ("iso8601_ms", #""2013-10-08T13:30:00.012Z""#), ("iso8601_us", #""2013-10-08T13:30:00.012345Z""#),
    ("iso8601_ns", #""2013-10-08T13:30:00.012345678Z""#), ("s", "1381239000"), ("ms", "1381239000012"), ("us", "1381239000012345"),
    ("ns", "1381239000012345678"),
  ])
  func `times`(form: String, expected: String) async throws {
    let text = try await write([Trade.schema.example], "fields: [received]\ntimes: \(form)", in: folder)
    #expect(text == #"{"received":"# + expected + "}\n")
  }

  @Test(arguments: [
    ("fields: [price, prise]", "2:17: error: 'fields': trade has no field 'prise'; did you mean 'price'?"),
    (
      "fields: [volume]",
      "2:10: error: 'fields': trade has no field 'volume'; there are symbol, price, size, side, time, received, condition"
    ),
    ("fields: [price, side, price]", "2:23: error: 'fields' names 'price' twice"),
    ("fields: []", "2:9: error: 'fields' names no field; there are symbol, price, size, side, time, received, condition"),
    ("times: unix", "2:8: error: 'times' must be one of iso8601, iso8601_s, iso8601_ms, iso8601_us, iso8601_ns, s, ms, us, ns, got 'unix'"),
  ])
  func `options that are not allowed`(options: String, message: String) async throws {
    await #expect {
      _ = try await write([Trade.schema.example], options, in: folder)
    } throws: {
      ($0 as? Problems)?.description == "options.yaml:" + message
    }
    #expect(folder.names == [])
  }

  @Test func `standard output cannot be rotated`() async throws {
    await #expect {
      try await PluginHarness().consume([[Trade.schema.example]], by: Plugin.fileWriter, options: "{ path: '-', rotate: 1MiB }")
    } throws: { "\($0)" == "options.yaml:1:14: error: standard output cannot be rotated" }
  }
}
