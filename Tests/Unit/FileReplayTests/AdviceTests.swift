import MarketData
import StockbusTestKit
import Testing

@testable import FileReplay

/// Hints for rows and files in notations of other programs.
@Suite struct AdviceTests {
  private func reason(_ text: String, _ options: ReplayOptions = FileReplayTests.options()) -> String? {
    run(text, options).malformed.first?.reason
  }

  @Test(
    arguments: [
      ("$12.50", "; write 12.50, without the currency, or set 'numbers: grouped'"),
      ("-$12.50", "; write -12.50, without the currency, or set 'numbers: grouped'"),
      ("$-12.50", "; write -12.50, without the currency, or set 'numbers: grouped'"),
      ("12.50 €", "; write 12.50, without the currency, or set 'numbers: grouped'"),
      ("USD 3", "; write 3, without the currency, or set 'numbers: grouped'"),
      ("1.5%", "; write 1.5, without the per cent sign, or set 'numbers: grouped'"), ("1.2K", "; set 'numbers: grouped'"),
      ("1,2M", "; set 'numbers: comma'"), ("(12.50)", "; set 'numbers: grouped'"),
      ("1,5", "; write 1.5, with a decimal point, or set 'numbers: comma'"),
      (",5", "; write 0.5, with a decimal point, or set 'numbers: comma'"),
      ("0,123", "; write 0.123, with a decimal point, or set 'numbers: comma'"),
      ("1234,567", "; write 1234.567, with a decimal point, or set 'numbers: comma'"),
      ("1,234.50", "; write 1234.50, without marks between thousands, or set 'numbers: grouped'"),
      ("1.234,50", "; write 1234.50, without marks between thousands, with a decimal point, or set 'numbers: comma'"),
      ("1'234'567.5", "; write 1234567.5, without marks between thousands, or set 'numbers: grouped'"),
      ("1 234,5 €", "; write 1234.5, without the currency, without marks between thousands, with a decimal point, or set 'numbers: comma'"),
      ("1,234,567", "; write 1234567, without marks between thousands, or set 'numbers: grouped'"),
      ("1.234.567", "; write 1234567, without marks between thousands, or set 'numbers: comma'"),
      ("1,234", "; write 1.234 or 1234, whichever is meant; a comma is not accepted, or set 'numbers: grouped' or 'numbers: comma'"),
      ("x", ""), ("1x", ""), ("1.2.3", ""), ("1,2,3", ""), ("--1", ""), ("-", ""), (".", ""), (",", ""), ("1 2", ""), ("$", ""),
      ("USD", ""),
      ("NaN", ""), ("1_000", "; write 1000, without marks between thousands, or set 'numbers: grouped'"), ("1,23.4", ""), ("\u{feff}1", ""),
      (String(repeating: "1,", count: 100), ""),
    ])
  func `numbers as others write them are told with the number to write`(text: String, advice: String) {
    let shown = text.count > 60 ? text.prefix(60) + "…" : text
    #expect(
      reason("symbol;time;price\nA;1;\(text)\n", options { $0.csv.delimiter = .semicolon })
        == "'price' is not a number: '\(shown)'\(advice)")
    if !text.contains("\u{feff}") {
      #expect(reason("{\"symbol\":\"A\",\"time\":1,\"price\":\"\(text)\"}\n") == "'price' is not a number: '\(shown)'\(advice)")
    }
  }

  @Test(
    arguments: [
      ("01.03.2024", "; write time: \"dd.MM.yyyy\""),
      (
        "03/01/2024 10:00",
        "; write time: \"MM/dd/yyyy HH:mm\" if the month is first, or \"dd/MM/yyyy HH:mm\" if the day is"
      ),
      ("31.12.2024", "; write time: \"dd.MM.yyyy\""), ("12/31/2024", "; write time: \"MM/dd/yyyy\""),
      ("5.5.2024", "; write time: \"d.M.yyyy\""), ("2024/03/01", "; write time: \"yyyy/MM/dd\""),
      ("2024-3-1", "; write time: \"yyyy-M-d\""),
      ("3/1/24", "; write time: \"M/d/yy\" if the month is first, or \"d/M/yy\" if the day is"), ("31.31.2024", ""),
      ("1-Mar-2024", "; write time: \"d-MMM-yyyy\""), ("March 1, 2024", "; write time: \"MMMM d, yyyy\""),
      (
        "09:30:00",
        "; a time of day needs its date: name its column, as in 'columns: { date: Date }', or set 'date' and time: \"HH:mm:ss\""
      ),
      ("yesterday", ""), ("2024-02-30", ""), ("1.2", nil), (":", ""), ("./.", ""),
    ])
  func `a time in another notation is told with the pattern that reads it`(text: String, advice: String?) {
    let found = reason("symbol;time;price\nA;\(text);1\n", options { $0.csv.delimiter = .semicolon })
    #expect(found == advice.map { "'time' is not a time in ISO-8601 or since the epoch: '\(text)'\($0)" })
    // If times are numbers, there is no hint about dates.
    let number = reason(
      "symbol;time;price\nA;\(text);1\n",
      options {
        $0.csv.delimiter = .semicolon
        $0.time.format = .milliseconds
      })
    #expect(advice == nil || number?.hasSuffix("'\(text)'") == true)
  }

  // MARK: Layout

  private func told(_ text: String, _ options: ReplayOptions = FileReplayTests.options()) -> (head: String?, run: String?) {
    let folder = TemporaryFolder()
    folder.put(text, in: "f")
    let outcome: Outcome<Trade> = run(text, options)
    return (FileHead.fault(of: folder.file("f"), options, as: Trade.fields), outcome.error?.message)
  }

  @Test func `lines that end with carriage returns alone are an error, and no header of everything`() {
    let text = "time,price,symbol\r" + String(repeating: "1,1,A\r", count: 5)
    let plain = options { _ in }
    let bare = options {
      $0.csv.hasHeader = false
      $0.columns = ["time": "1", "symbol": "3", "price": "2"]
    }
    for options in [plain, bare] {
      #expect(told(text, options).head == "line 1: \(FileLook.bareReturns)")
      #expect(told(text, options).run == FileLook.bareReturns)
      // For any length of the file and of its line.
      for count in [FileHead.size, 1 << 20] {
        let long = "time,price,symbol\r" + String(repeating: "1,1,A\r", count: count / 6 + 1)
        #expect(told(long, options).head == "line 1: \(FileLook.bareReturns)")
        #expect(told(long, options).run == FileLook.bareReturns)
      }
    }
    #expect(told("time,price,\"sym\nbol\",symbol\r1,1,1,A\r").run == FileLook.bareReturns)
    // The usual line ends, and a carriage return that is part of a name.
    for good in ["time,price,symbol\r\n1,1,A\r\n", "time,price,symbol\r", "time,price,symbol,\"a\rb\"\n1,1,A,\"c\rd\"\n"] {
      #expect(told(good) == (nil, nil), "\(good.debugDescription)")
    }
    #expect(run("time,price,symbol\n1,1,A\r2,2,B\r").reasons == ["2: 5 fields, but the header has 3; \(FileLook.bareReturns)"])
    #expect(
      reason("{\"time\":1,\"price\":1,\"symbol\":\"A\"}\r{\"time\":1,\"price\":1,\"symbol\":\"A\"}\r")?.hasSuffix(
        "; \(FileLook.bareReturns)")
        == true)
  }

  @Test func `a carriage return further on in a file without a header is its row's`() async throws {
    let bare = options {
      $0.csv.hasHeader = false
      $0.columns = ["time": "1", "price": "2", "symbol": "3"]
      $0.blockSize = 64
    }
    let text = String(repeating: "1,1,A,x\n1,1,A\n", count: 3) + String(repeating: "1,x\r1,A\n", count: 60)
    let input = ReplayInput(name: "f", contents: .bytes(Array(text.utf8)))
    let alone: Outcome<Trade> = run([input], bare)
    #expect(alone.error == nil && alone.counts == ReplayCounts(events: 6, malformed: 60))
    var replay = try ParallelReplay<Trade>(input, bare, parsers: 3)
    var count = 0
    try await replay.run(limit: 10) { events, _, _ in
      count += events.count
    } noted: { _ in
      .skip
    }
    #expect(count == 6 && replay.counts == alone.counts)
  }

  @Test func `a JSON array is told to be written as lines`() {
    let objects =
      "this looks like a JSON array of objects, but each row must be one object on its own line: jq -c '.[]' < OLD > NEW converts it"
    for text in ["[{\"symbol\":\"A\",\"time\":1,\"price\":1}]\n", " [\n  {\n \"symbol\": \"A\"", "[{\"a\":1},{\"a\":2}]"] {
      #expect(told(text).head == "line 1: \(objects)" && told(text).run == objects, "\(text)")
    }
    #expect(told("[[1,2],[3,4]]\n").run?.hasPrefix("this looks like a JSON array of arrays") == true)
    #expect(told("[1,\"A\",2]\n[1,\"B\",2]\n").run?.hasPrefix("this looks like one JSON array a line: set 'format: jsonl'") == true)
    let lines = options { $0.format = .jsonLines }
    let advice = "; each row must be one object on its own line: jq -c '.[]' < OLD > NEW converts an array"
    for text in ["[{\"symbol\":\"A\",\"time\":1,\"price\":1}]\n", "[\n{\"symbol\":\"A\"},\n]\n"] {
      #expect(reason(text, lines)?.hasSuffix(advice) == true, "\(text)")
    }
    #expect(reason("{\n\"symbol\":\"A\"}\n")?.hasSuffix("; each object must be on one line: jq -c . < OLD > NEW converts them") == true)
    // Rows that are arrays, with fields given by index.
    let places = options {
      $0.format = .jsonLines
      $0.columns = ["symbol": "[0].s", "time": "[1]", "price": "[2]"]
    }
    #expect(reason("[{\"s\":\"A\"},1,\"x\"]\n", places) == "'price' is not a number: 'x'")
    #expect(run("[{\"s\":\"A\"},1,2]\n", places).events.count == 1)
    #expect(told("[time],price,symbol,time\n1,1,A,1\n") == (nil, nil))
  }
}
