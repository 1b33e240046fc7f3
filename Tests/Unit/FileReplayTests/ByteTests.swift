import MarketData
import TestSupport
import Testing

@testable import FileReplay

@Suite struct ByteTests {
  /// A table with lines of every length up to 100 bytes and 3,000 rows.
  static let table: String = {
    var random = SplitMix(1952)
    var text = "symbol,price,time,note\n"
    for i in 0..<3000 {
      text += "S\(i % 7),\(Int.random(in: 1...99_999, using: &random)).\(i % 10),\(i),\(String(repeating: "n", count: i % 80))\n"
    }
    return text
  }()

  static func replay(_ bytes: [UInt8], _ options: ReplayOptions = FileReplayTests.options()) -> Outcome<Trade> {
    run([ReplayInput(name: "f.gz", contents: .bytes(bytes))], options, limit: 1000)
  }

  @Test func `reads gzip by its first bytes, of one member or several`() {
    let bytes = Array(Self.table.utf8)
    let plain = Self.replay(bytes)
    #expect(plain.events.count == 3000)
    #expect(Self.replay(gzip(bytes)) == plain)
    let members = gzip(Array(bytes[..<10_000])) + gzip([]) + gzip(Array(bytes[10_000...]))
    for blockSize in [1, 7, 64, 1 << 18] {
      #expect(Self.replay(members, options { $0.blockSize = blockSize }) == plain)
      #expect(Self.replay(members + [0, 0, 0, 0], options { $0.blockSize = blockSize }) == plain)
    }
  }

  @Test func `keeps the whole lines before a cut or damaged place in gzip and names the byte`() {
    let bytes = Array(Self.table.utf8)
    let packed = gzip(bytes)
    let plain = Self.replay(bytes)
    for length in stride(from: 2, to: packed.count, by: 997) {
      for blockSize in [64, 1 << 18] {
        let cut = Self.replay(Array(packed[..<length]), options { $0.blockSize = blockSize })
        #expect(cut.error?.description == "f.gz: byte \(length + 1): the gzip data ends too early")
        #expect(cut.malformed == [])
        #expect(cut.events == Array(plain.events[..<cut.events.count]))
      }
    }
    let half = Self.replay(Array(packed[..<(packed.count / 2)]))
    #expect(half.events.count > 1000)
    var checksum = packed
    checksum[packed.count - 8] ^= 1
    let wrong = Self.replay(checksum)
    #expect(wrong.events == plain.events)
    #expect(wrong.error?.message == "the gzip data is damaged: incorrect data check")
    #expect(wrong.error?.code == .badGzip)
    let tail = Self.replay(packed + Array("tail".utf8))
    #expect(tail.events == plain.events)
    #expect(tail.error?.description == "f.gz: byte \(packed.count + 1): the gzip data is followed by other data")
  }

  @Test func `hands out nothing of a line that a damaged file cuts short`() {
    // Cut in the number of the last line, which must not become an event.
    let packed = gzip(Array("symbol,price,time\nA,1,1\nB,123456,2".utf8))
    let cut = Self.replay(Array(packed[..<(packed.count - 8)]))
    #expect(cut.events.map(\.symbol) == ["A"])
    #expect(cut.error?.code == .badGzip)
  }

  @Test func `refuses files in other forms`() {
    func message(_ bytes: [UInt8]) -> String? { Self.replay(bytes).error?.description }
    #expect(message([0x28, 0xb5, 0x2f, 0xfd, 0, 0]) == "f.gz: is compressed with zstd; only gzip is decompressed")
    #expect(message([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]) == "f.gz: is compressed with xz; only gzip is decompressed")
    #expect(message(Array("BZh91AY".utf8)) == "f.gz: is compressed with bzip2; only gzip is decompressed")
    #expect(
      message([0x50, 0x4b, 3, 4, 0]) == "f.gz: is a zip archive, as .xlsx files are; only gzip is decompressed; save a spreadsheet as CSV")
    let missing = run([ReplayInput(path: "/nonexistent/ticks.csv")]) as Outcome<Trade>
    #expect(missing.error?.description == "/nonexistent/ticks.csv: cannot be opened: No such file or directory")
    let folder = run([ReplayInput(path: "/")]) as Outcome<Trade>
    #expect(folder.error?.description == "/: byte 1: cannot be read: Is a directory")
  }

  @Test func `gives the same rows in blocks of any size`() {
    let csv = "\u{feff}" + String(Self.table.prefix(9000)).replacing("\n", with: "\r\n") + "x\"y,1\nA,\"1\",\"2\",\"q\nq\"\n\n\nB,2,3,"
    let json = (0..<200).map { "{\"symbol\":\"A\",\"price\":\($0),\"time\":\($0)\($0 % 9 == 0 ? "" : "}")" }.joined(separator: "\n")
    for text in [csv, json, "", "\u{feff}", "\n", "symbol,price,time"] {
      let whole = run(text)
      for blockSize in [1, 2, 3, 7, 16, 64] { #expect(run(text, options { $0.blockSize = blockSize }) == whole) }
    }
    #expect(run(csv).events.last.map(line) == "B 2 x0 @1970-01-01T00:00:03Z")
    #expect(run(json).counts == ReplayCounts(events: 177, outside: 0, malformed: 23))
  }

  @Test func `passes over lines above the limit and keeps their beginning`() {
    let long = String(repeating: "x", count: 5000)
    for blockSize in [1, 16, 300, 1 << 18] {
      for end in ["", "\n", "\nB,2,2"] {
        let outcome = run(
          "symbol,price,time\nA,1,1\n\(long)\(end)",
          options {
            $0.blockSize = blockSize
            $0.lineLimit = 1000
          })
        #expect(outcome.events.map(\.symbol) == (end == "\nB,2,2" ? ["A", "B"] : ["A"]))
        #expect(outcome.reasons == ["3: the line is longer than 1000 bytes ('row_limit')"])
        #expect(outcome.malformed.first?.text == String(repeating: "x", count: 200))
      }
      let exact = run(
        "symbol,price,time\nA,1,\(String(repeating: "0", count: 996))\nB,1,\(String(repeating: "0", count: 997))",
        options {
          $0.blockSize = blockSize
          $0.lineLimit = 1000
        })
      #expect(exact.events.map(\.symbol) == [])
      #expect(
        exact.reasons.map { $0.prefix(40) } == [
          "2: 'time' is not a time from 1990 to tom", "3: the line is longer than 1000 bytes ('",
        ])
    }
  }

  @Test func `an unclosed quotation mark costs its own line only, also over the limit`() {
    let rows = (0..<100).map { "R\($0),1,\($0)" }.joined(separator: "\n")
    for blockSize in [5, 64, 1 << 18] {
      let outcome = run(
        "symbol,price,time\n\"A,1,1\n\(rows)",
        options {
          $0.blockSize = blockSize
          $0.lineLimit = 100
        })
      #expect(outcome.counts == ReplayCounts(events: 100, outside: 0, malformed: 1))
      #expect(outcome.reasons == ["2: a quotation mark is not closed by the end of the file or within 100 bytes ('row_limit')"])
      #expect(outcome.malformed.first?.text == "\"A,1,1")
    }
  }

  @Test func `survives any bytes whatever`() {
    var random = SplitMix(7)
    let alphabet = Array("{}[]\",:\\u0019.eE+-AB \t\r\n\u{0}é".utf8) + [0xff, 0xc0]
    for round in 0..<rounds(400, cost: 2) {
      var bytes = Array((round % 2 == 0 ? "symbol,price,time\n" : "{\"symbol\":\"A\",\"price\":1,\"time\":1}\n").utf8)
      let seedLines = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        if Bool.random(using: &random) {
          bytes += (0..<Int.random(in: 0...60, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
        } else {
          var line = seedLines
          for _ in 0..<2 { line[Int.random(in: 0..<line.count, using: &random)] = alphabet.randomElement(using: &random)! }
          bytes += line
        }
      }
      let input = [ReplayInput(name: "f", contents: .bytes(bytes))]
      let whole: Outcome<Trade> = run(input)
      let small: Outcome<Trade> = run(input, options { $0.blockSize = 7 })
      #expect(whole == small)
      // A header again that has lost a column ends the file.
      #expect(whole.error == nil || (whole.error?.code == .badColumns && whole.error?.place != .line(1)))
    }
  }
}
