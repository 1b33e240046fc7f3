internal import EventBus
internal import StockbusConfig
internal import StockbusPlugin

/// The loop that owns a run: everything that happens comes here, one after the other, and only here is decided what follows.
struct PipelineLoop {
  enum Happening: Sendable {
    case departed(String, Supervisor.Departure, lives: Int)
    case told([ChangeQueue.Item])
    case stopRequested
    case deadlinePassed
    case aborted
    /// The data has ended, and so long ago.
    case stillDraining(Duration)
    /// A change has not come about in time: of a component, by its number.
    case changeOverdue(String, Int)
    /// Something ended that nobody waits for.
    case nothing
  }

  typealias Children = TaskGroup<Happening>

  let pipeline: Pipeline
  let overdue: @Sendable (Pipeline) -> Void
  private var late: [String] = []
  private var isDraining = false
  /// By component: what is being changed.
  var underway: [String: Transition] = [:]
  var changeCount = 0

  init(_ pipeline: Pipeline, overdue: @escaping @Sendable (Pipeline) -> Void) {
    self.pipeline = pipeline
    self.overdue = overdue
  }

  private var isOver: Bool { pipeline.members.allSatisfy(\.hasEnded) }
  var isStopping: Bool { pipeline.stopSignal.hasFired }

  mutating func run() async -> RunReport {
    let began = pipeline.clock.uptime
    await withTaskGroup(of: Happening.self) { group in
      start(&group)
      while let happening = await group.next() { handle(happening, &group) }
    }
    for item in pipeline.changes.close() {
      if case .change(let change) = item { change.reply.resume(returning: ChangeError("the run is over")) }
    }
    let members = pipeline.members
    let sources = members.filter { $0.plan.blueprint.kind == .source && $0.isPureSource }
    return RunReport(
      fates: members.compactMap(\.fate), ledger: pipeline.ledger, late: late,
      events: sources.reduce(0) { $0 + ($1.slot.output?.published ?? 0) }, duration: pipeline.clock.uptime - began)
  }

  private func start(_ group: inout Children) {
    let (notices, stopSignal, abortSignal) = (pipeline.notices, pipeline.stopSignal, pipeline.abortSignal)
    group.addTask {
      await notices.run()
      return .nothing
    }
    for member in pipeline.members.reversed() { supervise(member, readers: readers(of: member.id), &group) }
    group.addTask {
      await stopSignal.wait()
      return .stopRequested
    }
    group.addTask {
      await abortSignal.wait()
      return .aborted
    }
    listen(&group)
    closeNoticesIfUnfed()
  }

  /// Waits for what the queue brings next.
  private func listen(_ group: inout Children) {
    let changes = pipeline.changes
    group.addTask { .told(await changes.next()) }
  }

  /// Lets instances of a member's present plan run.
  func supervise(_ member: Member, readers: [Latch] = [], isOnTrial: Bool = false, _ group: inout Children) {
    let (id, changes) = (member.id, pipeline.changes)
    let supervisor = Supervisor(
      slot: member.slot, assembly: member.plan.assembly, policy: member.plan.supervision, clock: pipeline.clock, logger: pipeline.logger,
      notices: pipeline.notices, counters: member.counters, stop: pipeline.stopSignal, leave: member.leave, ready: member.ready,
      readers: readers, isOnTrial: isOnTrial, started: { changes.post(.started(id)) })
    group.addTask {
      let (departure, lives) = await supervisor.run()
      return .departed(id, departure, lives: lives)
    }
  }

  private mutating func handle(_ happening: Happening, _ group: inout Children) {
    switch happening {
    case .departed(let id, let departure, let lives):
      pipeline.update(id) { $0.lives += lives }
      switch departure {
      case .ended(let outcome): end(id, outcome, &group)
      case .handedOver: succeed(id, &group)
      case .refused(let reason): goBack(id, reason, &group)
      }
    case .told(let items):
      for item in items { hear(item, &group) }
      if !isOver { listen(&group) }
    case .stopRequested:
      if isOver { return }
      post(.deadlinePassed, after: pipeline.settings.drainDeadline, &group)
    case .deadlinePassed:
      late = pipeline.runningComponents
      if late.isEmpty { return }
      pipeline.logger.error("not drained within \(pipeline.settings.drainDeadline.optionText): \(late.joined(separator: ", "))")
      pipeline.abort()
      overdue(pipeline)
    // Waits that no parker ends: a back-off, a component's own.
    case .aborted: group.cancelAll()
    case .stillDraining(let elapsed):
      // At the end of the data nobody is in a hurry: who takes long is named, and not cut off.
      if isStopping || isOver { return }
      pipeline.logger.warning("still draining after \(elapsed.roughText): \(pipeline.runningComponents.joined(separator: ", "))")
      post(.stillDraining(elapsed * 2), after: elapsed, &group)
    case .changeOverdue(let id, let number): giveUp(id, number)
    case .nothing: break
    }
  }

  private mutating func hear(_ item: ChangeQueue.Item, _ group: inout Children) {
    switch item {
    case .change(let change): begin(change, &group)
    case .started(let id):
      pipeline.update(id) { if $0.phase == .starting { $0.phase = .running } }
      if underway[id]?.stage == .trial { finish(id, nil) }
    case .rewired(let id): if underway[id]?.stage == .rewiring { finish(id, nil) }
    }
  }

  /// A component has ended for good.
  mutating func end(_ id: String, _ outcome: RunReport.Fate.Outcome, _ group: inout Children) {
    guard let member = pipeline.member(id) else { return }
    pipeline.update(id) { $0.phase = .ended(outcome) }
    finish(id, ChangeError("'\(id)' has ended meanwhile"))
    note(outcome, member)
    // `run … | head` ends as a whole: what else there is drains.
    if outcome == .unread { pipeline.stop() }
    if areSinksGone, !isOver, !isStopping {
      pipeline.logger.notice("no sink is left: the run stops")
      pipeline.stop()
    }
    closeNoticesIfUnfed()
    if isOver {
      group.cancelAll()
    } else if !isDraining, !isStopping, pipeline.members.allSatisfy({ !$0.isPureSource || $0.hasEnded }) {
      isDraining = true
      post(.stillDraining(pipeline.settings.drainDeadline), after: pipeline.settings.drainDeadline, &group)
    }
  }

  func post(_ happening: Happening, after wait: Duration, _ group: inout Children) {
    let clock = pipeline.clock
    group.addTask {
      do { try await clock.sleep(for: wait) } catch { return .nothing }
      return happening
    }
  }

  private func note(_ outcome: RunReport.Fate.Outcome, _ member: Member) {
    guard case .failed = outcome, let fate = pipeline.member(member.id)?.fate else { return }
    let stops = member.plan.supervision.onFailure == .stop
    // Why was said when it happened.
    pipeline.logger.critical("\(fate.id) has failed for good after \(fate.attempts); \(stops ? "the run stops" : "the others go on")")
    if stops { pipeline.stop() }
  }

  /// The topics of the whole run end when nobody is left who posts and does not read them.
  private func closeNoticesIfUnfed() {
    let readers = pipeline.notices.readers
    if pipeline.members.allSatisfy({ $0.hasEnded || readers.contains($0.id) }) { pipeline.notices.close() }
  }

  /// True where all sinks have ended, one of them failing, so that nobody would see what is still to come.
  private var areSinksGone: Bool {
    let outcomes = pipeline.members.filter { $0.plan.blueprint.kind == .sink }.map(\.outcome)
    return outcomes.allSatisfy { $0 != nil } && outcomes.contains { if case .failed = $0 { true } else { false } }
  }

  private func readers(of id: String) -> [Latch] {
    pipeline.members.filter { $0.plan.inputs.contains { $0.from == id } }.map(\.ready)
  }
}
