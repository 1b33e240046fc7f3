import Foundation
import StockbusPlugin
import StockbusTestKit
import Testing

/// Made up: 30 days from Monday, 2013-09-02, without weekends.
private let daily: String = {
  var rows = ["date,symbol,open,high,low,close,volume"]
  var price = 100
  for i in 0..<30 where i % 7 < 5 {
    let (open, close) = (price, price + (i * 7) % 5 - 2)
    price = close
    let date = CivilDate(daysSinceEpoch: 15_950 + i)
    let text = "\(date.year)-\(date.month < 10 ? "0" : "")\(date.month)-\(date.day < 10 ? "0" : "")\(date.day)"
    rows.append("\(text),AAPL,\(open).50,\(max(open, close) + 2).25,\(min(open, close) - 1).00,\(close).75,\(1000 + i * 10)")
  }
  return rows.joined(separator: "\n") + "\n"
}()

@Suite(.enabled(if: ProgramTests.program != nil, "the program was not built"), .timeLimit(.minutes(15)))
struct HistoryCommandTests {
  let folder = TemporaryFolder()

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try ProgramTests.run(["history"] + arguments, in: URL(filePath: folder.path))
  }

  @Test func `a file is imported, shown, checked and backed up`() throws {
    folder.put(daily + "2013-10-07,AAPL,1,2\nx\n", in: "daily.csv")
    let first = try run("import", "daily.csv")
    #expect(first.status == 0 && first.output == "24 rows: 22 new, 0 replaced, 0 the same, 2 malformed\n")
    #expect(
      first.errors == """
        daily.csv:24: 'low' is missing: the row has 4 fields: 2013-10-07,AAPL,1,2
        daily.csv:25: 'date': not a time: x

        """)
    #expect(try run("import", "daily.csv", "--strict").status == 65)
    #expect(try run("AAPL", "--from", "2013-09-30", "--to", "2013-10-01").output.split(separator: "\n").count == 3)
    try expect(try run("AAPL", "--limit", "5").output, is: "history-table.txt")
    let weeks = try run("AAPL", "--bars", "1w", "--format", "csv")
    try expect(weeks.output, is: "history-weeks.csv")
    #expect(weeks.errors == "made of bars of 1d, because the file has none of 1w\n")
    try expect(try run("AAPL", "--format", "chart").output, is: "history-chart.txt")
    #expect(try run("AAPL", "--format", "json", "--limit", "1").output.hasPrefix(#"{"symbol":"AAPL","length":"1d","open":"#))
    try expect(try run("check", "--gap", "2d").output, is: "history-check.txt")
    #expect(try run("backup", "copy.db").status == 0)
    try expect(try run("AAPL", "--limit", "5", "--file", "copy.db").output, is: "history-table.txt")
    #expect(folder.names == ["copy.db", "daily.csv", "history.db"])
  }

  /// The status and everything that was written.
  private func outcome(_ arguments: String...) throws -> String {
    let result = try ProgramTests.run(["history"] + arguments, in: URL(filePath: folder.path))
    return "\(result.status) \(result.output)\(result.errors)"
  }

  @Test func `what cannot be shown is an error in one line`() throws {
    #expect(try outcome("AAPL") == "1 error: 'history.db': there is no such file\n")
    folder.put(daily, in: "daily.csv")
    _ = try run("import", "daily.csv")
    #expect(try outcome("APPL") == "1 error: 'history.db' has no bars of 'APPL'; did you mean 'AAPL'?\n")
    // The file of plugins.yaml is the usual one: what a run reads before what one sink writes.
    folder.put("sinks: { kept: { plugin: history, inputs: [], path: mine.db } }", in: "plugins.yaml")
    #expect(try outcome("AAPL") == "1 error: 'mine.db': there is no such file\n")
    folder.put("history: read.db\nsinks: { kept: { plugin: history, inputs: [], path: mine.db } }", in: "plugins.yaml")
    #expect(try outcome("AAPL") == "1 error: 'read.db': there is no such file\n")
    folder.remove("plugins.yaml")
    #expect(try outcome("AAPL", "--bars", "1m") == "1 error: no bars of 1m for 'AAPL' in this period; there are bars of 1d\n")
    #expect(try run("AAPL", "--bars", "soon").status == 64)
    #expect(try run("AAPL", "--from", "2013-10-02", "--to", "2013-10-01").status == 64)
    #expect(try outcome("import", "absent.csv") == "1 error: 'absent.csv': No such file or directory\n")
    // Where a file is of another kind, the way that reads it is named.
    let way =
      "for other dates and columns, or one symbol for the whole file: 'stockbus init csv other.csv', and in what it writes a sink, "
      + "kept: { plugin: history, inputs: [rows], path: history.db }\n"
    folder.put("date,open,high,low,close,volume\n2024-01-02,1,1,1,1,1\n", in: "other.csv")
    let headless = try run("import", "other.csv")
    #expect(headless.status == 1 && headless.errors.hasSuffix("\n" + way))
    folder.put("date,symbol,open,high,low,close,volume\n02.01.2024,A,1,1,1,1,1\n", in: "other.csv")
    let undated = try run("import", "other.csv")
    #expect(undated.status == 1 && undated.errors.hasSuffix("\n" + way))
    folder.put("text", in: "text.db")
    let text = "1 error: 'text.db' is not a database of stockbus: it is not a database; use another path to keep it\n"
    #expect(try outcome("check", "--file", "text.db") == text)
    #expect(try outcome("import", "daily.csv", "--file", "text.db") == text)
    #expect(try run("import", "daily.csv", "--file", "daily.csv").status == 1)
    #expect(folder.content("daily.csv") == daily)
  }
}
