internal import EventBus
public import Logging
public import StockbusConfig
public import StockbusPlugin

/// A checked topology, wired and run: started in order, supervised, drained, accounted for.
public final class Pipeline: Sendable {
  struct Entry: Sendable {
    let plan: PlannedNode
    let node: Node
    let counters: CounterRegistry
  }

  let entries: [Entry]
  let runLog: RunLog
  private let notices: NoticeBoard
  private let settings: RunSettings
  /// Where its components run that park; nil where they spin, on Swift's pool.
  private let pool: WorkerPool?
  private let clock: any Timekeeper
  private let logger: Logger
  let stopSignal = Latch()
  private let stopAsked = Guarded(Duration?.none)
  private let abortSignal = Latch()
  /// By component: fires when it has started.
  private let ready: [String: Latch]
  private let running = Guarded(Set<String>())

  /// Wires everything; nothing starts.
  public init(_ topology: Topology, clock: any Timekeeper = SystemTimekeeper(), logger: Logger) {
    self.clock = clock
    runLog = RunLog(clock)
    let logger = runLog.recording(logger)
    self.logger = logger
    let view = ComponentRunView()
    settings = topology.settings
    let notices = NoticeBoard(topology, logger: logger)
    self.notices = notices
    var topics = notices.topics
    let pool = topology.settings.wait == .park ? WorkerPool.shared : nil
    self.pool = pool
    let waiting = pool?.parking ?? Waiting(.spin)
    let zone = topology.settings.displayZone
    let files = topology.files
    entries = topology.nodes.map { plan in
      var own = logger
      own[metadataKey: "component"] = "\(plan.id)"
      let counters = CounterRegistry()
      let context = Context(
        id: plan.id, clock: clock, logger: own, runSeed: UInt64(bitPattern: Int64(topology.settings.seed)), counters: counters,
        notices: notices, run: view, waiting: waiting, helpers: pool == nil ? nil : HelperExecutor.shared,
        symbolLimit: topology.settings.symbolsPerSource, zone: zone, files: files)
      var topic = plan.topic
      topic.waiting = waiting
      let output = plan.blueprint.makeTopic(topic)
      topics[plan.id] = output
      let edges = plan.inputs.compactMap { input in topics[input.from].map { Edge($0, options: input.options) } }
      precondition(edges.count == plan.inputs.count, "a topology lists upstream before downstream")
      return Entry(plan: plan, node: plan.assembly.node(context, inputs: edges, output: output), counters: counters)
    }
    ready = Dictionary(uniqueKeysWithValues: entries.map { ($0.plan.id, Latch()) })
    view.show(self)
  }

  /// Asks for a graceful stop: sources end, everything else drains. Asking twice is harmless.
  public func stop() {
    stopAsked.withLock { $0 = $0 ?? clock.uptime }
    stopSignal.fire()
  }

  /// When whatever has not ended is cut off; nil while no stop has been asked for.
  public var cutOff: Duration? { stopAsked.withLock { $0 }.map { $0 + settings.drainDeadline } }

  /// Ends everything now; what waits is counted as dropped.
  public func abort() {
    stop()
    abortSignal.fire()
    for entry in entries { for parker in entry.node.parkers { parker.release() } }
    notices.release()
  }

  /// Components that have not ended.
  public var runningComponents: [String] {
    let ids = running.withLock { $0 }
    return entries.map(\.plan.id).filter(ids.contains)
  }

  /// Tells a component something.
  public func perform(_ command: Command, on id: String) async throws(CommandError) -> String {
    guard let entry = entries.first(where: { $0.plan.id == id }) else {
      throw CommandError("no component '\(id)'" + didYouMean(id, among: entries.map(\.plan.id)))
    }
    return try await entry.node.perform(command)
  }

  /// The components that take commands, with what they can be told.
  public var commands: [(component: String, commands: [CommandInfo])] {
    entries.filter { !$0.plan.blueprint.commands.isEmpty }.map { ($0.plan.id, $0.plan.blueprint.commands) }
  }

  /// The sources that know how far they have come, with the events they have published.
  public var progress: [(component: String, progress: Progress, events: Int)] {
    let running = running.withLock { $0 }
    return entries.filter { $0.node.inlets.isEmpty && $0.counters.progress.done > 0 && running.contains($0.plan.id) }
      .map { ($0.plan.id, $0.counters.progress, $0.node.output?.published ?? 0) }
  }

  /// True where a source is running that has not said how much is still to come, so that nobody knows when the data ends.
  public var isEndless: Bool {
    let running = running.withLock { $0 }
    return entries.contains { entry in
      entry.plan.blueprint.kind == .source && running.contains(entry.plan.id) && entry.node.inlets.isEmpty
        && entry.counters.progress.total == nil
    }
  }

  /// What became of every event so far.
  public var ledger: Ledger {
    var counters = entries.flatMap { entry in
      entry.counters.entries.map { Ledger.Entry(component: entry.plan.id, name: $0.name, total: $0.counter.total) }
    }
    for entry in entries where entry.counters.lost.total > 0 {
      counters.append(Ledger.Entry(component: entry.plan.id, name: Ledger.lost, total: entry.counters.lost.total))
    }
    counters += notices.entries
    let notes = entries.flatMap { entry in entry.counters.notes.map { Ledger.Note(component: entry.plan.id, text: $0) } }
    return Ledger(edges: edges, counters: counters, notes: notes)
  }

  private enum Happening: Sendable {
    case ended(RunReport.Fate, PlannedNode)
    case stopRequested
    case deadlinePassed
    case aborted
    /// The data has ended, and so long ago.
    case stillDraining(Duration)
    /// Something ended that nobody waits for.
    case nothing
  }

  /// Runs until all components have ended: their data, or a stop. Cancelling the task aborts.
  ///
  /// `overdue` is called when the drain deadline has passed and what is late has been told to end at once. A component that waits
  /// for something that never comes may keep the run from returning all the same: then only the process's end helps.
  public func run(overdue: @escaping @Sendable (Pipeline) -> Void = { _ in }) async -> RunReport {
    running.withLock { $0 = Set(entries.map(\.plan.id)) }
    return await withTaskCancellationHandler {
      // Who parks is best woken where it was called from; who spins is best on a core of its own.
      await withTaskExecutorPreference(pool) { await runAll(overdue) }
    } onCancel: {
      abort()
    }
  }

  private func runAll(_ overdue: @Sendable (Pipeline) -> Void) async -> RunReport {
    var fates: [String: RunReport.Fate] = [:]
    var late: [String] = []
    var isDraining = false
    let began = clock.uptime
    await withTaskGroup(of: Happening.self) { group in
      let notices = notices
      group.addTask {
        await notices.run()
        return .nothing
      }
      for entry in entries.reversed() {
        let supervisor = Supervisor(
          node: entry.node, policy: entry.plan.supervision, clock: clock, logger: logger, notices: notices,
          counters: entry.counters, stop: stopSignal, ready: ready[entry.plan.id] ?? Latch(), readers: readers(of: entry.plan.id))
        group.addTask { .ended(await supervisor.run(), entry.plan) }
      }
      let stopSignal = stopSignal
      group.addTask {
        await stopSignal.wait()
        return .stopRequested
      }
      let abortSignal = abortSignal
      group.addTask {
        await abortSignal.wait()
        return .aborted
      }
      if entries.allSatisfy({ notices.readers.contains($0.plan.id) }) { notices.close() }
      while let happening = await group.next() {
        switch happening {
        case .ended(let fate, let plan):
          fates[fate.id] = fate
          running.withLock { _ = $0.remove(fate.id) }
          note(fate, plan)
          // `run … | head` ends as a whole: what else there is drains.
          if fate.outcome == .unread { stop() }
          if areSinksGone(fates), fates.count < entries.count, !stopSignal.hasFired {
            logger.notice("no sink is left: the run stops")
            stop()
          }
          if entries.allSatisfy({ fates[$0.plan.id] != nil || notices.readers.contains($0.plan.id) }) { notices.close() }
          if fates.count == entries.count {
            group.cancelAll()
          } else if !isDraining, !stopSignal.hasFired, entries.allSatisfy({ !$0.node.inlets.isEmpty || fates[$0.plan.id] != nil }) {
            isDraining = true
            addDrainNotice(to: &group, after: settings.drainDeadline, elapsed: settings.drainDeadline)
          }
        case .stopRequested:
          if fates.count == entries.count { continue }
          let clock = clock
          let deadline = settings.drainDeadline
          group.addTask {
            do { try await clock.sleep(for: deadline) } catch { return .nothing }
            return .deadlinePassed
          }
        case .deadlinePassed:
          late = runningComponents
          if late.isEmpty { continue }
          logger.error("not drained within \(settings.drainDeadline.optionText): \(late.joined(separator: ", "))")
          abort()
          overdue(self)
        // Waits that no parker ends: a back-off, a component's own.
        case .aborted: group.cancelAll()
        case .stillDraining(let elapsed):
          // At the end of the data nobody is in a hurry: who takes long is named, and not cut off.
          if stopSignal.hasFired || fates.count == entries.count { continue }
          logger.warning("still draining after \(elapsed.roughText): \(runningComponents.joined(separator: ", "))")
          addDrainNotice(to: &group, after: elapsed, elapsed: elapsed * 2)
        case .nothing: continue
        }
      }
    }
    let sources = entries.filter { $0.plan.blueprint.kind == .source && $0.node.inlets.isEmpty }
    return RunReport(
      fates: entries.compactMap { fates[$0.plan.id] }, ledger: ledger, late: late,
      events: sources.reduce(0) { $0 + ($1.node.output?.published ?? 0) }, duration: clock.uptime - began)
  }

  /// Tells after `wait` that the data has ended `elapsed` ago.
  private func addDrainNotice(to group: inout TaskGroup<Happening>, after wait: Duration, elapsed: Duration) {
    let clock = clock
    group.addTask {
      do { try await clock.sleep(for: wait) } catch { return .nothing }
      return .stillDraining(elapsed)
    }
  }

  private func note(_ fate: RunReport.Fate, _ plan: PlannedNode) {
    guard case .failed = fate.outcome else { return }
    let consequence = plan.supervision.onFailure == .stop ? "the run stops" : "the others go on"
    // Why was said when it happened.
    logger.critical("\(fate.id) has failed for good after \(fate.attempts); \(consequence)")
    if plan.supervision.onFailure == .stop { stop() }
  }

  /// True where all sinks have ended, one of them failing, so that nobody would see what is still to come.
  private func areSinksGone(_ fates: [String: RunReport.Fate]) -> Bool {
    let sinks = entries.filter { $0.plan.blueprint.kind == .sink }
    let outcomes = sinks.compactMap { fates[$0.plan.id]?.outcome }
    return outcomes.count == sinks.count && outcomes.contains { if case .failed = $0 { true } else { false } }
  }

  private func readers(of id: String) -> [Latch] {
    entries.filter { $0.plan.inputs.contains { $0.from == id } }.compactMap { ready[$0.plan.id] }
  }
}
