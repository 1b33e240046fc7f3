package import StockbusConfig
internal import StockbusPlugin

/// A change of one component that is in progress.
struct Transition: Sendable {
  enum Stage: Sendable {
    /// The instance is asked to take other inputs between two batches.
    case rewiring
    /// The instance is asked to hand over.
    case leaving
    /// The time for the change has passed, and its caller has the answer; the old plan continues.
    case givenUp
    /// The first instance of the new plan is being started; with the memory of the old plan's instances.
    case trial(Memory.Contents)
    /// The start of the new plan has failed, for this reason; an instance of the old plan is being started again.
    case returning(String)
  }

  let change: PendingChange
  /// The plan before the change.
  let old: PlannedNode
  let number: Int
  var stage: Stage
}

extension Pipeline {
  /// Replaces the plan of the component of the same name. The next instance begins at the event after the last one of the present instance;
  /// if it does not start, the old plan continues. Returns when the new instance has started; throws if it has not, with the reason.
  ///
  /// A plan with the same options and other inputs rewires the present instance. The plan belongs to a checked topology whose other
  /// components are those of the run.
  package func replace(_ plan: PlannedNode) async throws(ChangeError) {
    try await begin(.single)
    defer { end(.single) }
    try await exchange(plan)
  }

  /// The extent of a change: one component, which allows other such changes at the same time, or the whole run.
  enum Extent {
    case single, whole
  }

  func begin(_ extent: Extent) async throws(ChangeError) {
    // For a moment only.
    while let halt = changesUnderway.withLock({ $0.halt }), !Task.isCancelled { await halt.wait() }
    if !tryBegin(extent) { throw ChangeError("another change of the run is in progress") }
  }

  private func tryBegin(_ extent: Extent) -> Bool {
    changesUnderway.withLock { changes in
      if changes.hasWhole || changes.halt != nil || extent == .whole && changes.single > 0 { return false }
      if extent == .whole { changes.hasWhole = true } else { changes.single += 1 }
      return true
    }
  }

  /// Keeps changes waiting until this latch fires; false if one is in progress.
  func beginHalt(_ end: Latch) -> Bool {
    changesUnderway.withLock { changes in
      if changes.hasWhole || changes.single > 0 { return false }
      changes.halt = end
      return true
    }
  }

  func endHalt() { changesUnderway.withLock { $0.halt.take() }?.fire() }

  func end(_ extent: Extent) {
    changesUnderway.withLock { if extent == .whole { $0.hasWhole = false } else { $0.single -= 1 } }
  }

  /// Replaces the plan of one component.
  func exchange(_ plan: PlannedNode) async throws(ChangeError) {
    let error = await withCheckedContinuation { reply in
      if !changes.post(.change(PendingChange(plan: plan, reply: reply))) { reply.resume(returning: ChangeError("the run is over")) }
    }
    if let error { throw error }
  }
}

// A change goes from stage to stage as events about its component arrive; the loop itself never waits for one.
extension PipelineLoop {
  mutating func begin(_ change: PendingChange, _ group: inout Children) {
    let id = change.plan.id
    guard let member = pipeline.member(id) else { return change.reply.resume(returning: ChangeError("there is no component '\(id)'")) }
    if let obstacle = obstacle(to: change.plan, member) { return change.reply.resume(returning: ChangeError(obstacle)) }
    let isRewiring = change.plan.isLike(member.plan) && !change.plan.readsLike(member.plan)
    changeCount += 1
    underway[id] = Transition(change: change, old: member.plan, number: changeCount, stage: isRewiring ? .rewiring : .leaving)
    pipeline.update(id) { $0.phase = .quiescing }
    post(.changeOverdue(id, changeCount), after: pipeline.settings.drainDeadline, &group)
    if isRewiring {
      let changes = pipeline.changes
      member.slot.rewire(Pipeline.edges(of: change.plan, pipeline.topics)) { changes.post(.rewired(id)) }
    } else {
      member.slot.quiesce()
      member.demand.update { $0.handOver() }
    }
  }

  /// Why this plan cannot replace the member's plan; nil if it can.
  private func obstacle(to plan: PlannedNode, _ member: Member) -> String? {
    let (old, title) = (member.plan, "'\(member.id)'")
    if isStopping { return "the run is stopping" }
    if !member.isRunning { return "\(title) is not running" }
    if underway[member.id] != nil { return "another change of \(title) is in progress" }
    if plan.blueprint.kind != old.blueprint.kind { return "\(title) is a \(old.blueprint.kind.rawValue) and cannot become another kind" }
    if plan.blueprint.output != old.blueprint.output { return "the type of events that \(title) emits cannot change" }
    if plan.topic.capacity != old.topic.capacity || plan.topic.memory != old.topic.memory {
      return "the ring that \(title) writes to cannot change"
    }
    if plan.inputs.isEmpty != old.inputs.isEmpty { return "\(title) would \(plan.inputs.isEmpty ? "lose" : "get") its inputs" }
    for input in plan.inputs {
      guard let topic = pipeline.topics[input.from] else { return "\(title) would read '\(input.from)', which is not running" }
      let isTaken = plan.blueprint.inputs.contains { $0 == topic.eventType }
      if !isTaken { return "\(title) does not take what '\(input.from)' emits" }
    }
    return nil
  }

  /// The old instance has handed over: starts the new plan, or continues the old one.
  mutating func succeed(_ id: String, _ group: inout Children) {
    guard let member = pipeline.member(id) else { return }
    if isStopping, member.isPureSource {
      // The run stops, so the source ends instead of handing over.
      member.slot.retire()
      return end(member, .completed, &group)
    }
    member.slot.resume()
    member.demand.update { $0.handedOver() }
    guard let transition = underway[id], case .leaving = transition.stage else {
      // Too late: the change was given up while its instance was handing over.
      underway[id] = nil
      pipeline.update(id) { $0.phase = .running }
      return resume(id, isOnTrial: false, &group)
    }
    let plan = transition.change.plan
    underway[id]?.stage = .trial(plan.assembly.succeed(transition.old.assembly, in: member.slot))
    start(plan, isOnTrial: true, member, &group)
  }

  /// The new plan's first instance has not started: continues the old plan with its memory. The caller of the change gets the answer when
  /// the old plan has started, or has failed to.
  mutating func goBack(_ id: String, _ reason: String, _ group: inout Children) {
    guard let member = pipeline.member(id), let transition = underway[id], case .trial(let memory) = transition.stage else { return }
    underway[id]?.stage = .returning(reason)
    member.slot.restore(memory)
    start(transition.old, isOnTrial: false, member, &group)
  }

  /// Starts the instances of a plan in the place of those of another one.
  private func start(_ plan: PlannedNode, isOnTrial: Bool, _ member: Member, _ group: inout Children) {
    member.slot.reconnect(Pipeline.edges(of: plan, pipeline.topics))
    member.slot.mergesInputs = plan.merge == .received
    pipeline.update(member.number) { member in
      member.plan = plan
      member.phase = .starting
    }
    resume(member.id, isOnTrial: isOnTrial, &group)
  }

  /// An instance has started under a new supervisor, which ends a change that was waiting for that.
  mutating func noteStart(of id: String) {
    switch underway[id]?.stage {
    case .trial: finish(id, nil)
    case .returning(let reason):
      pipeline.logger.error("\(id) could not be changed: \(reason); it continues as before")
      finish(id, ChangeError(reason))
    case .rewiring, .leaving, .givenUp, nil: break
    }
  }

  /// The component has ended during its change.
  mutating func finish(_ id: String, endedWith outcome: RunReport.Fate.Outcome) {
    guard let stage = underway[id]?.stage else { return }
    let rest = isStopping ? "the run stops" : "the others continue as before"
    var error = ChangeError("'\(id)' has ended in the meantime", consequence: rest)
    if case .failed(let failure) = outcome {
      error = ChangeError("'\(id)' has failed for good in the meantime: \(failure)", consequence: "it is no longer running, and \(rest)")
    }
    if case .returning(let reason) = stage {
      let how = if case .failed(let failure) = outcome { "has failed for good with its old options too: \(failure)" } else { "has ended" }
      error = ChangeError(reason, consequence: "'\(id)' \(how); it is no longer running, and \(rest)")
    }
    finish(id, error)
  }

  /// The instance has not handed over in time: lets it continue.
  mutating func giveUp(_ id: String, _ number: Int) {
    guard var transition = underway[id], transition.number == number else { return }
    switch transition.stage {
    case .trial, .givenUp: return
    case .returning(let reason):
      let failure = pipeline.member(id)?.vitals.reading.reason.map { ": \($0)" } ?? ""
      return finish(id, ChangeError(reason, consequence: "'\(id)' has not restarted with its old options so far\(failure)"))
    // If the rewiring has been carried out meanwhile, the message about it is on its way.
    case .rewiring where pipeline.member(id)?.slot.withdraw() == false: return
    case .rewiring, .leaving: break
    }
    let late = "has not stopped for the change within \(pipeline.settings.drainDeadline.optionText)"
    pipeline.logger.error("\(id) \(late); it continues as before")
    finish(id, ChangeError("'\(id)' \(late)"))
    if case .leaving = transition.stage {
      // An instance that is cancelled, or about to hand over, does so; `succeed` then continues the old plan.
      transition.stage = .givenUp
      underway[id] = transition
    }
    pipeline.update(id) { $0.phase = .running }
  }

  private func resume(_ id: String, isOnTrial: Bool, _ group: inout Children) {
    if let member = pipeline.member(id) { supervise(member, isOnTrial: isOnTrial, &group) }
  }

  /// Ends a change; `error` is the reason if it has failed.
  mutating func finish(_ id: String, _ error: ChangeError?) {
    guard let transition = underway.removeValue(forKey: id) else { return }
    if error == nil {
      pipeline.update(id) { member in
        member.plan = transition.change.plan
        member.phase = .running
      }
    }
    if case .givenUp = transition.stage { return }
    transition.change.reply.resume(returning: error)
  }
}
