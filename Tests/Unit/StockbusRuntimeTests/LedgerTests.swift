import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusRuntime

@Suite(.timeLimit(.minutes(15))) struct LedgerTests {
  /// Sends one event, which the sink is processing, then a hundred more while it hangs.
  static func run(_ edge: String, symbols: String = "[A]") async throws -> (numbers: [Int64], report: RunReport) {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 101, meet_after: 1, opens: true, symbols: \(symbols) } }
        sinks: { slow: { plugin: keep, gated: true, inputs: [{ from: ticks, \(edge) }] } }
        """)
      let report = await harness.run()
      return (journal.received(by: "slow"), report)
    }
  }

  @Test func `drop_oldest keeps the newest events and counts the others`() async throws {
    let (numbers, report) = try await Self.run("overflow: drop_oldest, capacity: 4")
    #expect(numbers == [1, 98, 99, 100, 101])
    #expect(report.counts("ticks", "slow") == counts(in: 101, delivered: 5, dropped: 96))
    #expect(report.exitStatus == 0)
  }

  @Test func `drop_newest keeps the oldest events and counts the others`() async throws {
    let (numbers, report) = try await Self.run("overflow: drop_newest, capacity: 4")
    #expect(numbers == [1, 2, 3, 4, 5])
    #expect(report.counts("ticks", "slow") == counts(in: 101, delivered: 5, dropped: 96))
  }

  @Test func `conflate keeps the latest of every symbol and counts the others`() async throws {
    let (numbers, report) = try await Self.run("overflow: conflate", symbols: "[A, B, C]")
    // 2 to 101 wait: the last of A is 100, of B 101, of C 99; in the order of first appearance.
    #expect(numbers == [1, 101, 99, 100])
    #expect(report.counts("ticks", "slow") == counts(in: 101, delivered: 4, conflated: 97))
  }

  @Test func `block loses nothing`() async throws {
    let (numbers, report) = try await Self.run("overflow: block, capacity: 128")
    #expect(numbers == Array(1...101))
    #expect(report.counts("ticks", "slow") == counts(in: 101, delivered: 101))
  }

  @Test func `a slow reader with lossy overflow does not lose its neighbour's events`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 5000, meet_after: 1, opens: true, output: { capacity: 8 } } }
        processors: { middle: { plugin: pass, inputs: [ticks], drops: [10, 20] } }
        sinks:
          slow: { plugin: keep, gated: true, inputs: [{ from: ticks, overflow: drop_newest, capacity: 2 }] }
          all: { plugin: keep, inputs: [middle] }
        """)
      let report = await harness.run()
      #expect(journal.received(by: "all") == (1...5000).filter { $0 != 10 && $0 != 20 })
      #expect(report.counts("ticks", "slow") == counts(in: 5000, delivered: 3, dropped: 4997))
      #expect(report.counts("ticks", "middle") == counts(in: 5000, delivered: 4998, filtered: 2))
      #expect(report.ledger.total == counts(in: 14998, delivered: 9999, filtered: 2, dropped: 4997))
      #expect(report.counter("middle", "seen") == 5000)
    }
  }

  @Test func `the table of the ledger`() {
    let first = counts(in: 1_234_567, delivered: 1_000_000, filtered: 200_007, dropped: 34_000, conflated: 500, dead: 60)
    let ledger = Ledger(
      edges: [
        .init(from: "ticks", to: "mine", counts: first), .init(from: "mine", to: "screen", counts: counts(in: 12, delivered: 12)),
      ],
      counters: [
        .init(component: "mine", name: "reloads", total: 2), .init(component: "screen", name: "frames", total: 1_000),
        .init(component: "mine", name: "dead letters", total: 60),
      ], notes: [.init(component: "mine", text: "'APPL' never came; did you mean 'AAPL'?")])
    #expect(
      ledger.description == """
        edge                  in  delivered  filtered  dropped  conflated  dead
        ticks → mine   1,234,567  1,000,000   200,007   34,000        500    60
        mine → screen         12         12         0        0          0     0
        total          1,234,579  1,000,012   200,007   34,000        500    60
        mine: reloads 2, dead letters 60
        screen: frames 1,000
        mine: 'APPL' never came; did you mean 'AAPL'?
        """)
    #expect(ledger.isBalanced)
  }

  @Test func `names that are too long lose their middle, and figures that leave no room for names stand under them`() {
    let long = "a-component-with-a-name-that-goes-on-and-on"
    let some = Ledger(
      edges: [
        .init(from: long, to: "screen", counts: counts(in: 1_234_567, delivered: 1_234_560, filtered: 7)),
        .init(from: long, to: long, counts: counts(in: 1, delivered: 1)),
      ], counters: [.init(component: "screen", name: "frames drawn", total: 12)])
    #expect(
      some.description == """
        edge                                                     in  delivered  filtered
        a-component-with-a-…that-goes-on-and-on → screen  1,234,567  1,234,560         7
        a-component…-on-and-on → a-component…s-on-and-on          1          1         0
        total                                             1,234,568  1,234,561         7
        screen: frames drawn 12
        """)
    let million = 1_000_000_000
    var all = counts(in: 6 * million, delivered: million, filtered: million, dropped: million, conflated: million, dead: million)
    all.inFlight = million
    #expect(
      Ledger(edges: [.init(from: "ticks", to: "screen", counts: all)], counters: []).description == """
        ticks → screen
          in 6,000,000,000, delivered 1,000,000,000, filtered 1,000,000,000,
          dropped 1,000,000,000, conflated 1,000,000,000, dead 1,000,000,000,
          in flight 1,000,000,000
        total
          in 6,000,000,000, delivered 1,000,000,000, filtered 1,000,000,000,
          dropped 1,000,000,000, conflated 1,000,000,000, dead 1,000,000,000,
          in flight 1,000,000,000
        """)
  }

  @Test func `no line is wider than 80 columns, whatever the names and figures`() {
    var random = RandomStream(seed: 12)
    func name() -> String { String(repeating: "n", count: Int.random(in: 1...70, using: &random)) }
    func figure() -> Int { Bool.random(using: &random) ? 0 : Int(random.next() >> UInt64.random(in: 1...60, using: &random)) / 16 }
    for _ in 0..<2000 {
      let edges = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        Ledger.Edge(
          from: name(), to: name(),
          counts: counts(in: figure(), delivered: figure(), filtered: figure(), dropped: figure(), conflated: figure(), dead: figure()))
      }
      let counters = (0..<Int.random(in: 0...9, using: &random)).map { _ in
        Ledger.Entry(component: Bool.random(using: &random) ? "one" : name(), name: name(), total: figure())
      }
      let notes = [Ledger.Note(component: name(), text: String(repeating: "word ", count: 30) + name() + name())]
      let text = Ledger(edges: edges, counters: counters, notes: notes).description
      for line in text.split(separator: "\n") where line.count > 80 { Issue.record("\(line.count): \(line)") }
    }
  }

  @Test func `a residue on one edge unbalances the ledger though another makes up for it`() {
    let ledger = Ledger(
      edges: [
        .init(from: "a", to: "b", counts: counts(in: 5, delivered: 4)), .init(from: "b", to: "c", counts: counts(in: 4, delivered: 5)),
      ], counters: [])
    #expect(ledger.total.residue == 0)
    #expect(!ledger.isBalanced)
    #expect(Ledger.grouped(-1_234) == "-1,234")
    #expect(Ledger.grouped(999) == "999")
  }

  @Test func `exit status`() {
    func status(_ outcomes: [RunReport.Fate.Outcome], late: [String] = [], _ edge: EdgeCounts = counts(in: 1, delivered: 1)) -> Int32 {
      RunReport(
        fates: outcomes.map { .init(id: "x", lives: 3, outcome: $0) },
        ledger: Ledger(edges: [.init(from: "a", to: "b", counts: edge)], counters: []), late: late
      ).exitStatus
    }
    #expect(status([.completed, .completed]) == 0)
    #expect(status([]) == 0)
    #expect(status([.completed], counts(in: 3, dropped: 1, conflated: 1, dead: 1)) == 0)
    #expect(status([.completed, .failed("why")]) == 1)
    #expect(status([.cancelled]) == 1)
    #expect(status([.completed], late: ["x"]) == 1)
    #expect(status([.completed], counts(in: 2, delivered: 1)) == 1)
  }
}
