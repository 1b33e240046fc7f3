import EventBus
import MarketData
import TestSupport
import Testing

/// Decoding: what is accepted, and the position in errors.
@Suite struct SchemaDecodingTests {
  private let tail = #""side":"sell","time":"2024-01-02T03:04:05Z","received":7}"#

  @Test(arguments: [
    ("167.40", "167.40"), ("167", "167"), ("0.000000001", "0.000000001"), ("-0.5", "-0.5"), ("1.50e2", "150.00"),
    ("100000000.10", "100000000.10"),
  ])
  func `a price keeps the decimals it was written with`(text: String, printed: String) throws {
    let trade = try decodeJSON(Trade.self, #"{"symbol":"KEEP","price":\#(text),"size":1.0,\#(tail)"#)
    #expect(json(trade).contains(#""price":\#(printed),"size":1.0,"#))
    #expect(csv(trade).hasPrefix("KEEP,\(printed),1.0,sell,"))
    #expect(try decodeCSV(Trade.self, csv(trade)) == trade)
    #expect(trade.received == Timestamp(ns: 7))
  }

  private static let columns = ColumnLayout([
    ColumnInfo("vwap", .number), ColumnInfo("away", .percent), ColumnInfo("age", .duration), ColumnInfo("seen", .time),
    ColumnInfo("late", .flag),
  ])

  /// The row that is read behind the fields of a trade, or the error.
  private func row(json: String? = nil, csv: String? = nil) -> String {
    var text = json.map { #"{"symbol":"A","price":1,"size":2,"# + tail.dropLast() + $0 + "}" } ?? "A,1,2,sell,5,7,\(csv ?? "")"
    return text.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      var row: [Int64] = []
      do throws(TextError) {
        if json != nil {
          _ = try Trade.schema.decodeJSON(&reader, columns: Self.columns, row: &row)
        } else {
          _ = try Trade.schema.decodeCSV(&reader, columns: Self.columns, row: &row)
        }
        try reader.expectEnd()
      } catch { return "\(error)" }
      return row.map { $0 == ColumnLayout.missing ? "-" : "\($0)" }.joined(separator: " ")
    }
  }

  @Test(arguments: [
    ("", "- - - - -"), (#","vwap":null"#, "- - - - -"), (#","vwap":1.5"#, "1500000000 - - - -"),
    (#","late":true,"seen":"1970-01-01T00:00:01Z","age":0.000000002,"away":-3,"vwap":0"#, "0 -3000000000 2 1000000000 1"),
    (#", "late" : false , "seen" : 5 "#, "- - - 5 0"), (#","vwap":"1""#, "'vwap': unexpected text at byte 98"),
    (#","late":1"#, "'late': unexpected text at byte 98"), (#","late":"true""#, "'late': unexpected text at byte 98"),
    (#","seen":"soon""#, "'seen': not a time at byte 99"), (#","seen":1.5"#, "unexpected text at byte 99"),
    (#","vwap":1,"vwap":null"#, "'vwap': there twice at byte 100"), (#","size":1"#, "'size': there twice at byte 91"),
    (#","vwop":1"#, "'vwop': no such field at byte 91"), (#","seen":-9223372036854775808"#, "'seen': number out of range at byte 98"),
    (#","vwap":9223372037"#, "'vwap': number out of range at byte 98"), (#","vwap":"#, "'vwap': unexpected text at byte 98"),
  ])
  func `columns are read from members beside the fields`(_ what: (members: String, row: String)) {
    #expect(row(json: what.members) == what.row)
  }

  @Test(arguments: [
    ("", "- - - - -"), (",1.5", "1500000000 - - - -"), (",,,,,", "- - - - -"),
    (",1,2,3,1970-01-01T00:00:01Z,true\r\n", "1000000000 2000000000 3000000000 1000000000 1"),
    (#","1",,"",5,"false""#, "1000000000 - - 5 0"), (",x", "'vwap': unexpected text at byte 17"),
    (",1 ", "'vwap': unexpected text at byte 18"),
    (",,,,,yes", "'late': unexpected text at byte 21"), (",,,,soon", "'seen': unexpected text at byte 20"),
    (",,,,,,7", "unexpected text at byte 21"),
    (#","1""#, "1000000000 - - - -"), (#","1"2"#, "'vwap': unexpected text at byte 20"),
    (#","1"#, "'vwap': text ends too early at byte 19"),
  ])
  func `columns are read from cells behind the fields, and a record may end before them`(_ what: (cells: String, row: String)) {
    #expect(row(csv: what.cells) == what.row)
  }

  @Test func `random bytes in a line with columns are an error or values, never more`() {
    var random = SplitMix(3)
    let json = Array(
      (#"{"symbol":"A","price":1,"size":2,"# + tail.dropLast() + #","vwap":1.5,"seen":"1970-01-01T00:00:01Z","late":true}"#).utf8)
    let csv = Array(#"A,1,2,sell,5,7,,1.5,,"2",1970-01-01T00:00:01Z,true"#.utf8)
    let letters = Array(#"0159.-,":{}tfn \u{0}"#.utf8)
    var (good, bad) = (0, 0)
    for round in 0..<4000 {
      var bytes = round % 2 == 0 ? json : csv
      for _ in 0..<(1 + random.upTo(2)) { bytes[random.upTo(bytes.count - 1)] = letters[random.upTo(letters.count - 1)] }
      bytes.removeLast(random.upTo(3) == 0 ? random.upTo(bytes.count - 1) : 0)
      bytes.withUnsafeBufferPointer { bytes in
        var reader = ByteReader(bytes)
        var row: [Int64] = []
        do throws(TextError) {
          if round % 2 == 0 {
            _ = try Trade.schema.decodeJSON(&reader, columns: Self.columns, row: &row)
          } else {
            _ = try Trade.schema.decodeCSV(&reader, columns: Self.columns, row: &row)
          }
          good += 1
          if row.count != 5 || ![0, 1, ColumnLayout.missing].contains(row[4]) { bad += 1 }
        } catch { if error.offset > bytes.count { bad += 1 } }
      }
    }
    #expect(good > 100 && bad == 0)
  }

  @Test func `numbers that share their decimals keep the most`() throws {
    let line = "KEEP,189.20,190,100.5,7,1,2"
    let quote = try decodeCSV(Quote.self, line)
    #expect(quote.priceDecimals == 2 && quote.sizeDecimals == 1)
    #expect(csv(quote, times: .epoch(.nanoseconds)) == "KEEP,189.20,190.00,100.5,7.0,1,2")
    #expect(try decodeCSV(Quote.self, "KEEP,1,2,3,4,1,2").priceDecimals == 0)
  }

  @Test func `keys come in any order, with blanks between`() throws {
    let text =
      " {\n\t\"received\" : 7 , \"side\":\"sell\",\"size\":2,\r\n\"time\":\"1970-01-01T00:00:00.000000005Z\", \"price\":1.5,\"symbol\":\"ANY\" }"
    let trade = try decodeJSON(Trade.self, text)
    #expect(
      trade
        == Trade(
          symbol: "ANY", price: Price(raw: 1_500_000_000), size: 2, time: Timestamp(ns: 5), received: Timestamp(ns: 7), side: .sell,
          priceDecimals: 1))
  }

  @Test(arguments: [
    (#"{"symbol":"A","price":1,"size":2,"time":1,"received":2}"#, "'side': missing at byte 55"),
    (#"{}"#, "'symbol': missing at byte 2"),
    (#"{ }"#, "'symbol': missing at byte 3"),
    (#"{"symbol":"A","cost":1}"#, "'cost': no such field at byte 15"),
    (#"{"symbol":"A","price":1,"price":2}"#, "'price': there twice at byte 25"),
    (#"{"symbol":"A","price":1,"size":2,"side":"buy","time":1,"received":2,"more":3}"#, "'more': no such field at byte 69"),
    (#"{"symbol":"A","price":1,"size":2,"side":"buy","time":1,"received":2,"time":3}"#, "'time': there twice at byte 69"),
    (#"{"symbol":"A","price":1,"size":2,"side":"buy","time":1,"received":2,}"#, "unexpected text at byte 69"),
    (#"{"symbol":"A","price":1,"size":2,"side":"buy","time":1,"received":2"#, "unexpected text at byte 68"),
    (#"{"symbol":"A","price":1,"size":2,"side":"buy","time":1,"received":2} x"#, "unexpected text at byte 69"),
    (#"{"symbol":"A","price":"1"}"#, "'price': unexpected text at byte 23"),
    (#"{"symbol":"A","price":1.5x}"#, "unexpected text at byte 26"),
    (#"{"symbol":"A","price":1.0000000001}"#, "'price': more than nine decimals at byte 23"),
    (#"{"symbol":"A","price":9223372037}"#, "'price': number out of range at byte 23"),
    (#"{"symbol":"","price":1}"#, "'symbol': a symbol cannot be empty at byte 12"),
    (
      #"{"symbol":"A,B","price":1}"#,
      "'symbol': a symbol cannot contain control characters, quotation marks, backslashes or commas at byte 13"
    ),
    (
      #"{"symbol":"A\u002cB","price":1}"#,
      "'symbol': a symbol cannot contain control characters, quotation marks, backslashes or commas at byte 11"
    ),
    (#"{"symbol":7}"#, "'symbol': unexpected text at byte 11"),
    (#"{"symbol":"A","side":"bought"}"#, "'side': unexpected text at byte 23"),
    (#"{"symbol":"A","time":"2024-01-02T03:04:05"}"#, "'time': not a time at byte 42"),
    (#"{"symbol":"A","time":"2024-01-02T03:04:05Z "}"#, "'time': unexpected text at byte 43"),
    (#"{"symbol":"A","time":"2024-13-02T03:04:05Z"}"#, "'time': not a time at byte 23"),
    (#"{"symbol":"A","time":99999999999999999999}"#, "'time': number out of range at byte 22"),
    (#"{"symbol":"A"#, "'symbol': text ends too early at byte 13"),
    (#"{"symbol"#, "text ends too early at byte 9"),
    ("", "unexpected text at byte 1"),
    ("[]", "unexpected text at byte 1"),
  ]) func `a mistake in JSON is told with its field and place`(text: String, problem: String) {
    #expect(jsonProblem(Trade.self, text) == problem)
  }

  @Test(arguments: [
    ("A,1,2,buy,1", "'received': unexpected text at byte 12"),
    ("A,1,2,buy,1,2,3", "'condition': unexpected text at byte 15"),
    ("A,1x,2,buy,1,2", "'price': unexpected text at byte 4"),
    ("A,,2,buy,1,2", "'price': unexpected text at byte 3"),
    ("A,1,2,bye,1,2", "'side': unexpected text at byte 7"),
    ("A,1,2,buy,2024-01-02,2", "'time': not a time at byte 21"),
    ("A,1,2,buy,1 ,2", "'time': unexpected text at byte 12"),
    (",1,2,buy,1,2", "'symbol': a symbol cannot be empty at byte 1"),
    ("A,1,2,buy,1,2x", "'received': unexpected text at byte 14"),
    ("A,\"1x\",2,buy,1,2", "'price': unexpected text at byte 3"),
    ("A,\"1\"x,2,buy,1,2", "'price': unexpected text at byte 6"),
    ("A,\"1,2,buy,1,2", "'price': text ends too early at byte 15"),
    ("\"\"\"A\"\"\",1,2,buy,1,2", "'symbol': a symbol cannot contain control characters, quotation marks, backslashes or commas at byte 1"),
    ("", "'symbol': a symbol cannot be empty at byte 1"),
  ]) func `a mistake in CSV is told with its field and place`(text: String, problem: String) {
    #expect(csvProblem(Trade.self, text) == problem)
  }

  @Test func `CSV lines end with LF, CRLF or the text, and any field may be quoted`() throws {
    let plain = try decodeCSV(Trade.self, "A,1.50,2,buy,2024-01-02T03:04:05Z,7")
    for text in [
      "A,1.50,2,buy,2024-01-02T03:04:05Z,7\n", "A,1.50,2,buy,2024-01-02T03:04:05Z,7\r\n",
      #""A","1.50","2","buy","2024-01-02T03:04:05Z","7""#, "A,1.50,2,buy,2024-01-02T03:04:05Z,\"7\"\r\n",
    ] { #expect(try decodeCSV(Trade.self, text) == plain, "\(text)") }
    #expect(plain.priceDecimals == 2 && plain.received == Timestamp(ns: 7))
  }

  @Test func `several CSV records are read one after the other`() throws {
    var text = "a,connected,,1\r\n\"b\nc\",connecting,\"x,\"\"y\"\"\",2\nd,disconnected,z,3"
    let read = try text.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      var result: [ConnectionStatus] = []
      while !reader.isAtEnd { result.append(try ConnectionStatus.schema.decodeCSV(&reader)) }
      return result
    }
    #expect(
      read == [
        ConnectionStatus(component: "a", state: .connected, reason: "", time: Timestamp(ns: 1)),
        ConnectionStatus(component: "b\nc", state: .connecting, reason: "x,\"y\"", time: Timestamp(ns: 2)),
        ConnectionStatus(component: "d", state: .disconnected, reason: "z", time: Timestamp(ns: 3)),
      ])
  }

  @Test(arguments: [
    (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"), (#"\u0041\u00e9\u20AC"#, "Aé€"), (#"\ud834\udd1e!"#, "𝄞!"), (#"\uD83D\uDE00"#, "😀"),
    ("é𝄞", "é𝄞"), (#"\u0000"#, "\0"),
  ]) func `escapes are resolved`(text: String, value: String) throws {
    let status = try decodeJSON(ConnectionStatus.self, #"{"component":"\#(text)","state":"connected","reason":"","time":1}"#)
    #expect(status.component == value)
    #expect(try decodeJSON(ConnectionStatus.self, json(status)) == status)
    #expect(try decodeCSV(ConnectionStatus.self, csv(status)) == status)
  }

  @Test(arguments: [
    (#"\ud834"#, "bad escape sequence at byte 21"), (#"\ud834x"#, "bad escape sequence at byte 21"),
    (#"\udd1e"#, "bad escape sequence at byte 21"), (#"\ud834\u0041"#, "bad escape sequence at byte 27"),
    (#"\u12g4"#, "bad escape sequence at byte 19"), (#"\x"#, "bad escape sequence at byte 16"), ("\u{1}", "unexpected text at byte 15"),
  ]) func `a bad escape is told with its place`(text: String, problem: String) {
    #expect(
      jsonProblem(ConnectionStatus.self, #"{"component":"\#(text)","state":"connected","reason":"","time":1}"#) == "'component': \(problem)"
    )
  }

  @Test func `symbols, choices and times may be written with escapes`() throws {
    let text = #"{"symbol":"BTC\/USD","price":1,"size":2,"side":"b\u0075y","time":"2024\u002d01-02T03:04:05Z","received":2}"#
    let trade = try decodeJSON(Trade.self, text)
    #expect(trade.symbol == "BTC/USD" && trade.side == .buy && trade.time.description == "2024-01-02T03:04:05Z")
  }

  @Test func `text that is not UTF-8 is refused`() {
    let json = Array(#"{"component":""#.utf8) + [0xff] + Array(#"","state":"connected","reason":"","time":1}"#.utf8)
    json.withUnsafeBufferPointer { bytes in
      var reader = ByteReader(bytes)
      #expect(throws: TextError(.badUTF8, at: 16, field: "component")) { try ConnectionStatus.schema.decodeJSON(&reader) }
    }
    ([0xc3, 0x28] + Array(",connected,,1".utf8)).withUnsafeBufferPointer { bytes in
      var reader = ByteReader(bytes)
      #expect(throws: TextError.self) { try ConnectionStatus.schema.decodeCSV(&reader) }
    }
  }
}
