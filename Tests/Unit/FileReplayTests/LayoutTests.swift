import MarketData
import StockbusDecoding
import StockbusTestKit
import TestSupport
import Testing

@testable import FileReplay

/// Files as other programs export them: lines that are no rows, dates beside times, units, encodings.
@Suite struct LayoutTests {
  private func rows(_ text: String, _ change: (inout ReplayOptions) -> Void) -> [String] {
    let outcome = run(text, options(change))
    return outcome.events.map(line) + outcome.reasons + (outcome.error.map { ["\($0)"] } ?? [])
  }

  /// The events of a large file, and how many rows were refused.
  private func parallel(_ text: String, _ change: (inout ReplayOptions) -> Void) async throws -> (events: Int, malformed: Int) {
    let options = options {
      change(&$0)
      $0.blockSize = 512
    }
    var replay = try ParallelReplay<Trade>(ReplayInput(name: "f", contents: .bytes(Array(text.utf8))), options, parsers: 3)
    try await replay.run(limit: 100) { _, _, _ in
    } noted: { _ in
      .skip
    }
    return (replay.counts.events, replay.counts.malformed)
  }

  // MARK: Lines

  @Test func `lines before the header are skipped, and those that begin so are no rows`() async throws {
    let text = "Report of \"today\n\nsymbol,time,price\nA,1,10\n# note,1,2\nTotal,x,10\nA,2,11\n"
    func change(_ options: inout ReplayOptions) {
      options.csv.skipped = 2
      options.csv.ignored = [Array("#".utf8), Array("Total".utf8)]
    }
    #expect(rows(text, change) == ["A 10 x0 @1970-01-01T00:00:01Z", "A 11 x0 @1970-01-01T00:00:02Z"])
    let long = "Report\n\n" + "symbol,time,price\n" + String(repeating: "A,1,10\n# note\n", count: 500)
    let found = try await parallel(long, change)
    #expect(found == (500, 0))
  }

  @Test func `lines before the first row are skipped, however large the file is`() async throws {
    func change(_ options: inout ReplayOptions) {
      options.csv.skipped = 1
      options.csv.hasHeader = false
      options.columns = ["symbol": "1", "time": "2", "price": "3"]
    }
    #expect(rows("x,y\nA,1,10\n", change) == ["A 10 x0 @1970-01-01T00:00:01Z"])
    let found = try await parallel("A,9,9\n" + String(repeating: "A,1,10\n", count: 1000), change)
    #expect(found == (1000, 0))
    await #expect(throws: ReplayError.self) {
      _ = try await parallel(String(repeating: "x\n", count: 600) + String(repeating: "A,1,10\n", count: 1000)) {
        change(&$0)
        $0.csv.skipped = 600
      }
    }
  }

  // MARK: Columns

  @Test func `a date and a time of day in two columns are one time`() {
    func change(_ options: inout ReplayOptions) {
      options.columns = ["date": "Day"]
      options.zone = "UTC"
    }
    #expect(rows("symbol,Day,Time,price\nA,2024-01-02,09:30:00.5,10\n", change) == ["A 10 x0 @2024-01-02T09:30:00.500Z"])
    #expect(rows("symbol,price,time,Day\nA,10,\"093000\",20240102\n", change) == ["A 10 x0 @2024-01-02T09:30:00Z"])
    let pattern = rows("Time,Day,symbol,price\n9:30 PM,1/2/2024,A,10\n ,1/2/2024,A,10\n9:30 PM,,A,10\n") {
      change(&$0)
      $0.time = (try? TimePattern("M/d/yyyy h:mm a")).map { TimeForm($0) } ?? .auto
    }
    #expect(pattern == ["A 10 x0 @2024-01-02T21:30:00Z", "3: 'time' is empty", "4: 'time' is empty"])
    #expect(rows("symbol,time,price\nA,1,10\n", change).first?.contains("no column 'Day' for the date") == true)
  }

  @Test func `a time of day alone says how its date is named`() {
    #expect(
      rows("symbol,date,time,price\nA,2024-01-02,09:30,10\n", { $0.zone = "UTC" }) == [
        "2: 'time' is not a time in ISO-8601 or since the epoch: '09:30'; a time of day needs its date: name its column, as in "
          + "'columns: { date: Date }', or set 'date' and time: \"HH:mm\""
      ])
  }

  @Test func `the sign of a size is its side, if both have one column`() {
    func change(_ options: inout ReplayOptions) { options.columns = ["size": "Qty", "side": "Qty"] }
    #expect(
      rows("symbol,time,price,Qty\nA,1,10,5\nA,2,10,-5.5\nA,3,10,\n", change) == [
        "A 10 x5 @1970-01-01T00:00:01Z buy", "A 10 x5.5 @1970-01-01T00:00:02Z sell", "A 10 x0 @1970-01-01T00:00:03Z",
      ])
    #expect(rows("symbol,time,price,size\nA,1,10,-5\n", { _ in }) == ["2: 'size' is negative: '-5'"])
  }

  // MARK: Numbers

  @Test func `prices in cents and sizes in thousands or lots`() {
    func change(_ options: inout ReplayOptions) {
      (options.priceScale, options.sizeFactor) = (100, 1000)
    }
    #expect(
      rows("symbol,time,price,size\nA,1,18520,1.5\nA,2,18521,12\n", change) == [
        "A 185.2 x1500 @1970-01-01T00:00:01Z", "A 185.21 x12000 @1970-01-01T00:00:02Z",
      ])
    // 9,223,372,036 is the largest size.
    let large = run("symbol,time,price,size\nA,1,1,9223373\n", options { $0.sizeFactor = 1000 })
    #expect(large.events.map(\.size) == [Quantity(0)] && large.counts.kept.unfit == 1)
    let bars = run(as: Bar.self, "symbol,time,o,h,l,c,count\nA,1,1,2,1,2,7\n", options { $0.priceFactor = 10 })
    #expect(bars.events.map { "\($0.high) \($0.count)" } == ["20 7"])
  }

  @Test func `numbers as people write them`() {
    func read(_ text: String, _ numbers: NumberForm) -> String {
      let outcome = run("symbol;time;price\nA;1;\(text)\n", options { ($0.csv.delimiter, $0.numbers) = (.semicolon, numbers) })
      return outcome.events.first.map { "\($0.price)" } ?? outcome.malformed[0].reason
    }
    for (text, price) in [
      ("$1,234.50", "1234.5"), ("-$5", "-5"), ("$-5", "-5"), ("(1,234.50)", "-1234.5"), ("($5)", "-5"), ("1.2K", "1200"), ("3M", "3000000"),
      ("1.5 B", "1500000000"), ("99.5%", "99.5"), ("0.015BTC", "0.015"), ("USD 12", "12"), ("12 EUR", "12"), ("+1.5k", "1500"),
      ("1e2", "100"),
    ] { #expect(read(text, .grouped) == price, "\(text)") }
    for (text, price) in [("1.234,50 €", "1234.5"), ("1,2M", "1200000"), ("€ 5", "5"), ("(5,5)", "-5.5")] {
      #expect(read(text, .comma) == price, "\(text)")
    }
    for text in ["$", "K", "()", "5$5", "1KK", "--5", "1.2X", "(5", "-(-5)"] {
      #expect(read(text, .grouped).hasPrefix("'price' is not a number: '\(text)'"), "\(text)")
    }
    #expect(read("1.2K", .plain) == "'price' is not a number: '1.2K'; set 'numbers: grouped'")
  }

  // MARK: Sides

  @Test(
    arguments: [
      ("+", "; set 'sides: { buy: ['+'], sell: ['-'] }'"), ("Long", "; set 'sides: { buy: [Long], sell: [Short] }'"),
      ("KAUF", "; set 'sides: { buy: [KAUF], sell: [VERKAUF] }'"),
      (
        "bid",
        "; set 'sides: { buy: [ask], sell: [bid] }' if it is the quote at which was traded, and the other way round if it is the side of "
          + "the order that took it"
      ),
    ])
  func `an unknown word for a side says how it is given its meaning`(word: String, advice: String) {
    #expect(rows("symbol,time,price,side\nA,1,10,\(word)\n", { _ in }) == ["2: 'side' is neither buy nor sell: '\(word)'\(advice)"])
  }

  @Test func `words of brokers for a side`() {
    #expect(
      rows("symbol,time,price,side\nA,1,10,BOT\nA,1,10,Sold\n", { _ in }) == [
        "A 10 x0 @1970-01-01T00:00:01Z buy", "A 10 x0 @1970-01-01T00:00:01Z sell",
      ])
  }

  // MARK: Encodings

  @Test(arguments: [1, 2, 3, 7, 64, 1 << 17])
  func `UTF-16 and windows-1252 are read as UTF-8 is`(blockSize: Int) {
    let text = "Größe;symbol;time;price\r\n5;ÄÖ😀;1;10\r\n7;B€;2;11\r\n"
    func read(_ bytes: [UInt8], _ encoding: TextEncoding = .utf8) -> Outcome<Trade> {
      run(
        [ReplayInput(name: "f", contents: .bytes(bytes))],
        options {
          $0.csv.delimiter = .semicolon
          $0.columns = ["size": "Größe"]
          $0.encoding = encoding
          $0.blockSize = blockSize
        })
    }
    let whole = read(Array(text.utf8))
    #expect(whole.events.map(line) == ["ÄÖ😀 10 x5 @1970-01-01T00:00:01Z", "B€ 11 x7 @1970-01-01T00:00:02Z"])
    let little = text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    #expect(read([0xff, 0xfe] + little) == whole)
    #expect(read([0xfe, 0xff] + big) == whole)
    #expect(read(little, .utf16) == whole)
    // A character in two halves, of which the second is missing, and half a character at the end.
    #expect(read([0xff, 0xfe] + little + [65]).reasons.count == 1)
    let western = text.replacing("ÄÖ😀", with: "ÄÖ").unicodeScalars.map { $0 == "€" ? 0x80 : UInt8($0.value) }
    #expect(read(western, .windows1252).events.map(line) == ["ÄÖ 10 x5 @1970-01-01T00:00:01Z", "B€ 11 x7 @1970-01-01T00:00:02Z"])
    let hint = "; it is not UTF-8: 'encoding: windows-1252' may read it"
    #expect(read(western).error?.message.hasSuffix(hint) == true)
    let symbol = run([ReplayInput(name: "f", contents: .bytes(Array("symbol,time,price\n".utf8) + [0xc4] + Array(",1,1\n".utf8)))])
    #expect((symbol as Outcome<Trade>).malformed.first?.reason.hasSuffix(hint) == true)
  }

  @Test func `any bytes can be in another encoding`() {
    var random = SplitMix(1252)
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      for encoding in TextEncoding.allCases {
        let outcomes = [1, 5, 1 << 17].map { size -> Outcome<Trade> in
          run(
            [ReplayInput(name: "f", contents: .bytes(bytes))],
            options {
              ($0.encoding, $0.blockSize, $0.csv.hasHeader) = (encoding, size, false)
              $0.columns = ["symbol": "1", "time": "1", "price": "1"]
            })
        }
        #expect(outcomes[0] == outcomes[2] && outcomes[1] == outcomes[2], "\(encoding) \(bytes) \(outcomes)")
      }
    }
  }

  // MARK: Options

  @Test(
    arguments: [
      ("price_scale: cents, size_scale: lots of 100, skip_lines: 3, ignore: ['#'], encoding: windows-1252", "valid"),
      ("columns: { date: Date, time: Time }, time: MM/dd/yyyy HH:mm", "valid"), ("size_scale: thousand", "; did you mean 'thousands'?"),
      ("size_scale: lots", "; write how many a lot has, as in 'lots of 100'"), ("size_scale: 0", "it is from 1 to 1000000000"),
      ("format: jsonl, skip_lines: 2", "'skip_lines' is for CSV"),
      ("encoding: latin1", "'encoding' must be one of utf-8, utf-16, windows-1252, got 'latin1'"),
      ("format: jsonl, columns: { date: Date }", "'columns': trade has no field 'date'; did you mean 'time'?"),
    ])
  func `options for the layout are checked`(options: String, end: String) {
    do {
      _ = try PipelineHarness(
        """
        sources: { p: { plugin: file_replay, path: /dev/null, \(options) } }
        sinks: { end: { plugin: probe, inputs: [p] } }
        """, plugins: [.fileReplay, .probe])
      #expect(end == "valid")
    } catch { #expect("\(error)".hasSuffix(end), "\(error)") }
  }
}
