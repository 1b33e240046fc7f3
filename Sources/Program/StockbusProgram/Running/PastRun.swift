import MarketData
import StockbusConfig
import StockbusFiles
import StockbusPlugin
import StockbusRuntime
import StockbusViewing

/// What is played before a run whose live sources have a past: a run of its own, of the same components, with recordings in the places of these
/// sources and without effects. The run goes on with what that one has left.
struct PastRun {
  private let played: Topology
  private let dispatchers: [String]
  private let assumptions: [String]
  private let topology: Topology
  private let before: RunMemory?
  private let since: [String: Timestamp]
  private let needs: PastNeeds
  /// Nil if nothing is shown of it.
  private let views: PastViews?

  /// What a run goes on with, and what people should know.
  struct Played {
    var memory: RunMemory?
    /// What components begin to show.
    var markets = PastMarkets.fallback
    var notices: [String] = []
    var warnings: [String] = []
  }

  /// Nil if there is nothing to play.
  ///
  /// - Parameters:
  ///   - memory: what an earlier run has left; what was before it is not played once more.
  ///   - isShownOnly: true to play only what comes to the components that show a market.
  /// - Throws: the `Problems` of the configuration, those of recordings among them, at the place of `past`.
  init?(before topology: Topology, after memory: RunMemory?, isShownOnly: Bool = false, _ program: Program, now: Timestamp) throws {
    if !topology.nodes.contains(where: { $0.past != nil }) { return nil }
    let views = PastViews(of: topology)
    if isShownOnly, views.isEmpty { return nil }
    var since: [String: Timestamp] = [:]
    var recordings: [Recording] = []
    for node in topology.nodes {
      guard let past = node.past else { continue }
      let begin = past.last.map { Timestamp(ns: now.ns.subtractingSaturating($0.wholeNanoseconds)) }
      if let begin = [begin, memory?.time].compactMap(\.self).max() { since[node.id] = begin }
      // What was written last before the beginning has nothing of what follows.
      let paths = past.paths.filter { path in since[node.id].map { !Self.isOlder(path, than: $0) } ?? true }
      recordings += paths.map { Recording(of: node.id, path: $0) }
    }
    guard let config = topology.config, !recordings.isEmpty else { return nil }
    let plan = try Self.located(in: topology) {
      try RehearsalPlan(config, over: recordings, for: .past(since: since), program)
    }
    played = isShownOnly ? plan.topology.with(views.sources(in: plan.topology.nodes)) : plan.topology
    (dispatchers, assumptions) = (plan.dispatchers, plan.assumptions)
    self.views = isShownOnly || memory?.time == nil ? views : nil
    self.topology = topology
    before = memory
    self.since = since
    needs = PastNeeds(of: topology)
  }

  /// The file that a problem of a source's recordings is in.
  static func place(of source: String) -> String { "the past of \(source)" }

  private static func located<Value>(in topology: Topology, _ body: () throws -> Value) throws -> Value {
    let marks = topology.nodes.compactMap { node in node.past.map { (file: place(of: node.id), mark: $0.mark) } }
    var located = Problems()
    do { return try body() } catch let problems as Problems {
      for problem in problems.list {
        let mark = marks.first { $0.file == problem.mark.file }?.mark
        let message = mark == nil ? problem.message : problem.message.replacing(/'path\[\d+\]'/, with: "past: 'from'")
        located.add(message, at: mark ?? problem.mark)
      }
    } catch let mistake as RehearsalMistake {
      guard let mark = marks.first?.mark else { throw mistake }
      located.add("past: \(mistake)", at: mark)
    }
    throw located
  }

  private static func isOlder(_ path: String, than time: Timestamp) -> Bool {
    // What a history has got last may be in its log.
    [path, path + "-wal"].compactMap { FileStamp(path: $0).changed }.max().map { $0 < time.ns } ?? false
  }

  /// Plays it. Nil if somebody has stopped it.
  func play() async throws -> Played? {
    let pipeline = try LongCommand.pipeline(
      played, logLevel: .warning, after: before?.forPast, completeSince: since.values.max())
    pipeline.handOverAtEnd()
    let counts = needs.counting(in: pipeline)
    let shown = views?.showing(pipeline, try Program.current.knownPast(of: topology), topology.instruments)
    let alerts = dispatchers.compactMap { pipeline.topic($0).map { topic in { topic.published } } }
    let isInterrupted = Guarded(false)
    let clock = SystemTimekeeper()
    let began = clock.uptime
    var left: RunMemory?
    var problems = ""
    await LongCommand.run(
      pipeline, beside: [{ await ProgressLine(pipeline).show() }], interrupted: { isInterrupted.withLock { $0 = true } }
    ) { report in
      if report.exitStatus(isStrict: false, isLenient: true) == 0 { left = pipeline.leftMemory }
      problems = report.text(isQuiet: true, isLenient: true)
    }
    let found = await counts.values()
    let markets = await shown?() ?? .fallback
    if isInterrupted.withLock({ $0 }) { return nil }
    guard let left else { throw RehearsalMistake(description: problems) }
    let memory = (before ?? RunMemory()).followed(
      by: left, in: topology, recording: { $0 + PlannedNode.recorded },
      borders: [PastEnd.memory.name, PastEnd.numbers])
    let time = clock.uptime - began
    var lines = topology.nodes.filter { $0.past != nil }.map { line(of: $0.id, found[$0.id], time, memory) }
    // Nobody is asked here.
    lines += assumptions.map { String($0.prefix { $0 != ";" }) }
    let unsent = alerts.reduce(0) { $0 + $1() }
    if unsent > 0 { lines.append("alerts that fired in the past, and were not sent: \(Ledger.grouped(unsent))") }
    if !problems.isEmpty { lines += problems.split(separator: "\n").map { "past: \($0)" } }
    return Played(memory: memory, markets: markets, notices: lines, warnings: needs.lacks(found))
  }

  private func line(of source: String, _ count: PastCount?, _ time: Duration, _ memory: RunMemory) -> String {
    guard let count, let first = count.first, let last = count.last else {
      return "\(source): its past is empty: the recordings have nothing of its symbols" + (since[source].map { " from \($0) on" } ?? "")
    }
    let played = "\(source): \(Ledger.grouped(count.events)) events of the past, from \(first) to \(last), in \(time.roughText)"
    let isNumbered = memory.components.first { $0.id == source }?.entries.contains { $0.name == PastEnd.numbers } == true
    return played + (isNumbered ? "" : "; nothing is known from then until the source begins")
  }
}
