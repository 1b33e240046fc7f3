import MarketData
import TestSupport
import StockbusConfig
import StockbusPlugin
import Testing

@testable import StockbusInstruments

@Suite struct InstrumentFileTests {
  /// The instruments of a CSV text, and its problems and warnings.
  private static func csv(_ texts: String...) -> (instruments: Instruments, problems: [String], warnings: [String]) {
    var builder = InstrumentsBuilder()
    for (number, text) in texts.enumerated() { builder.add(csv: Array(text.utf8), file: "\(number + 1).csv") }
    return (builder.finish(), builder.problems.sorted.map(\.description), builder.warnings)
  }

  private static func yaml(_ text: String) -> (instruments: Instruments, problems: [String]) {
    var builder = InstrumentsBuilder()
    if let root = YAMLParser.parse(Array(text.utf8), file: "i.yaml").root { builder.add(root) }
    return (builder.finish(), builder.problems.sorted.map(\.description))
  }

  @Test func `a CSV file has its columns in any order`() throws {
    let lines = [
      "\u{feff}name,symbol,lot,tick_size,kind,splits,calendar", "\"Wheat, \"\"hard\"\"\",KE-Z,5,0.25,future,,24/7", "",
      ",X,,,,2020-08-31 4:1; 2014-06-09 7:1 ;,",
    ]
    let read = Self.csv(lines.joined(separator: "\r\n"))
    #expect(read.problems == [] && read.warnings == [])
    #expect(read.instruments.all.count == 2)
    let wheat = try #require(read.instruments["KE-Z"])
    #expect(wheat.name == "Wheat, \"hard\"" && wheat.kind == .future && wheat.multiplier == 1)
    #expect(wheat.tickSize == Price(raw: 250_000_000) && wheat.lot == 5)
    #expect(read.instruments.calendar(for: "KE-Z") === TradingCalendar.always && read.instruments.calendar(for: "X") == nil)
    let split = try #require(read.instruments["X"])
    #expect(split.splits.map(\.optionText) == ["2014-06-09 7:1", "2020-08-31 4:1"])
    #expect(split.kind == .other && split.tickSize == nil && split.name.isEmpty)
    #expect(read.instruments["ABSENT-1"] == nil && read.instruments.terms(of: "ABSENT-1") == nil)
    let terms = try #require(read.instruments.terms(of: "KE-Z"))
    #expect(terms.tickSize == Price(raw: 250_000_000) && terms.kind == .future && !terms.hasSplits)
    #expect(read.instruments.terms(of: "X")?.hasSplits == true && read.instruments.terms(of: "X")?.calendar == -1)
  }

  @Test func `every problem of a CSV file is reported at its place`() {
    let read = Self.csv(
      """
      symbol,name,kind,tick_size,currency,calendar,splits
      A,Ünïcödé,equitty,1,USD,us_equity,2014-06-09 7:1
      A,twice,equity,,,,
      ,nothing,equity,,,,
      "B,equity,,,,,
      C,"x"y,equity,,,,
      D,Delta,equity,0,US$,24/7,2014-06-09 7-1; 2014-06-09 0:1;2014-06-09 2:1;2014-06-09 3:1
      E,Ünï,equity
      F,f,equity,1.0000000001,USD,,,more
      """)
    #expect(
      read.problems == [
        "1.csv:2:11: error: 'kind' must be one of equity, etf, fund, index, bond, future, option, currency, crypto, commodity, other, got 'equitty'; did you mean 'equity'?",
        "1.csv:2:25: error: 'calendar': there is no calendar 'us_equity'; did you mean 'us_equities'?",
        "1.csv:3:1: error: the symbol 'A' is given twice, first at 1.csv:2:1",
        "1.csv:4:1: error: an instrument needs 'symbol'",
        "1.csv:5:1: error: the quotation mark is not closed on this line",
        "1.csv:6:6: error: a comma is expected after the quotation mark",
        "1.csv:7:16: error: 'tick_size' must be a number such as 0.01, got '0': it must be more than zero",
        "1.csv:7:18: error: 'currency' must be a currency such as USD, got 'US$': at most 16 letters and digits",
        "1.csv:7:27: error: 'splits' must be a date with a ratio of new to old shares such as 2014-06-09 7:1, got '2014-06-09 7-1'",
        "1.csv:7:27: error: 'splits' must be a date with a ratio of new to old shares such as 2014-06-09 7:1, got '2014-06-09 0:1': both sides of a ratio are whole numbers from 1 to 1,000,000",
        "1.csv:7:27: error: 'splits': there are two splits on 2014-06-09",
        "1.csv:8:7: error: the line has 3 fields, the header 7",
        "1.csv:9:31: error: the line has 8 fields, the header 7",
      ])
  }

  @Test func `a header is checked first`() {
    #expect(Self.csv("").problems == ["1.csv:1:1: error: the file is empty; a header with 'symbol' is expected"])
    #expect(Self.csv("name;symbol\nA;B").problems == ["1.csv:1:1: error: there is no column 'symbol'; columns are separated by commas"])
    #expect(Self.csv("name,symbl\nA,B").problems == ["1.csv:1:1: error: there is no column 'symbol'; did you mean 'symbl'?"])
    #expect(Self.csv("\"symbol\nA").problems == ["1.csv:1:1: error: the quotation mark is not closed on this line"])
    let unknown = Self.csv("symbol,tik_size,ISIN,symbol\nA,1,2,3")
    #expect(unknown.problems == ["1.csv:1:22: error: the column 'symbol' is given twice, first at column 1"])
    #expect(
      unknown.warnings == [
        "1.csv:1:8: warning: the column 'tik_size' is not used; did you mean 'tick_size'?",
        "1.csv:1:17: warning: the column 'ISIN' is not used; known are symbol, name, kind, industry, venue, tick_size, lot, multiplier, currency, calendar, splits",
      ])
    #expect(unknown.instruments["A"] != nil)
  }

  @Test func `a symbol of two files names both places`() {
    let read = Self.csv("symbol\nA\nB", "name,symbol\nx,C\ny,B")
    #expect(read.problems == ["2.csv:3:3: error: the symbol 'B' is given twice, first at 1.csv:3:1"])
    #expect(read.instruments.all.map(\.symbol) == ["A", "B", "C"])
  }

  @Test func `bytes that are not UTF-8, and names that cannot be`() {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,name\nA,".utf8) + [0xff] + Array("\nB\u{1b}[2J,x\nC,\u{9b}2J\n".utf8), file: "x.csv")
    #expect(
      builder.problems.sorted.map(\.description) == [
        "x.csv:2:3: error: not UTF-8; save the file as UTF-8",
        "x.csv:3:1: error: 'symbol' must be a symbol, got 'B\\u{1b}[2J': a symbol cannot contain control characters, quotation marks, backslashes or commas",
        "x.csv:4:3: error: 'name' must be text, got '\\u{9b}2J': it holds control characters",
      ])
  }

  @Test func `limits are reported once, and bound what is kept`() {
    let rows = (0...InstrumentLimits.instruments + 1).map { "L\($0 % 4)-\($0)" }
    var builder = InstrumentsBuilder()
    builder.add(csv: Array(("symbol\n" + rows.joined(separator: "\n")).utf8), file: "l.csv")
    #expect(
      builder.problems.list.map(\.description) == ["l.csv:250002:1: error: there are more than 250000 instruments, the limit"])
    let wide = Self.csv("symbol," + String(repeating: ",", count: 300))
    #expect(wide.problems == ["1.csv:1:263: error: more than 256 columns, the limit"])
    let wrong = Self.csv("symbol,lot\n" + (0..<2000).map { "W\($0),x" }.joined(separator: "\n"))
    #expect(wrong.problems.count == 1001 && wrong.problems.last?.contains("too many problems; the rest is not shown") == true)
    #expect(Self.csv("symbol,name\nN,\(String(repeating: "n", count: 201))").problems.first?.hasSuffix(": at most 200 bytes") == true)
    #expect(Self.csv("symbol\n" + String(repeating: "s", count: 65)).problems.first?.hasSuffix("a symbol has at most 64 bytes") == true)
  }

  @Test func `YAML says the same, and unknown keys are errors`() throws {
    let read = Self.yaml(
      """
      - { symbol: EUR/USD, name: Euro, kind: currency, tick_size: 0.00001, lot: 1000, splits: [] }
      - symbol: AAPL
        splits: [2020-08-31 4:1, 2014-06-09 7:1]
      - { symbol: 0700, multiplier: 50, splits: 2014-06-09 7:1, calendar: ~ }
      """)
    #expect(read.problems == [])
    #expect(read.instruments["EUR/USD"]?.tickSize == Price(raw: 10_000))
    #expect(read.instruments["AAPL"]?.splits.map(\.optionText) == ["2014-06-09 7:1", "2020-08-31 4:1"])
    #expect(read.instruments["0700"]?.multiplier == 50 && read.instruments["0700"]?.splits.count == 1)
    let wrong = Self.yaml(
      """
      - { symbol: A, naem: Alpha, sector: x }
      - { name: nothing }
      - { symbol: [A] }
      - symbol:A
      - { symbol: B, name: [x], splits: [{}, 2014] }
      - AAPL
      """)
    #expect(
      wrong.problems == [
        "i.yaml:1:16: error: unknown key 'naem'; did you mean 'name'?",
        "i.yaml:1:29: error: unknown key 'sector'; known are symbol, name, kind, industry, venue, tick_size, lot, multiplier, currency, calendar, splits",
        "i.yaml:2:3: error: an instrument needs 'symbol'",
        "i.yaml:3:13: error: 'symbol' must be a symbol, got a list",
        "i.yaml:4:3: error: a space is missing after the colon of 'symbol:'; write 'symbol: …'",
        "i.yaml:5:22: error: 'name' must be text, got a list",
        "i.yaml:5:36: error: 'splits' must be a list of splits such as 2014-06-09 7:1, got a mapping",
        "i.yaml:5:40: error: 'splits' must be a date with a ratio of new to old shares such as 2014-06-09 7:1, got '2014'",
        "i.yaml:6:3: error: an instrument must be a mapping with 'symbol', got 'AAPL'",
      ])
    #expect(Self.yaml("symbol: A").problems == ["i.yaml:1:1: error: instruments must be a list of mappings with 'symbol', got a mapping"])
  }

  @Test func `calendars are named, checked and used`() throws {
    var builder = InstrumentsBuilder()
    let calendars = try YAMLParser.node(
      """
      night: { zone: Europe/London, sessions: [{ from: "18:00", to: "02:00" }] }
      broken: { sessions: [] , holiday: x }
      24/7: {}
      a b: {}
      """, file: "c.yaml")
    builder.add(calendars: calendars)
    builder.add(csv: Array("symbol,calendar\nA,night\nB,broken\nC,nihgt\nD,us_equities".utf8), file: "i.csv")
    #expect(
      builder.problems.sorted.map(\.description) == [
        "c.yaml:2:21: error: calendar 'broken': 'sessions' must have between 1 and 50 items, got 0",
        "c.yaml:2:26: error: calendar 'broken': unknown option 'holiday'; did you mean 'holidays'?",
        "c.yaml:3:1: error: calendar '24/7': this calendar is built in; choose another name",
        "c.yaml:4:1: error: calendar 'a b': a name has letters, digits, '_', '-', '.' and '/', at most 100 of them",
        "i.csv:4:3: error: 'calendar': there is no calendar 'nihgt'; did you mean 'night'?",
      ])
    let instruments = builder.finish()
    #expect(instruments.calendar(for: "A")?.clock.zone == "Europe/London")
    #expect(instruments.calendar(for: "B") == nil)
    #expect(instruments.calendars.map(\.name) == ["night", "us_equities", "24/7"])
    #expect(try instruments.calendar(named: "night") === instruments.calendar(for: "A"))
    #expect(try instruments.calendar(named: "us_equities") === instruments.calendar(for: "D"))
    #expect(try instruments.calendar(named: "lunch") == nil)
    #expect(try Instruments().calendar(named: "24/7") === TradingCalendar.always)
  }

  /// Fields of random characters, written as RFC 4180 says, come back as they were.
  @Test func `quoted fields come back as they were`() throws {
    var random = SplitMix(21)
    let letters: [Character] = ["a", "ü", ",", "\"", " ", ";", "'", "€", "\u{1f600}", "\r"]
    for _ in 0..<rounds(300) {
      let fields = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        String((0..<Int.random(in: 0...6, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
      }
      let line = fields.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ",")
      var lines = CSVLines(Array((line + "\nnext").utf8))
      #expect(try lines.next(atMost: 5).map(\.text) == fields)
      #expect(try lines.next(atMost: 5).map(\.text) == ["next"] && lines.isAtEnd && lines.line == 2)
    }
  }

  @Test func `random bytes never trap, and problems are inside of the file`() {
    var random = SplitMix(5)
    let pieces = [
      "symbol", "name", "lot", "splits", "calendar", ",", "\n", "\"", "\r\n", "A", "2014-06-09 7:1", ";", "0.01", "24/7", "-", "é",
    ]
    for _ in 0..<rounds(500) {
      var bytes: [UInt8] = random.oneIn(2) ? Array("symbol,lot,splits\n".utf8) : []
      for _ in 0..<random.upTo(30) {
        bytes += random.oneIn(12) ? [UInt8(random.upTo(255))] : Array((pieces.randomElement(using: &random) ?? "").utf8)
      }
      var builder = InstrumentsBuilder()
      builder.add(csv: bytes, file: "r.csv")
      let lines = bytes.count { $0 == 10 } + 1
      for problem in builder.problems.list { #expect((1...lines).contains(problem.mark.line) && problem.mark.column >= 1) }
      let found = builder.finish()
      #expect(Set(found.all.map(\.symbol)).count == found.all.count)
    }
  }
}
