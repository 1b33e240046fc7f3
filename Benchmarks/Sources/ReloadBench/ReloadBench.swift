internal import Foundation
internal import Logging
internal import Measuring
internal import StockbusConfig
internal import StockbusPlugin
internal import StockbusRuntime

/// `ReloadBench RELOADS RATE SEED`: changes a run so often while its source sends so many numbers a second, compares what its readers got with
/// a model, and prints a line of JSON. A third of the changes has to be refused. Status 1: something is wrong.
@main
struct ReloadBench {
  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 3 else {
      print("usage: ReloadBench RELOADS RATE SEED")
      exit(64)
    }
    var bench = try ReloadBench(reloads: numbers[0], rate: numbers[1], seed: numbers[2])
    try await bench.run()
    exit(bench.wrong.isEmpty ? 0 : 1)
  }

  private let reloads: Int
  private let rate: Int
  private let catalogue = Catalogue([.numbers, .tocks, .stage, .reader, .cuts])
  private let pipeline: Pipeline
  private var random: RandomStream
  private var model = Model(desks: [Desk()], failed: [])
  private var refused = 0
  private var milliseconds: [Double] = []
  private var residents: [Int] = []
  private var wrong: [String] = []

  private init(reloads: Int, rate: Int, seed: Int) throws {
    self.reloads = reloads
    self.rate = rate
    random = RandomStream(seed: UInt64(seed))
    let topology = try Topology.check(ConfigLoader().load(text: Desk().yaml(rate: rate)), catalogue: catalogue)
    pipeline = Pipeline(topology, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
  }

  private mutating func run() async throws {
    let began = monotonicNanoseconds()
    async let running = pipeline.run()
    for round in 1...reloads {
      try await Task.sleep(for: .milliseconds(Int.random(in: 1...20, using: &random)))
      await change(round)
      if round * 5 % reloads == 0 { residents.append(residentKilobytes()) }
    }
    try await Task.sleep(for: .milliseconds(20))
    pipeline.stop()
    let report = await running
    let seconds = Double(monotonicNanoseconds() - began) / 1e9
    check(report)
    let last = Records.shared.records["cuts"]?.last ?? 0
    milliseconds.sort()
    var line = Report()
    line.add("reloads", reloads)
    line.add("applied", model.desks.count - 1)
    line.add("refused", refused)
    line.add("refused_at_start", model.failed.count)
    line.add("events", Int(last))
    line.add("events_a_second", Int(Double(last) / seconds))
    line.add("delivered", report.ledger.total.delivered)
    line.add("p50_ms", milliseconds[milliseconds.count / 2])
    line.add("p99_ms", milliseconds[milliseconds.count * 99 / 100])
    line.add("max_ms", milliseconds[milliseconds.count - 1])
    for (place, kilobytes) in residents.enumerated() { line.add("rss_kib_\(place + 1)", kilobytes) }
    line.add("wrong", wrong.count)
    line.print()
    for text in wrong.prefix(20) { print("WRONG \(text)") }
  }

  /// One change; every third one has a flaw.
  private mutating func change(_ round: Int) async {
    var desk = model.desks[model.desks.count - 1]
    desk.change(&random, round: round)
    let flaw = Int.random(in: 0..<3, using: &random) == 0 ? Flaw.allCases.randomElement(using: &random) : nil
    let text = flaw?.text(desk, rate: rate) ?? desk.yaml(rate: rate)
    let began = monotonicNanoseconds()
    var refusal: String?
    do {
      let next = try Topology.check(ConfigLoader().load(text: text), catalogue: catalogue)
      _ = try await pipeline.apply(next)
    } catch { refusal = "\(error)" }
    milliseconds.append(Double(monotonicNanoseconds() - began) / 1e6)
    switch (flaw, refusal) {
    case (nil, nil): model.desks.append(desk)
    case (nil, let reason?): wrong.append("round \(round) is refused: \(reason)")
    case (let flaw?, nil): wrong.append("round \(round) is not refused: \(flaw)")
    case (let flaw?, let reason?):
      refused += 1
      if flaw == .failingStart { model.failed.append((model.desks.count, desk)) }
      if !reason.contains(flaw.reason) { wrong.append("round \(round), \(flaw): \(reason)") }
    }
  }

  private mutating func check(_ report: RunReport) {
    let (records, cuts) = (Records.shared.records, Records.shared.cuts)
    expect(report.exitStatus == 0, "the run's status is \(report.exitStatus)")
    expect(report.ledger.isBalanced && report.ledger.total.inFlight == 0, "the ledger: \(report.ledger.total)")
    for edge in report.ledger.edges where edge.to != "r3" { expect(edge.counts.dropped == 0, "\(edge)") }
    // A configuration that no number has gone through begins where the next one does.
    var firsts = [Int64](repeating: 0, count: model.desks.count)
    // The reader of the cuts gets every number.
    let last = records["cuts"]?.last ?? 0
    expect(records["cuts"].map { $0.disorder == 0 && $0.count == Int(last) } == true, "cuts: \(records["cuts"] ?? Record())")
    var next = last + 1
    for place in model.desks.indices.reversed() {
      if let cut = cuts.first(where: { $0.mark == Int64(model.desks[place].round) }) { next = cut.first }
      firsts[place] = next
    }
    expect(zip(firsts, firsts.dropFirst()).allSatisfy { $0 <= $1 }, "the cuts are out of order")
    expect(Set(cuts.map(\.mark)).count == cuts.count && cuts.count <= model.desks.count, "a configuration came back")
    firsts[0] = 1
    let expected = model.records(firsts: firsts, last: last, lives: Records.shared.lives)
    for (id, record) in expected.sorted(by: { $0.key < $1.key }) {
      let got = records[id] ?? Record()
      if id == "r2" {
        expect(got.count == record.count && got.sum == record.sum, "\(id): \(got), not \(record)")
      } else {
        expect(got == record && got.disorder == 0, "\(id): \(got), not \(record)")
      }
    }
    let others = Set(records.keys).subtracting(expected.keys).subtracting(["r3", "tick", "cuts"])
    expect(others.isEmpty, "nobody expects \(others)")
    expect(records["r3"]?.disorder ?? 0 == 0, "r3 is out of order")
    if let tick = records["tick"] { expect(tick.disorder == 0 && tick.count == Int(tick.last), "tick: \(tick)") }
    for (id, bounds) in model.starts {
      let starts = Records.shared.starts[id] ?? 0
      expect(bounds.contains(starts), "\(id) started \(starts) times, not \(bounds)")
    }
  }

  private mutating func expect(_ holds: Bool, _ text: @autoclosure () -> String) { if !holds { wrong.append(text()) } }
}

/// The memory that the process has in use.
private func residentKilobytes() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
  for line in text.split(separator: "\n") where line.hasPrefix("VmRSS:") {
    return Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" })[1]) ?? 0
  }
  return 0
}
