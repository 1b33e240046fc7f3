import Foundation
import MarketData
import TestSupport
import StockbusDecoding
import Testing

@testable import FileReplay

/// Files made by a grammar and damaged at random.
struct FileMaker {
  enum Kind: String, CaseIterable {
    case csv, quoted, json, capture, gzip
  }
  var random: SplitMix

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
  mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &random)! }
  mutating func number() -> String {
    if chance(12) {
      return pick(["", "x", "-", "1e5", "1e999", "00", ".5", "5.", "9223372037", "0.0000000001", "NaN", "1 2", "\u{1b}[2J"])
    }
    return "\(Int.random(in: 0...99_999, using: &random))" + (chance(2) ? ".\(Int.random(in: 0...999, using: &random))" : "")
  }
  mutating func time() -> String {
    pick(["1381239000", "1381239000250", "1381239000.25", "2013-10-08T13:30:00Z", "2013-10-08", "", "soon", "-1", "99999999999999999999"])
  }
  mutating func name() -> String { pick(["A", "AAPL", "BRK.B", "", "A B", "é", String(repeating: "N", count: 70), "s"]) }

  mutating func csv(quotes: Bool) -> String {
    var columns = [pick(["symbol", "ticker", "s"]), pick(["price", "px", "Price"]), pick(["time", "ts", "date"])]
    if chance(2) { columns += ["size", "side", "note"] }
    if chance(20) { columns.removeLast() }
    columns.shuffle(using: &random)
    var text = (chance(9) ? "\u{feff}" : "") + columns.joined(separator: ",") + "\n"
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      var fields: [String] = []
      for column in columns {
        var field =
          switch column {
          case "price", "px", "Price", "size": number()
          case "time", "ts", "date": time()
          case "side": pick(["buy", "sell", "b", "", "both"])
          case "note": pick(["n", "", "a note"])
          default: name()
          }
        if quotes, chance(3) { field = "\"" + field + pick(["", "\n", "\"\"", ",", "\r\n"]) + pick(["\"", "\"", "\"", "", "\"x"]) }
        fields.append(field)
      }
      if chance(15) { fields.append("more") }
      text += fields.joined(separator: ",") + pick(["\n", "\n", "\n", "\r\n", "\n\n"])
    }
    return text
  }

  mutating func json(_ depth: Int = 0) -> String {
    if depth > 3 || !chance(4) {
      return pick([
        number(), "\"\(number())\"", "\"\(name())\"", "null", "true", "\"\\u0041\\n\"", "\"\\ud800\"", "\(time())", "\"\(time())\"",
      ])
    }
    let count = Int.random(in: 0...3, using: &random)
    if chance(2) { return "[" + (0..<count).map { _ in json(depth + 1) }.joined(separator: ",") + "]" }
    return "{" + (0..<count).map { _ in "\"\(pick(["a", "price", "s"]))\":\(json(depth + 1))" }.joined(separator: ",") + "}"
  }

  mutating func jsonLines() -> String {
    var text = "{}\n"
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      var members = ["\"symbol\":\"\(name())\"", "\"price\":\(number())", "\"time\":\"\(time())\""]
      for _ in 0..<Int.random(in: 0...3, using: &random) { members.append("\"\(pick(["size", "side", "x", "\\u0070rice"]))\":\(json())") }
      if chance(3) { members.shuffle(using: &random) }
      text += (chance(9) ? " " : "") + "{" + members.joined(separator: chance(9) ? " , " : ",") + "}" + pick(["\n", "\r\n", "\n\n", "\n"])
    }
    return text
  }

  mutating func capture() -> String {
    var text = "wss://stream.binance.com <-> 1618677543.367689\n"
    for i in 0..<Int.random(in: 0...20, using: &random) {
      let message =
        chance(5)
        ? json()
        : "{\"e\":\"trade\",\"s\":\"\(name())\",\"t\":\(i),\"p\":\"\(number())\",\"q\":\"1\",\"T\":\(1_618_677_544_990 + i),\"m\":true}"
      text += "\(1_618_677_545 + i)" + pick(["", ".5", "000", "x"]) + pick([" ", ": ", ""]) + message + "\n"
    }
    return text
  }

  mutating func bytes(_ kind: Kind) -> [UInt8] {
    var bytes =
      switch kind {
      case .csv: Array(csv(quotes: false).utf8)
      case .quoted: Array(csv(quotes: true).utf8)
      case .json: Array(jsonLines().utf8)
      case .capture: Array(capture().utf8)
      case .gzip: gzip(Array(csv(quotes: false).utf8)) + (chance(3) ? gzip(Array("A,1,1\n".utf8)) : [])
      }
    for _ in 0..<(chance(2) ? 0 : Int.random(in: 1...4, using: &random)) where !bytes.isEmpty {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: at)
      case 2: bytes.insert(Array("\"\n,{}[]\\0-.eE: \r\u{0}".utf8).randomElement(using: &random)!, at: at)
      case 3: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 20)], at: Int.random(in: 0...bytes.count, using: &random))
      default: bytes.removeLast(bytes.count - at)
      }
    }
    return bytes
  }
}

/// `STOCKBUS_FUZZ_COUNT` sets the number of files; without it there are a few.
@Suite struct FileFuzzTests {
  static let count = ProcessInfo.processInfo.environment["STOCKBUS_FUZZ_COUNT"].flatMap { Int($0) } ?? 700

  private static func settings(_ kind: FileMaker.Kind) -> ReplayOptions {
    options {
      if kind == .capture {
        $0.format = .raw
        $0.decoding = VenuePreset.binance.spec
      }
      if kind == .csv || kind == .quoted { $0.format = .csv }
      if kind == .json { $0.format = .jsonLines }
      $0.zone = "UTC"
      $0.lineLimit = 400
    }
  }

  @Test func `whatever a file holds, every row is an event, outside or malformed, however the file is cut`() {
    var maker = FileMaker(random: SplitMix(20_131_008))
    var costs: [FileMaker.Kind: Costs] = [:]
    for round in 0..<Self.count {
      let kind = FileMaker.Kind.allCases[round % FileMaker.Kind.allCases.count]
      let bytes = maker.bytes(kind)
      let input = [ReplayInput(name: "f", contents: .bytes(bytes))]
      var whole = Self.settings(kind)
      // Larger than any file, but not much, because blocks are cleared when they are allocated.
      whole.blockSize = 8192
      var pieces = whole
      pieces.blockSize = Int.random(in: 1...70, using: &maker.random)
      let one: Outcome<Trade> = costs[kind, default: Costs("\(kind)")].measure(
        size: bytes.count, String(decoding: bytes, as: UTF8.self), isGood: { $0.counts.events > 0 && $0.malformed.isEmpty }
      ) { run(input, whole, limit: 100) }
      var other: Outcome<Trade> = run(input, pieces, limit: 7)
      // The position at which damage in compressed data is found depends on how much is read at once.
      if kind == .gzip, one.error?.code == other.error?.code { other.error = one.error }
      #expect(one == other, "round \(round): \(String(decoding: bytes, as: UTF8.self))")
      #expect(one.counts.events == one.events.count && one.counts.malformed == one.malformed.count)
      if one.error != nil || kind == .gzip || kind == .capture || kind == .quoted || bytes.contains(34) && kind == .csv { continue }
      // A plain model: the lines that are not blank, without the header.
      var text = bytes[...]
      if text.starts(with: [0xef, 0xbb, 0xbf]) { text = text.dropFirst(3) }
      let lines = text.split(separator: 10).count { line in
        kind == .csv ? line != [13] : line.contains { $0 != 32 && $0 != 9 && $0 != 13 }
      }
      let rows = max(0, lines - (kind == .csv ? 1 : 0))
      let found = one.counts.events + one.counts.outside + one.counts.malformed
      #expect(found == rows, "round \(round): \(String(decoding: bytes, as: UTF8.self))")
    }
    for kind in FileMaker.Kind.allCases { for line in costs[kind]?.lines ?? [] { print(line) } }
  }

  @Test func `much in little gzip is read line by line and costs no memory`() {
    // 24 MiB of zeros are 24 KiB of gzip, and one line that is too long; the lines after it are read.
    let zeros = gzip([UInt8](repeating: 48, count: 24 << 20))
    let bytes = gzip(Array("symbol,price,time\nA,1,1\n".utf8)) + zeros + gzip(Array("\nB,2,2\n".utf8))
    #expect(bytes.count < 60_000)
    let outcome: Outcome<Trade> = run([ReplayInput(name: "f", contents: .bytes(bytes))])
    #expect(outcome.events.map { "\($0.symbol)" } == ["A", "B"])
    #expect(outcome.reasons == ["3: the line is longer than 1048576 bytes ('row_limit')"])
    var reader = try! LineReader(.bytes(bytes), name: "f", blockSize: 128 << 10, limit: 1 << 20)
    while case .line? = try? reader.next() {}
    #expect(reader.memory < 3 << 20)
  }

  @Test func `of a wide object that lacks something some keys are told`() {
    let members = (0..<100).map { "\"k\($0)\":1" }.joined(separator: ",")
    let outcome = run("{\(members)}\n")
    #expect(outcome.reasons[0].contains("'k18', 'k19', …; name the right one in"))
  }
}
