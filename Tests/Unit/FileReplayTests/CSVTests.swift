import MarketData
import TestSupport
import Testing

@testable import FileReplay

@Suite struct CSVTests {
  @Test func `reads trades by the usual column names and keeps the decimals they were written with`() {
    let outcome = run(
      """
      ts_event,symbol,price,size,exchange,condition,suspicious
      2013-10-08T13:30:00.012Z,BAC,13.83,2000,P,2000,0
      2013-10-08T13:30:00.015Z,SPY,167.40,100,P,20002020,0
      """)
    #expect(outcome.error == nil)
    #expect(outcome.malformed == [])
    #expect(
      outcome.events.map(line) == ["BAC 13.83 x2000 @2013-10-08T13:30:00.012Z", "SPY 167.40 x100 @2013-10-08T13:30:00.015Z"])
    #expect(outcome.events.allSatisfy { $0.received == $0.time })
    #expect(outcome.counts == ReplayCounts(events: 2, outside: 0, malformed: 0))
  }

  @Test func `reads every delimiter, CRLF, a byte-order mark and a last line without its end`() {
    for (delimiter, text) in [(Delimiter.comma, ","), (.semicolon, ";"), (.tab, "\t"), (.pipe, "|")] {
      let rows = "\u{feff}symbol,price,time,side\r\nA,1.50,1,buy\r\n\r\nB,-2,2,S".replacing(",", with: text)
      let outcome = run(rows, options { $0.csv.delimiter = delimiter })
      #expect(outcome.events.map(line) == ["A 1.50 x0 @1970-01-01T00:00:01Z buy", "B -2 x0 @1970-01-01T00:00:02Z sell"])
      #expect(outcome.malformed == [])
      #expect(Delimiter(text) == delimiter)
    }
  }

  @Test func `takes columns by name in any case, by number, and one for two fields`() {
    let text = "Zeit;Kurs;Name;Px\n5;1.5;A;9\n"
    let outcome = run(
      text,
      options {
        $0.csv.delimiter = .semicolon
        $0.columns = ["time": "zeit", "received": "1", "price": "Kurs", "symbol": "3"]
      })
    #expect(
      outcome.events == [
        Trade(
          symbol: "A", price: .init(raw: 1_500_000_000), size: 0, time: .init(ns: 5_000_000_000), received: .init(ns: 5_000_000_000),
          priceDecimals: 1)
      ])
  }

  @Test func `reads files without a header by column numbers`() {
    let outcome = run(
      "A,1,x,2\nB,2,y,3,more\nC,3,z\n",
      options {
        $0.csv.hasHeader = false
        $0.columns = ["symbol": "1", "price": "2", "time": "4"]
      })
    #expect(outcome.events.map(\.symbol) == ["A", "B"])
    #expect(outcome.reasons == ["3: 3 fields, but column 4 is needed"])
  }

  @Test func `a constant symbol stands in where there is none`() {
    let given = options { $0.symbol = "SPY" }
    #expect(run("price,time\n1,1\n", given).events.map(\.symbol) == ["SPY"])
    #expect(run("price,time,symbol\n1,1,\n2,2,AIG\n", given).events.map(\.symbol) == ["SPY", "AIG"])
    let input = ReplayInput(name: "f", contents: .bytes(Array("price,time\n1,1\n".utf8)), symbol: "IBM")
    #expect(run(as: Trade.self, [input], given).events.map(\.symbol) == ["IBM"])
  }

  @Test func `reads quotes and bars`() {
    let quotes = run(as: Quote.self, "symbol,bid,ask,bid_size,ask_size,ts\nA,1.10,1.2,3,4.5,1719850000123456789\n")
    #expect(
      quotes.events == [
        Quote(
          symbol: "A", bid: .init(raw: 1_100_000_000), ask: .init(raw: 1_200_000_000), bidSize: 3, askSize: .init(raw: 4_500_000_000),
          time: .init(ns: 1_719_850_000_123_456_789), received: .init(ns: 1_719_850_000_123_456_789), priceDecimals: 2, sizeDecimals: 1)
      ])
    let bars = run(as: Bar.self, "date,symbol,open,high,low,close,volume\n2008-01-02,AAPL,199.49,200.26,192.55,194.84,37921848\n")
    #expect(
      bars.events == [
        Bar(
          symbol: "AAPL", open: .init(raw: 199_490_000_000), high: .init(raw: 200_260_000_000), low: .init(raw: 192_550_000_000),
          close: .init(raw: 194_840_000_000), volume: 37_921_848, time: .init(ns: 1_199_232_000_000_000_000),
          received: .init(ns: 1_199_232_000_000_000_000), priceDecimals: 2)
      ])
  }

  @Test func `reads fields in quotation marks`() {
    let text = #"""
      symbol,"pri""ce",note,time
      "A","1.25","said ""no"", then
      ""yes""",1
      B,2,"",2
      "C",3,x,"3"
      """#
    let outcome = run(text, options { $0.columns = ["price": "pri\"ce"] })
    #expect(outcome.malformed == [])
    #expect(
      outcome.events.map(line) == [
        "A 1.25 x0 @1970-01-01T00:00:01Z", "B 2 x0 @1970-01-01T00:00:02Z", "C 3 x0 @1970-01-01T00:00:03Z",
      ])
  }

  @Test func `goes on at the next line after broken quotation marks, with the lines numbered right`() {
    let text = """
      symbol,price,note,time
      A,1,"two
      lines",1
      B,2,"never closed,2
      C,3,x,3
      D,4,y"z,4
      E,5,"y"z,5
      F,6,"ok",6
      G,x,"two
      more",7
      H,y,,8
      """
    let outcome = run(text)
    #expect(outcome.events.map(\.symbol) == ["A", "C", "F"])
    #expect(
      outcome.reasons == [
        "4: byte 35: text between a closing quotation mark and the next field",
        "6: byte 6: a quotation mark inside a field that does not begin with one",
        "7: byte 8: text between a closing quotation mark and the next field", "9: 'price' is not a number: 'x'",
        "11: 'price' is not a number: 'y'",
      ])
    #expect(outcome.malformed[0].text == "B,2,\"never closed,2")
    let unclosed = run("symbol,price,time,note\nA,1,1,\"x\nB,2,2,y\n")
    #expect(unclosed.events.map(\.symbol) == ["B"])
    #expect(unclosed.reasons == ["2: a quotation mark is not closed by the end of the file or within 1048576 bytes ('row_limit')"])
  }

  @Test func `finds columns in any case, words before single letters`() {
    #expect(run("t,TIME,Sym,p,PRICE\n9,1,A,9,2\n").events.map(line) == ["A 2 x0 @1970-01-01T00:00:01Z"])
    #expect(run("t,T,s,p\n9,1,A,2\n").events.map(line) == ["A 2 x0 @1970-01-01T00:00:01Z"])
    // The name of a column that is not a valid JSON path.
    let named = run("Symbol,Last [USD],time\nA,2,1\n", options { $0.columns["price"] = "last [usd]" })
    #expect(named.events.map(line) == ["A 2 x0 @1970-01-01T00:00:01Z"])
  }

  @Test func `names the columns there are where one is missing or doubled`() {
    func message(_ text: String, _ change: (inout ReplayOptions) -> Void = { _ in }) -> String? {
      run(text, options(change)).error?.description
    }
    #expect(
      message("sym,prize,ts\n")
        == "f:1: no column for the price (looked for 'price', 'px', 'p'); there are 'sym', 'prize', 'ts'; "
        + "set 'columns: { price: prize }' if that is the right one")
    #expect(
      message("sym,prize,ts\n") { $0.columns["price"] = "price" }
        == "f:1: no column 'price' for the price; did you mean 'prize'? There are 'sym', 'prize', 'ts'")
    #expect(message("\n\nsym,price,ts,price\n") == "f:3: column 'price' is there 2 times (2, 4)")
    #expect(message("sym,price,ts\n") { $0.columns["price"] = "4" } == "f:1: there is no column 4 for the price; there are 3")
    #expect(
      message("A,1,2\n") { $0.csv.hasHeader = false }
        == "f:1: the file has no header: say which columns have the symbol, the time and the price, "
        + "as in 'columns: { symbol: 1, time: 2, price: 3 }'")
    #expect(
      message("A,1,2\n") {
        $0.csv.hasHeader = false
        $0.columns["symbol"] = "sym"
        $0.columns["time"] = "1"
      } == "f:1: the file has no header: give the column for the symbol by its number instead of 'sym'; "
        + "the file has no header: say which column has the price, as in 'columns: { price: 2 }'")
    #expect(
      message("a\"b,price\n") == "f:1: the header cannot be read: byte 2: a quotation mark inside a field that does not begin with one")
    #expect(message("") == nil)
  }

  @Test func `all missing columns are told at once, with what to write`() {
    func hint(_ text: String, _ change: (inout ReplayOptions) -> Void = { _ in }) -> String? {
      run(text, options(change)).error.map { $0.message.split(separator: "; ", maxSplits: .max).last.map(String.init) ?? "" }
    }
    #expect(
      run("Date,Ticker,Last\n").error?.description
        == "f:1: no column for the price (looked for 'price', 'px', 'p'); there are 'Date', 'Ticker', 'Last'; "
        + "set 'columns: { price: Last }' if that is the right one")
    #expect(
      run("Instrument,TradeTime,LastPrice\n").error?.description
        == "f:1: no columns for the symbol (looked for 'symbol', 'sym', 'ticker', 's'), "
        + "the time (looked for 'time', 'ts', 'timestamp', 'ts_event', 'date', 'T', 't') and the price (looked for 'price', 'px', 'p'); "
        + "there are 'Instrument', 'TradeTime', 'LastPrice'; "
        + "set 'columns: { symbol: Instrument, time: TradeTime, price: LastPrice }' if those are the right ones, "
        + "or set 'symbol: NAME' if all rows are about one symbol")
    // A column is suggested for one field only, and not if another field uses it.
    #expect(hint("time,symbol,Trade Time,Trade\n") == "set 'columns: { price: Trade }' if that is the right one")
    #expect(hint("ts,sym,a,b\n") == "name the right one in 'columns: { price: COLUMN }'")
    // Quoted as YAML requires inside braces, and by number if the name is ambiguous.
    #expect(hint("ts,sym,\"Last, USD\"\n") == "set 'columns: { price: 'Last, USD' }' if that is the right one")
    #expect(hint("ts,sym,Last's\n") == "set 'columns: { price: \"Last's\" }' if that is the right one")
    #expect(hint("ts,sym,last,Last\n") == "set 'columns: { price: 3 }' if that is the right one")
    // The options contain several errors.
    #expect(
      run("ts,sym,last\n", options { $0.columns = ["symbol": "tick", "time": "7"] }).error?.message
        == "no column 'tick' for the symbol; there is no column 7 for the time; there are 3; no column for the price (looked for 'price', 'px', 'p'); "
        + "there are 'ts', 'sym', 'last'; set 'columns: { price: last }' if that is the right one")
    // Another delimiter, and a file without a header.
    #expect(hint("Date;Ticker;Last\n") == "the delimiter seems to be a semicolon: set 'delimiter: semicolon'")
    #expect(hint("Date\tTicker\tPrice\n") == "the delimiter seems to be a tab: set 'delimiter: tab'")
    #expect(
      hint("2013-10-08T13:30:00Z,AAPL,167.40\n")
        == "this looks like a row of values: if the file has no header, set 'header: false' and say which columns hold what, "
        + "as in 'columns: { symbol: 1, time: 2, price: 3 }'")
  }

  /// The obvious reader of RFC 4180, character by character.
  static func reference(_ text: String, _ delimiter: Character) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field = ""
    var isQuoted = false
    var characters = Array(text.unicodeScalars)
    characters.append("\n")
    var i = 0
    while i < characters.count {
      let c = Character(characters[i])
      if isQuoted {
        if c == "\"", i + 1 < characters.count, characters[i + 1] == "\"" {
          field.append("\"")
          i += 1
        } else if c == "\"" {
          isQuoted = false
        } else {
          field.unicodeScalars.append(characters[i])
        }
      } else if c == "\"" {
        isQuoted = true
      } else if c == delimiter {
        row.append(field)
        field = ""
      } else if c == "\n" {
        row.append(field)
        rows.append(row)
        row = []
        field = ""
      } else {
        field.unicodeScalars.append(characters[i])
      }
      i += 1
    }
    return rows
  }

  /// The fields of every row, read by the module.
  static func fields(_ text: String, _ delimiter: Delimiter, _ width: Int, blockSize: Int) throws -> [[String]] {
    var reader = try LineReader(.bytes(Array(text.utf8)), name: "f", blockSize: blockSize, limit: 1 << 20)
    let names = (1...width).map { "c\($0)" }
    var rows = CSVRows(
      format: CSVFormat(delimiter: delimiter, hasHeader: true), fields: names.map { ReplayField($0, .side, [$0]) }, mapping: [:],
      hasSymbol: false,
      file: "f")
    let slots = Slots(count: width)
    var all: [[String]] = []
    while true {
      switch try rows.next(&reader, slots) {
      case .row: all.append((0..<width).map { String(decoding: slots[$0].text, as: UTF8.self) })
      case .blank: break
      case .malformed: all.append([rows.reason])
      case .end, .later: return all
      }
    }
  }

  @Test func `agrees with a plain reader of RFC 4180 on random tables in any block size`() throws {
    var random = SplitMix(4180)
    let alphabet: [Character] = ["a", "b", ",", ";", "\"", "\n", "1", "é", " ", "x", "y", "z"]
    for round in 0..<rounds(150, cost: 10) {
      let delimiter = [Delimiter.comma, .semicolon, .tab, .pipe][round % 4]
      let separator = Character(Unicode.Scalar(delimiter.rawValue))
      let width = Int.random(in: 2...6, using: &random)
      var text = (1...width).map { "c\($0)" }.joined(separator: String(separator)) + "\n"
      for row in 0..<Int.random(in: 1...12, using: &random) {
        if row > 0 { text += "\n" }
        let values = (0..<width).map { _ in
          String((0..<Int.random(in: 0...20, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
        }
        text += values.map { value in
          let needs = value.contains { $0 == "\"" || $0 == separator || $0 == "\n" } || Bool.random(using: &random)
          return needs ? "\"" + value.replacing("\"", with: "\"\"") + "\"" : value
        }.joined(separator: String(separator))
      }
      let expected = Array(Self.reference(text, separator).dropFirst())
      for blockSize in [7, 16, 64, 1 << 18] {
        #expect(try Self.fields(text, delimiter, width, blockSize: blockSize) == expected)
      }
    }
  }

  @Test func `counts fields on both sides of the scanner's sixteen bytes`() throws {
    for padding in 0..<40 {
      let text = "c1,c2,c3\n" + String(repeating: "x", count: padding) + ",b,c\r\na,,\n"
      #expect(
        try Self.fields(text, .comma, 3, blockSize: 1 << 18) == [[String(repeating: "x", count: padding), "b", "c"], ["a", "", ""]])
      let wrong = "c1,c2,c3\n" + String(repeating: "x", count: padding) + ",b\n1,2,3,4\n"
      #expect(
        try Self.fields(wrong, .comma, 3, blockSize: 64) == [["2 fields, but the header has 3"], ["4 fields, but the header has 3"]])
    }
  }

  @Test func `refuses rows of more fields than it can count`() throws {
    let many = String(repeating: ",", count: 5000)
    #expect(run("symbol,price,time\n\(many)\nA,1,1\n").reasons == ["2: more than 4096 fields, but the header has 3"])
    #expect(run("symbol,price,time\n\"\"\(many)\nA,1,1\n").reasons == ["2: more than 4096 fields, but the header has 3"])
    #expect(run("symbol\(many)\n").error?.description == "f:1: the header has more than 4096 columns")
  }
}
