import MarketData
import TestSupport
import StockbusTestKit
import Testing

@testable import FileReplay

/// The result of several parsers for one file in memory.
func runInParallel(
  blocks: Watched<Int> = Watched(0), _ text: String, _ options: ReplayOptions = FileReplayTests.options(), parsers: Int = 3, limit: Int = 3,
  policy: MalformedPolicy = .skip
) async -> Outcome<Trade> {
  var outcome = Outcome<Trade>()
  do {
    var replay = try ParallelReplay<Trade>(
      ReplayInput(name: "f", contents: .bytes(Array(text.utf8))), options, parsers: parsers)
    defer {
      outcome.counts = replay.counts
      blocks.update { $0 += replay.blockCount }
    }
    try await replay.run(limit: limit) { events, _, _ in
      #expect(events.count <= limit && events.count > 0)
      for i in events.indices { outcome.events.append(events[i]) }
    } noted: {
      if case .malformed(let row) = $0 { outcome.malformed.append(row) }
      return policy
    }
  } catch let error as ReplayError { outcome.error = error } catch { Issue.record(error) }
  return outcome
}

/// A file with rows of all kinds.
private func file(_ random: inout SplitMix, isJSON: Bool, hasQuotes: Bool, lines: Int) -> String {
  var text = isJSON || !Bool.random(using: &random) ? "" : "\u{feff}"
  if !isJSON { text += "symbol,price,size,time\n" }
  for i in 0..<lines {
    let end = Int.random(in: 0..<5, using: &random) == 0 ? "\r\n" : "\n"
    let symbol = ["A", "BB", "CCC", "LONGERNAME"].randomElement(using: &random)!
    let price = "\(Int.random(in: 1...999, using: &random)).\(Int.random(in: 0...99, using: &random))"
    switch Int.random(in: 0..<12, using: &random) {
    case 0: text += end
    case 1: text += "nonsense\(end)"
    case 2 where hasQuotes:
      text += isJSON ? #"{"symbol":"A\u0042","price":"# + "\(price),\"time\":\(i)}\(end)" : "\"A\(end)B\",1,2,\(i)\(end)"
    case 3: text += isJSON ? "{\"price\":\(price),\"symbol\":\"\(symbol)\",\"time\":\(i)}\(end)" : "\(symbol),\(price)\(end)"
    case 4 where Int.random(in: 0..<6, using: &random) == 0: text += String(repeating: "x", count: 400) + end
    default: text += isJSON ? "{\"symbol\":\"\(symbol)\",\"price\":\(price),\"time\":\(i)}\(end)" : "\(symbol),\(price),7,\(i)\(end)"
    }
  }
  if Bool.random(using: &random), text.last?.isNewline == true { text.removeLast() }
  return text
}

@Suite struct ParallelTests {
  @Test func `several parsers give what one gives`() async {
    var random = SplitMix(7)
    for round in 0..<rounds(400, cost: 20) {
      let isJSON = round.isMultiple(of: 2)
      let text = file(&random, isJSON: isJSON, hasQuotes: round.isMultiple(of: 3), lines: Int.random(in: 0...120, using: &random))
      let options = options {
        $0.blockSize = Int.random(in: 40...900, using: &random)
        $0.lineLimit = 300
        if round.isMultiple(of: 5) { $0.from = Timestamp(ns: 20 * 1_000_000_000) }
        $0.time.format = .seconds
      }
      let policy: MalformedPolicy = round.isMultiple(of: 7) ? .stop : .skip
      let expected = run([ReplayInput(name: "f", contents: .bytes(Array(text.utf8)))], options, policy: policy) as Outcome<Trade>
      for parsers in [1, 2, 5] {
        let got = await runInParallel(text, options, parsers: parsers, policy: policy)
        #expect(got.events == expected.events, "round \(round)")
        #expect(got.malformed == expected.malformed, "round \(round)")
        #expect(got.error == expected.error, "round \(round)")
        if policy == .skip { #expect(got.counts == expected.counts, "round \(round)") }
      }
    }
  }

  @Test func `files are cut into blocks up to where a quotation mark or a long line is`() async {
    let blocks = Watched(0)
    let rows = (0..<1000).map { "A,\($0).5,\($0)\n" }
    let plain = await runInParallel(blocks: blocks, "symbol,price,time\n" + rows.joined(), options { $0.blockSize = 512 }, limit: 100)
    #expect(plain.events.count == 1000)
    #expect(blocks.value >= 20)
    blocks.update { $0 = 0 }
    let half = rows[..<500].joined() + "\"A\",7,7\n" + rows[500...].joined()
    let quoted = await runInParallel(blocks: blocks, "symbol,price,time\n" + half, options { $0.blockSize = 512 }, limit: 100)
    #expect(quoted.events.count == 1001)
    #expect((5..<20).contains(blocks.value))
  }

  @Test func `a block of nothing but malformed rows is read row by row`() async {
    let text = "symbol,price,time\n" + String(repeating: "x\n", count: 3000) + "A,1.5,9\n"
    let got = await runInParallel(text, options { $0.blockSize = 1024 })
    #expect(got.malformed.count == 3000)
    #expect(got.malformed.map(\.line) == Array(2...3001))
    #expect(got.events.map(\.price) == [Price(raw: 1_500_000_000)])
    #expect(got.counts == ReplayCounts(events: 1, outside: 0, malformed: 3000))
  }

  @Test func `a header that lacks a column is told as by one parser`() async {
    let text = "symbol,prise\n" + String(repeating: "A,1\n", count: 100)
    let one = run(text) as Outcome<Trade>
    let got = await runInParallel(text, options { $0.blockSize = 64 })
    #expect(got.error == one.error)
    #expect(got.error?.code == .badColumns)
  }

  @Test func `small files and what is no plain file are for one parser`() {
    func isWorthIt(_ count: Int) -> Bool {
      ParallelReplay<Trade>.isWorthIt(ReplayInput(name: "f", contents: .bytes([UInt8](repeating: 10, count: count))))
    }
    #expect(!isWorthIt(ParallelReplay<Trade>.leastSize - 1))
    #expect(isWorthIt(ParallelReplay<Trade>.leastSize))
    #expect(!ParallelReplay<Trade>.isWorthIt(ReplayInput(path: "/dev/null")))
  }
}
