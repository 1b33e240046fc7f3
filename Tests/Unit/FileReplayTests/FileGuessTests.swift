import MarketData
import StockbusFiles
import StockbusTestKit
import TestSupport
import Testing

@testable import FileReplay

/// What the first lines of a file show about how to read it.
@Suite struct FileGuessTests {
  private func guess(_ text: String, name: String = "aapl_1min.csv") -> FileGuess {
    FileGuess(.bytes(Array(text.utf8)), name: name)
  }

  @Test func `separator, columns, time and decimal comma are found`() {
    let found = guess("Note;Time;Symbol;Last;Volume\nx;01.02.2024 09:30;AAPL;185,20;100\nx;01.02.2024 09:31;AAPL;185,25;1.200\n")
    #expect(found.problem == nil && found.rows == 2 && found.refused == 0, "\(found)")
    #expect(
      found.yaml() == """
        delimiter: semicolon
        columns: { price: Last }
        time: "dd.MM.yyyy HH:mm"
        zone: UTC
        numbers: comma

        """)
    #expect(found.questions.map(\.option) == ["zone"])
  }

  @Test func `a damaged row is no reason to leave lines out`() {
    let found = guess("time,symbol,price,size\n2026-01-05T14:30:00Z,A,1,2\n2026-01-05T14:30:01Z,A\n2026-01-05T14:30:01Z,B,1,2\nTotal,2\n")
    #expect(
      found.options.map(\.name) == ["ignore"] && found.options[0].value == "[\"Total\"]" && found.rows == 2 && found.refused == 1,
      "\(found)")
  }

  @Test func `a file that stockbus reads as it is needs no options`() {
    let found = guess("symbol,time,price,size\nAAPL,2024-01-02T14:30:00Z,185.20,100\n")
    #expect(found.options.isEmpty && found.questions.isEmpty && found.rows == 1 && found.problem == nil)
  }

  @Test func `bars without a header are found by their values, and the symbol is asked`() {
    let found = guess("2024-01-02 09:30:00,185.1,185.3,185.0,185.2,100\n2024-01-02 09:31:00,185.2,185.4,185.1,185.3,100\n")
    #expect(
      found.yaml() == """
        event: bar
        header: false
        columns: { time: 1, open: 2, high: 3, low: 4, close: 5, volume: 6 }
        symbol: AAPL
        length: 1m
        zone: UTC

        """)
    #expect(found.questions.map(\.option) == ["symbol", "zone"])
  }

  @Test func `a file of which no row is an event is told with all options that read it`() {
    let folder = TemporaryFolder()
    folder.put("symbol,time,price\nA,01/17/2024,$1.50\nB,01/18/2024,$2.50\n", in: "f.csv")
    #expect(
      FileHead.doubt(about: folder.file("f.csv"), .init(), as: Trade.fields, event: "trade")
        == "line 2: 'time' is not a time in ISO-8601 or since the epoch: '01/17/2024'; write time: \"MM/dd/yyyy\"; none of the 2 rows is a "
        + "trade; these options read it: time: \"MM/dd/yyyy\", numbers: grouped")
  }

  @Test func `a zone that is written is not replaced by a guess`() {
    let folder = TemporaryFolder()
    folder.put("symbol,time,price\nA,01/17/2024 09:30:00,1\n", in: "f.csv")
    var options = ReplayOptions()
    func doubt() -> String { FileHead.doubt(about: folder.file("f.csv"), options, as: Trade.fields, event: "trade") ?? "" }
    let remedy = "; these options read it: time: \"MM/dd/yyyy HH:mm:ss\""
    #expect(doubt().hasSuffix(remedy + ", zone: UTC"), "\(doubt())")
    options.zone = "America/New_York"
    #expect(doubt().hasSuffix(remedy), "\(doubt())")
  }

  @Test func `what is written in the file is quoted for YAML`() {
    let found = guess(
      "symbol,time,pri\tce,act\u{1}\nA,2024-01-02T09:30:00Z,5,\"the \"\"buy\"\"\"\nA,2024-01-02T09:30:01Z,6,sell \u{7}\n\u{7f}end\n")
    #expect(
      found.yaml() == """
        ignore: ["\\x7fend"]
        columns: { price: 3, side: 4 }
        sides: { buy: ["the \\"buy\\""], sell: ["sell \\x07"] }

        """)
  }

  @Test func `any bytes have a guess`() {
    var random = SplitMix(38)
    let alphabet = Array("01/2.:;,\t|\"-+eK TZaM\n\r\u{e4}$()x".utf8) + [0, 0xff]
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
      let found = FileGuess(.bytes(bytes), name: "f")
      #expect(found.problem != nil || found.rows > 0)
    }
  }

  @Test func `lines before the header are named in the error of the columns`() {
    let outcome: Outcome<Trade> = run("Report\n\nsymbol;time;price\nA;1;10\nB;2;11\n")
    #expect(outcome.error?.message == "the header seems to be on line 3: set 'skip_lines: 2' and 'delimiter: semicolon'")
  }

  @Test func `what cannot be read says why in one line`() {
    #expect(guess("").problem == "it has no rows")
    #expect(guess("hello\nworld\n").problem == "no line has several fields that are separated by a comma, a semicolon, a tab or a pipe")
    #expect(
      guess("a,b c\nx,y\n").problem
        == "no columns for the time and the price; there are 'a' and 'b c'; write which they are, such as "
        + "'sources: { rows: { plugin: file_replay, path: aapl_1min.csv, columns: { time: a, price: b c } } }'")
    let folder = TemporaryFolder()
    #expect(FileGuess(path: folder.file("none")).problem == "it cannot be opened: No such file or directory")
    folder.put("symbol,time,price\nA,2024-01-02T14:30:00Z,1\n", in: "f.csv")
    #expect(FileGuess(path: folder.file("f.csv")).rows == 1)
  }
}
