import Glibc
import MarketData
import TestSupport
import StockbusTestKit
import Testing

@testable import FileReplay

/// Errors that are reported before a run, from a file's beginning, are the same as in the run.
@Suite struct HeadTests {
  let folder = TemporaryFolder()

  private func fault(_ bytes: [UInt8], _ options: ReplayOptions = FileReplayTests.options(), size: Int = FileHead.size) -> String? {
    folder.put(bytes, in: "f")
    return FileHead.fault(of: folder.file("f"), options, as: Trade.fields, size: size)
  }
  private func fault(_ text: String, _ options: ReplayOptions = FileReplayTests.options()) -> String? { fault(Array(text.utf8), options) }

  /// The error that ends a run, in the same form.
  private func runFault(_ bytes: [UInt8], _ options: ReplayOptions) -> String? {
    let outcome: Outcome<Trade> = run([ReplayInput(name: "f", contents: .bytes(bytes))], options)
    guard let error = outcome.error else { return nil }
    return switch error.place {
    case .line(let line): "line \(line): \(error.message)"
    case .byte(let byte): "byte \(byte): \(error.message)"
    case nil: "which \(error.message)"
    }
  }

  @Test func `a file that cannot be replayed is told as the run tells it, plain and compressed`() throws {
    let last =
      "no column for the price (looked for 'price', 'px', 'p'); there are 'Date', 'Ticker', 'Last'; "
      + "set 'columns: { price: Last }' if that is the right one"
    #expect(fault("Date,Ticker,Last\n2013-10-08,AAPL,1\n") == "line 1: \(last)")
    #expect(fault(gzip(Array("\n\nDate,Ticker,Last\n2013-10-08,AAPL,1\n".utf8))) == "line 3: \(last)")
    let wrong: [(String, ReplayOptions)] = [
      ("Date;Ticker;Price\n", options { _ in }), ("\"a\nb\",time,symbol\n1,1,A\n", options { _ in }),
      ("a\"b,price\n", options { _ in }), ("price,time,symbol,price\n", options { _ in }),
      ("A,1,2\n", options { $0.csv.hasHeader = false }), ("ts,sym,last\n", options { $0.columns = ["price": "lst", "time": "9"] }),
      ("17 {\"news\":1}\n", options { _ in }), ("\"never closed,2\n3\n", options { _ in }),
      ("PK\u{3}\u{4}and so on\n", options { _ in }), ("BZh91AY and so on\n", options { $0.format = .raw }),
    ]
    for (text, options) in wrong {
      let told = try #require(fault(text, options), "\(text)")
      #expect(told == runFault(Array(text.utf8), options))
    }
    var damaged = gzip(Array("time,symbol,price\n1,A,1\n".utf8))
    damaged[12] ^= 0xff
    #expect(fault(damaged) != nil && fault(damaged) == runFault(damaged, options { _ in }))
  }

  @Test func `nothing is told of a file that can be replayed, whatever its rows are`() {
    for text in ["", "\n\n", "time,symbol,price\n", "time,symbol,price\nx,y\n", "{\"x\":1}\n", "{", "[1]\n{\n"]
    where runFault(Array(text.utf8), .init()) == nil {
      #expect(fault(text) == nil, "\(text)")
    }
    #expect(
      fault(
        "2013-10-08,HEAD-1,1\n",
        options {
          $0.csv.hasHeader = false
          $0.columns = ["time": "1", "symbol": "2", "price": "3"]
        }) == nil)
    #expect(FileHead.fault(of: folder.file("gone"), .init(), as: Trade.fields) == nil)
  }

  @Test func `what goes on behind the beginning is left to the run`() {
    // The header is longer than the checked part, so nothing is certain.
    let long = "time,symbol," + String(repeating: "x", count: FileHead.size) + "\n1,A,1\n"
    #expect(fault(long) == nil && runFault(Array(long.utf8), .init()) != nil)
    let open = "time,symbol,\"" + String(repeating: "x\n", count: FileHead.size) + "\"\n1,A,1\n"
    #expect(fault(open) == nil && runFault(Array(open.utf8), .init()) != nil)
    // At random: wherever the file is cut, the error is the same or there is none.
    var random = SplitMix(2208)
    let pieces = ["time", "symbol", "price", "\"pr\nice\"", "\"", ",", "\n", "\r\n", "1", " ", "{", "\"a\"\"b\"", ";", "Last"]
    var told = 0
    for _ in 0..<rounds(400) {
      var text = ""
      for _ in 0..<Int.random(in: 1...12, using: &random) { text += pieces.randomElement(using: &random)! }
      let plain = Array(text.utf8)
      let bytes = Bool.random(using: &random) ? plain : gzip(plain)
      let whole = runFault(bytes, .init())
      #expect(fault(bytes) == whole, "\(text)")
      for size in [24, Int.random(in: 24...max(24, bytes.count), using: &random)] {
        let cut = fault(bytes, size: size)
        // A capture, and lines before a header, are recognised by the rows, and there are fewer of them.
        if cut != nil { told += 1 }
        let isPreamble = [cut, whole].contains { $0?.contains("skip_lines") == true }
        #expect(cut == nil || cut == whole || isPreamble, "\(text) cut at \(size)")
      }
    }
    #expect(told > 0)
  }

  @Test func `a pipe is neither waited for nor read`() {
    let path = folder.file("pipe")
    mkfifo(path, 0o600)
    #expect(FileHead.fault(of: path, .init(), as: Trade.fields) == nil)
    #expect(FileHead.fault(of: "/dev/zero", .init(), as: Trade.fields) == nil)
  }
}
