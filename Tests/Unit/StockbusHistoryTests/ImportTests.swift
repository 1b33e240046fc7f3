import MarketData
import StockbusTestKit
import Testing

@testable import StockbusHistory

@Suite(.timeLimit(.minutes(15))) struct ImportTests {
  let folder = TemporaryFolder()

  private func importing(_ text: String, _ numbers: DailyNumbers = DailyNumbers()) throws -> (totals: DailyImport.Totals, faults: [String])
  {
    folder.put(Array(text.utf8), in: "in.csv")
    var faults: [String] = []
    let path = folder.file("h.db")
    let totals = try DailyImport.run(folder.file("in.csv"), numbers, into: { () throws(HistoryError) in try HistoryWriter(path) }) {
      faults.append("\($0.line): \($0.reason)")
    }
    return (totals, faults)
  }

  private func stored(_ symbol: Symbol) throws -> [String] {
    try HistoryReader(folder.file("h.db")).bars(symbol, .day).map {
      "\($0.time.description.prefix(10)) \($0.open) \($0.high) \($0.low) \($0.close) \($0.volume)"
    }
  }

  @Test func `rows become daily bars at midnight UTC of their date, exactly`() throws {
    let result = try importing(
      "date,symbol,open,high,low,close,volume\n2008-01-02,AAPL,199.49,200.26,192.55,194.84,37921848\r\n\n2008-01-03,BRK.B,1,2,1,1.5,7")
    #expect(result.totals == .init(rows: 2, new: 2) && result.faults == [])
    #expect(try stored("AAPL") == ["2008-01-02 199.49 200.26 192.55 194.84 37921848"])
    let one = try #require(try HistoryReader(folder.file("h.db")).bars("BRK.B", .day).first)
    #expect(one.priceDecimals == 1 && one.time == one.received && one.turnover.raw == 0 && one.vwap == one.close)
  }

  @Test func `a second import says what is new, replaced and the same`() throws {
    let head = "date,symbol,open,high,low,close,volume\n"
    _ = try importing(head + "2008-01-02,A,1,2,1,2,5\n2008-01-03,A,1,2,1,2,5\n")
    let result = try importing(head + "2008-01-03,A,1,2,1,2,5\n2008-01-02,A,1,3,1,2,5\n2008-01-04,A,1,2,1,2,5\n2008-01-04,A,1,2,1,1,5\n")
    #expect(result.totals == .init(rows: 4, new: 1, replaced: 2, same: 1))
    #expect(try stored("A") == ["2008-01-02 1 3 1 2 5", "2008-01-03 1 2 1 2 5", "2008-01-04 1 2 1 1 5"])
  }

  @Test func `columns are found by name, quoted or not, with others between`() throws {
    let result = try importing("\u{feff}Volume, Close ,note,\"low\",high,open,symbol,date\n5,2,\"a, \"\"b\"\"\",1,3,2, A ,\"2008-01-02\"\n")
    #expect(result.totals == .init(rows: 1, new: 1))
    #expect(try stored("A") == ["2008-01-02 2 3 1 2 5"])
    // A byte order mark before a quotation mark.
    let quoted = try importing("\u{feff}\"date\",symbol,open,high,low,close,volume\n2008-01-03,A,2,3,1,2,5\n")
    #expect(quoted.totals == .init(rows: 1, new: 1) && quoted.faults == [])
  }

  @Test func `a row without a bar is told with its line, and the rest is read`() throws {
    let rows = [
      "2008-02-30,A,1,2,1,2,5", "2008-01-02,A,1,2,1,2", "2008-01-02,A,1,2,1,2,-5", "2008-01-02,A,1,2,1,3,5", "2008-01-02,A,1,2,1.5,2,5",
      "2008-01-02,,1,2,1,2,5", "2008-01-02,A,1x,2,1,2,5", "2008-01-02,A,1.0000000001,2,1,2,5", "2008-01-02,\"A,1,2,1,2,5",
      "9999-01-02,A,1,2,1,2,5", "2008-01-02,\"A\"B,1,2,1,2,5", "nonsense", String(repeating: "x", count: 70_000), "2008-01-09,A,1,2,1,2,5",
    ]
    let result = try importing("date,symbol,open,high,low,close,volume\n" + rows.joined(separator: "\n"))
    #expect(result.totals == .init(rows: 14, new: 1, malformed: 13))
    #expect(
      result.faults == [
        "2: 'date': not a time", "3: 'volume' is missing: the row has 6 fields", "4: 'volume' is negative",
        "5: 'high' is not the highest price", "6: 'low' is not the lowest price", "7: 'symbol': a symbol cannot be empty",
        "8: 'open' is not a number: '1x'", "9: 'open': more than nine decimals; --finer-prices round rounds prices to nine",
        "10: a quotation mark is not closed",
        "11: 'date': the years are 1678 to 2262", "12: text after a closing quotation mark",
        "13: 'date': not a time",
        "14: the row is longer than 65536 bytes",
      ])
    #expect(try stored("A") == ["2008-01-09 1 2 1 2 5"])
  }

  @Test func `dates may have no separators, and columns the names of end-of-day files`() throws {
    let result = try importing("<TICKER>,<DATE>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>\nA,20240102,1,2,1,2,5\nA,20240230,1,2,1,2,5\n")
    #expect(result.totals == .init(rows: 2, new: 1, malformed: 1) && result.faults == ["3: 'date': not a time"])
    #expect(try stored("A") == ["2024-01-02 1 2 1 2 5"])
  }

  @Test func `a volume that is missing or does not fit is 0, and the bar is kept`() throws {
    let head = "date,symbol,open,high,low,close,volume\n"
    let volumes = ["", "NaN", "23640926208", "9223372036854775807", "0.0000000001", "-23640926208", "7"]
    let rows = volumes.enumerated().map { "2008-01-0\($0 + 1),A,1,2,1,2,\($1)\n" }.joined()
    let result = try importing(head + rows)
    #expect(result.totals == .init(rows: 7, new: 6, malformed: 1, unfit: 2))
    #expect(result.faults == ["7: 'volume': number out of range"])
    #expect(try HistoryReader(folder.file("h.db")).bars("A", .day).map(\.volume) == [0, 0, 0, 0, 0, 7])
    var thousands = DailyNumbers()
    thousands.sizeScale = 1000
    #expect(try importing(head + "2008-02-01,B,1,2,1,2,23640926208\n", thousands).totals.unfit == 0)
    #expect(try stored("B") == ["2008-02-01 1 2 1 2 23640926.208"])
  }

  @Test func `a price that stands for none, or is too fine, gives no bar`() throws {
    let head = "date,symbol,open,high,low,close,volume\n"
    let rows = "2008-01-01,A,1,9223372036.854775807,1,2,5\n2008-01-02,A,0.000000001139,2,0.0000000001,2,5\n"
    #expect(
      try importing(head + rows).faults == [
        "2: 'high' is undefined: '9223372036.854775807' stands for no number",
        "3: 'open': more than nine decimals; --finer-prices round rounds prices to nine",
      ])
    var rounding = DailyNumbers()
    rounding.roundsPrices = true
    #expect(try importing(head + "2008-01-03,A,0.000000001139,2,0.0000000006,2,5\n", rounding).totals.new == 1)
    #expect(try stored("A") == ["2008-01-03 0.000000001 2 0.000000001 2 5"])
  }

  @Test func `numbers may have decimal commas, and cells semicolons between them`() throws {
    let head = "date;symbol;open;high;low;close;volume\n"
    let rows = "2008-01-01;A;105,2;1.234,50;1.000;1.100;1.000\n2008-01-02;A;1,5;2;1,5;1.000;5\n"
    var comma = DailyNumbers()
    comma.form = .comma
    #expect(try importing(head + "2008-01-01;A;1.000,5;1.234,50;1.000;1.100;1.000\n", comma).totals.new == 1)
    #expect(try stored("A") == ["2008-01-01 1000.5 1234.5 1000 1100 1000"])
    #expect(
      try importing(head + rows + "2008-01-03;A;1.000;2.000;1;2;5\n2008-01-04;A;1;2.5;1;2;5\n").faults == [
        "2: 'open' is not a number: '105,2'; write 105.2, with a decimal point, or say how numbers are written: --numbers grouped or comma",
        "3: 'open' is not a number: '1,5'; write 1.5, with a decimal point, or say how numbers are written: --numbers grouped or comma",
        "4: 'open' is '1.000', whose point may stand between thousands, as other numbers here have decimal commas; --numbers comma reads them",
      ])
  }

  @Test func `a header again is no row, and another one is read anew`() throws {
    let head = "date,symbol,open,high,low,close,volume\n"
    let result = try importing(
      head + "2008-01-01,A,1,4,1,2,5\n" + head + "2008-01-02,A,1,4,1,2,5\nsymbol,date,high,open,low,close,volume\nA,2008-01-03,4,1,1,2,5\n")
    #expect(result.totals == .init(rows: 3, new: 3))
    #expect(try stored("A") == ["2008-01-01 1 4 1 2 5", "2008-01-02 1 4 1 2 5", "2008-01-03 1 4 1 2 5"])
  }

  @Test func `a file without the columns is refused as a whole`() throws {
    func fault(_ text: String) -> String? { StockbusHistoryTests.fault { _ = try importing(text) } }
    let name = "'\(folder.file("in.csv"))'"
    #expect(
      fault("date,symbol,open,high,low,close\n")
        == "\(name):1: the header has no column 'volume'; it needs date,symbol,open,high,low,close,volume")
    #expect(fault("date,date,symbol,open,high,low,close,volume\n") == "\(name):1: the header names 'date' twice")
    #expect(fault("") == "\(name) is empty: it needs the header date,symbol,open,high,low,close,volume")
    let history = folder.file("h.db")
    #expect(
      StockbusHistoryTests.fault {
        _ = try DailyImport.run(folder.file("absent"), into: { () throws(HistoryError) in try HistoryWriter(history) }) { _ in }
      } == "'\(folder.file("absent"))': No such file or directory")
    // Nothing is made for a file without a bar.
    #expect(folder.names == ["in.csv"])
  }

  @Test func `lines are whole whatever pieces the file is read in`() throws {
    // Longer than one piece, with a line across each boundary.
    let rows = (0..<20_000).map { "\(CivilDate(daysSinceEpoch: $0).text),A,1,2,1,2,\($0)" }
    let result = try importing("date,symbol,open,high,low,close,volume\n" + rows.joined(separator: "\r\n"))
    #expect(result.totals == .init(rows: 20_000, new: 20_000))
    #expect(try HistoryReader(folder.file("h.db")).bars("A", .day).map(\.volume.raw) == (0..<20_000).map { $0 * second })
  }
}

extension CivilDate {
  fileprivate var text: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(month))-\(two(day))"
  }
}
