internal import StockbusConfig
internal import StockbusPlugin

/// The loop that owns a run: receives all events of the run, one after another, and makes all decisions.
struct PipelineLoop {
  enum Happening: Sendable {
    /// The supervisor of the component with this number has ended.
    case departed(Int, Supervisor.Departure, lives: Int)
    case queued([ChangeQueue.Item])
    case stopRequested
    case deadlinePassed
    case aborted
    /// The data has ended, this long ago.
    case stillDraining(Duration)
    /// The time for a change of this component, with this number, has passed. The change may have been made meanwhile.
    case changeOverdue(String, Int)
    /// A task has ended whose end needs no action.
    case nothing
  }

  typealias Children = TaskGroup<Happening>

  let pipeline: Pipeline
  let overdue: @Sendable (Pipeline) -> Void
  private var late: [String] = []
  private var isDraining = false
  /// The changes in progress, by component.
  var underway: [String: Transition] = [:]
  var changeCount = 0
  /// The last trial of components that a change adds.
  private var trial: Trial?

  init(_ pipeline: Pipeline, overdue: @escaping @Sendable (Pipeline) -> Void) {
    self.pipeline = pipeline
    self.overdue = overdue
  }

  private var isOver: Bool { pipeline.everybody.allSatisfy(\.hasEnded) }
  var isStopping: Bool { pipeline.stopSignal.hasFired }

  mutating func run() async -> RunReport {
    let began = pipeline.clock.uptime
    await withTaskGroup(of: Happening.self) { group in
      start(&group)
      while let happening = await group.next() { handle(happening, &group) }
    }
    refuseChanges()
    pipeline.runLog.end()
    let tally = pipeline.tally
    return RunReport(
      fates: tally.fates, ledger: pipeline.ledger, late: late, emptySources: pipeline.emptySources, events: tally.events,
      duration: pipeline.clock.uptime - began)
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
    let (watermarkClock, clock) = (pipeline.watermarkClock, pipeline.clock)
    group.addTask {
      await watermarkClock.run(clock)
      return .nothing
    }
    let (pipeline, latencyWatch) = (pipeline, pipeline.latencyWatch)
    group.addTask {
      await latencyWatch.run(clock) { pipeline.members.map(\.slot) }
      return .nothing
    }
    if let keeper = pipeline.keeper {
      group.addTask(executorPreference: globalConcurrentExecutor) {
        await keeper.keepRegularly(what: pipeline)
        return .nothing
      }
    }
    let runLog = pipeline.runLog
    group.addTask {
      await runLog.run()
      return .nothing
    }
    let healthNews = pipeline.healthNews
    group.addTask {
      await healthNews.run(clock) { pipeline.noteHealth() }
      return .nothing
    }
    if let stallWatch = pipeline.stallWatch {
      // Not on the workers, which hanging components may block.
      group.addTask(executorPreference: globalConcurrentExecutor) {
        await stallWatch.run(pipeline)
        return .nothing
      }
    }
    listen(&group)
    closeUnfedTopics()
  }

  /// Waits for the next items of the queue.
  private func listen(_ group: inout Children) {
    let changes = pipeline.changes
    group.addTask {
      guard let items = await changes.next() else { return .nothing }
      return .queued(items)
    }
  }

  /// Closes the queue: present and later callers that wait for a change get an answer at once.
  private func refuseChanges() {
    for item in pipeline.changes.close() {
      switch item {
      case .change(let change): change.reply.resume(returning: ChangeError("the run is over"))
      case .start(let trial): trial.fail("the run is over")
      case .started, .rewired: break
      }
    }
  }

  /// Starts a supervisor for instances of a member's present plan.
  func supervise(_ member: Member, readers: [Latch] = [], isOnTrial: Bool = false, _ group: inout Children) {
    let supervisor = Supervisor(pipeline: pipeline, member: member, readers: readers, isOnTrial: isOnTrial)
    group.addTask(executorPreference: member.executor) {
      let (departure, lives) = await supervisor.run()
      return .departed(member.number, departure, lives: lives)
    }
  }

  private mutating func handle(_ happening: Happening, _ group: inout Children) {
    switch happening {
    case .departed(let number, let departure, let lives):
      pipeline.update(number) { $0.lives += lives }
      guard let member = pipeline.member(number) else { return }
      switch departure {
      case .ended(let outcome): end(member, outcome, &group)
      case .handedOver:
        if pipeline.member(member.id)?.number == number { return succeed(member.id, &group) }
        // The component has left the run between two attempts, and makes no further one.
        member.slot.retire()
        end(member, .cancelled, &group)
      case .refused(let reason):
        if case .trial? = underway[member.id]?.stage, !isComing(member) { return goBack(member.id, reason, &group) }
        member.slot.retire()
        trial?.fail("'\(member.id)' does not start: \(reason)")
        end(member, .failed(reason), &group)
      }
    case .queued(let items):
      for item in items { hear(item, &group) }
      if !isOver { listen(&group) }
    case .stopRequested:
      if isOver { return }
      post(.deadlinePassed, after: pipeline.settings.drainDeadline, &group)
    case .deadlinePassed:
      late = pipeline.lateComponents
      if late.isEmpty { return }
      pipeline.logger.error("not drained within \(pipeline.settings.drainDeadline.optionText): \(late.joined(separator: ", "))")
      pipeline.abort()
      overdue(pipeline)
    // Ends waits that no parker ends, such as a back-off or a component's own.
    case .aborted:
      group.cancelAll()
      // Nobody waits for a change any more, and a slow component could delay the end of the run.
      refuseChanges()
    case .stillDraining(let elapsed):
      // At the end of the data there is no deadline: slow components are named but not cut off.
      if isStopping || isOver { return }
      pipeline.logger.warning("still draining after \(elapsed.roughText): \(pipeline.lateComponents.joined(separator: ", "))")
      post(.stillDraining(elapsed * 2), after: elapsed, &group)
    case .changeOverdue(let id, let number): giveUp(id, number)
    case .nothing: break
    }
  }

  private mutating func hear(_ item: ChangeQueue.Item, _ group: inout Children) {
    switch item {
    case .change(let change): begin(change, &group)
    case .start(let trial): begin(trial, &group)
    case .started(let number):
      noteStart()
      trial?.started(number)
      if let member = pipeline.member(number), !isComing(member) { noteStart(of: member.id) }
    case .rewired(let id): if case .rewiring? = underway[id]?.stage { finish(id, nil) }
    }
  }

  /// Handles the permanent end of a component.
  mutating func end(_ member: Member, _ outcome: RunReport.Fate.Outcome, _ group: inout Children) {
    var member = member
    member.phase = .ended(outcome, byItself: !isStopping && !member.demand.value.isToLeave)
    pipeline.update(member.number) { [phase = member.phase] in $0.phase = phase }
    if let output = member.slot.output { pipeline.watermarkClock.remove(output) }
    member.end.fire()
    let isPresent = pipeline.member(member.id)?.number == member.number
    if isPresent || member.hasStarted { note(member) }
    // When the reader of standard output has closed it, as in `run … | head`, the run stops and the other components drain.
    if outcome == .unread { pipeline.stop() }
    if areSinksGone, !isOver, !isStopping {
      pipeline.logger.notice("no sink is left: the run stops")
      pipeline.stop()
    }
    // Called after the decision whether the run continues.
    if isPresent { finish(member.id, endedWith: outcome) }
    closeUnfedTopics()
    if isOver {
      group.cancelAll()
    } else if !isDraining, !isStopping, pipeline.members.allSatisfy({ !$0.isPureSource || $0.hasEnded }) {
      isDraining = true
      post(.stillDraining(pipeline.settings.drainDeadline), after: pipeline.settings.drainDeadline, &group)
    }
    noteStart()
    pipeline.forgetDeparted()
  }

  func post(_ happening: Happening, after wait: Duration, _ group: inout Children) {
    let clock = pipeline.clock
    group.addTask {
      do { try await clock.sleep(for: wait) } catch { return .nothing }
      return happening
    }
  }

  /// Reports that the start of the run is over, once all components have started.
  private func noteStart() {
    if pipeline.startSignal.hasFired { return }
    if pipeline.members.allSatisfy({ $0.phase != .starting }) { pipeline.startSignal.fire() }
  }

  private func note(_ member: Member) {
    guard let fate = member.fate, case .failed = fate.outcome else { return }
    let stops = member.plan.supervision.onFailure == .stop
    // The reason was logged when the failure occurred.
    pipeline.logger.critical("\(fate.id) has failed for good after \(fate.attempts); \(stops ? "the run stops" : "the others continue")")
    if stops { pipeline.stop() }
  }

  /// Closes the run's topics on which no component posts any more.
  private func closeUnfedTopics() {
    let everybody = pipeline.everybody
    pipeline.notices.close { readers in everybody.allSatisfy { $0.hasEnded || readers.contains($0.id) } }
  }

  /// True if all sinks have ended because one of them, or a processor before them, has failed, so that no later event would be seen. Sinks
  /// that read only what the run itself reports do not count.
  private var areSinksGone: Bool {
    let sinks = pipeline.members.filter { member in
      member.plan.blueprint.kind == .sink && !member.plan.inputs.allSatisfy { RunTopic(rawValue: $0.from) != nil }
    }
    if sinks.isEmpty || !sinks.allSatisfy(\.hasEnded) { return false }
    return pipeline.members.contains { member in
      if case .failed = member.outcome { member.plan.blueprint.kind != .source } else { false }
    }
  }

  private func isComing(_ member: Member) -> Bool { pipeline.coming.contains { $0.number == member.number } }

  /// Starts the components that a change adds, the readers first.
  private mutating func begin(_ trial: Trial, _ group: inout Children) {
    if isStopping { return trial.fail("the run is stopping") }
    self.trial = trial
    let coming = pipeline.coming
    for member in coming.reversed() {
      pipeline.update(member.number) { $0.phase = .starting }
      let readers = coming.filter { $0.plan.inputs.contains { $0.from == member.id } }.map(\.ready)
      supervise(member, readers: readers, isOnTrial: true, &group)
    }
  }

  private func readers(of id: String) -> [Latch] {
    pipeline.members.filter { $0.plan.inputs.contains { $0.from == id } }.map(\.ready)
  }
}
