import MarketData
import StockbusDecoding
import Testing

@testable import FileReplay

/// Headers in mid-file, as in files that were put together.
@Suite struct HeaderAgainTests {
  private static func lines(_ outcome: Outcome<Trade>) -> [String] {
    outcome.events.map { "\($0.time.ns / 1_000_000_000): \($0.price) x\($0.size)" }
  }

  @Test(arguments: [",", ";", "\t", "|"])
  func `a header again is no row, and another one is read anew`(_ mark: String) {
    let text = [
      "time,symbol,price,size", "1,A,10,1", "time,symbol,price,size", "2,A,11,2", "time,symbol,price,size", "\"time\",symbol,size,price",
      "3,A,5,13", "Symbol,Price,Size,Ts,Note", "A,14,6,4,x",
    ].joined(separator: "\n").replacing(",", with: mark)
    var said: [String] = []
    let outcome = run(text, options { $0.csv.delimiter = Delimiter(mark)! }) {
      if $0.kind != .guessedTime("'time' is read as seconds since 1970") { said.append("\($0.line): \($0.text)") }
    }
    #expect(Self.lines(outcome) == ["1: 10 x1", "2: 11 x2", "3: 13 x5", "4: 14 x6"])
    #expect(outcome.malformed.isEmpty && outcome.counts.malformed == 0)
    #expect(
      said == [
        "3: the header is repeated here; it is not a row", "6: this is another header; it applies to the rows after it",
      ])
  }

  @Test func `a header that lacks a column ends the file there`() {
    let outcome = run("time,symbol,price\n1,A,10\ntime,symbol,last\n2,A,11\n", options())
    #expect(Self.lines(outcome) == ["1: 10 x0"])
    #expect(outcome.error?.code == .badColumns && outcome.error?.place == .line(3))
  }

  @Test func `columns given by number keep their names`() {
    let text = "a,b,c,d\n1,A,10,7\nb,a,d,c\nA,2,8,11\na,b,c,d\n3,A,12,9\n"
    let outcome = run(text, options { $0.columns = ["time": "1", "symbol": "2", "price": "3", "size": "d"] })
    #expect(Self.lines(outcome) == ["1: 10 x7", "2: 11 x8", "3: 12 x9"])
    #expect(outcome.malformed.isEmpty)
  }

  @Test func `a malformed row is no header`() {
    let outcome = run("time,symbol,price,size\nx,price,1,2\n1,A\nsize,A,B,C\n2,A,1,2\n", options())
    #expect(Self.lines(outcome) == ["2: 1 x2"])
    #expect(outcome.malformed.map(\.line) == [2, 3, 4])
  }

  @Test func `several parsers read the rows behind another header by it`() async throws {
    var text = "time,symbol,price,size\n"
    for i in 0..<200 {
      if i == 50 { text += "symbol,time,price,size\n" }
      if i == 90 { text += "price,size,symbol,time\n" }
      if i == 120 { text += "price,size,symbol,time\n" }
      text += i < 50 ? "\(i),A,\(i + 1),7\n" : i < 90 ? "A,\(i),\(i + 1),7\n" : "\(i + 1),7,A,\(i)\n"
    }
    let expected = run(text, options())
    #expect(expected.events.count == 200 && expected.events.allSatisfy { $0.size == 7 })
    for blockSize in [40, 100, 700] {
      let outcome = await runInParallel(text, options { $0.blockSize = blockSize })
      #expect(outcome.events == expected.events && outcome.malformed.isEmpty, "\(blockSize)")
    }
    let broken = text + "time,symbol,last,size\n1,A,1,1\n"
    let outcome = await runInParallel(broken, options { $0.blockSize = 100 })
    #expect(outcome.events == expected.events && outcome.error?.place == .line(205))
  }

  @Test func `several parsers agree on points behind a decimal comma`() async {
    var text = "symbol;time;price\n"
    for i in 0..<100 { text += i == 30 ? "A;\(i);1,5\n" : "A;\(i);1.000\n" }
    let one = run(text, options { $0.csv.delimiter = .semicolon })
    #expect(one.events.count == 30 && one.malformed.count == 70)
    let several = await runInParallel(
      text,
      options {
        $0.csv.delimiter = .semicolon
        $0.blockSize = 60
      })
    #expect(several == one)
  }

  @Test func `several parsers count what does not fit`() async {
    var text = "symbol,time,price,size\n"
    for i in 0..<100 { text += "A,\(i),1,\(i % 10 == 3 ? "12000000000" : i % 10 == 4 ? "0.0000000001" : "2")\n" }
    let one = run(text, options())
    #expect(one.counts.kept.unfit == 10 && one.counts.kept.cut == 10 && one.counts.events == 100)
    #expect(await runInParallel(text, options { $0.blockSize = 80 }) == one)
  }
}
