package import StockbusConfig
internal import StockbusPlugin

extension Pipeline {
  /// The steps that would turn the run into a run of another topology.
  package func difference(to next: Topology) -> TopologyDifference { topology.difference(to: next) }

  /// Turns the run into a run of another topology, completely or not at all. Returns the steps that were taken.
  ///
  /// Unchanged components continue with their state, their connections and their positions. Every edge delivers exactly the events between
  /// its first and its last one, so none is lost, doubled or reordered; see Documentation/maintain/architecture.md. Throws if the run as a
  /// whole would be another one, if a new or changed component does not start, and if a component does not reach the end of a batch.
  package func apply(_ next: Topology) async throws(ChangeError) -> TopologyDifference {
    try await begin(.whole)
    defer { end(.whole) }
    let difference = topology.difference(to: next)
    if let obstacle = difference.obstacle { throw ChangeError(obstacle) }
    if stopSignal.hasFired { throw ChangeError("the run is stopping") }
    if difference.entries.allSatisfy({ $0.step == .kept }) { return difference }
    var change = TopologyChange(self, next, difference)
    do throws(ChangeError) {
      try await change.start()
      try await change.halt()
    } catch {
      let consequences = [error.consequence].compactMap(\.self) + (await change.abandon())
      throw ChangeError(error.description, consequence: consequences.isEmpty ? nil : consequences.joined(separator: "; "))
    }
    change.cut()
    await change.finish()
    return difference
  }
}

/// A change of a whole run. Steps that can fail are first: `start` and `halt`. Then the topics are cut, which cannot fail.
///
/// The cut is consistent: events that the sources have published before it pass through the old components, later events through the new
/// ones. For that a processor whose output loses or gains readers pauses where its own inputs were cut, and so do those upstream of it. All
/// other components are not affected.
struct TopologyChange {
  /// A present component that the change concerns.
  private struct Part {
    let member: Member
    /// The component's next plan; nil if it leaves.
    let plan: PlannedNode?
    /// The inputs that end at the cut, and those that pause there.
    let ending: [any AnyInlet]
    let pausing: [any AnyInlet]
    /// Counts down to the end of the events before the cut.
    let rest: Countdown

    /// True if the component also publishes events that do not follow from its inputs at once.
    var isLive: Bool { member.plan.blueprint.kind != .processor }
  }

  private let pipeline: Pipeline
  private let next: Topology
  /// The present components that stay, with their next plans.
  private var stays: [(member: Member, plan: PlannedNode)] = []
  /// The plans of staying components that get a new instance.
  private var replacements: [PlannedNode] = []
  /// New components: also those that replace one of the same name with another output, or with inputs that it cannot read.
  private var coming: [Member] = []
  /// The affected components, upstream first.
  private var parts: [Part] = []
  /// The present and future topics, by the names in the next topology.
  private var topics: [String: any AnyTopic]
  /// The former plans of components that were replaced, and the components that were asked to halt.
  private var replaced: [PlannedNode] = []
  private var halted: [Member] = []

  init(_ pipeline: Pipeline, _ next: Topology, _ difference: TopologyDifference) {
    self.pipeline = pipeline
    self.next = next
    topics = pipeline.topics
    let members = pipeline.members
    let present = Dictionary(uniqueKeysWithValues: members.map { ($0.id, $0) })
    let steps = Dictionary(uniqueKeysWithValues: difference.entries.map { ($0.id, $0.step) })
    let files = next.files
    var renewed: Set<String> = []
    for plan in next.nodes {
      if let member = present[plan.id] {
        let isChanged = steps[plan.id] != .kept || plan.inputs.contains { renewed.contains($0.from) }
        let old = member.plan
        let canStay = plan.emitsLike(old) && plan.takesLike(old) && plan.inputs.isEmpty == old.inputs.isEmpty && !member.hasEnded
        if !isChanged || canStay {
          stays.append((member, plan))
          if steps[plan.id] == .replaced { replacements.append(plan) }
          continue
        }
      }
      let member = pipeline.makeMember(plan, files: files, isOnTrial: true) { plan.inputs.isEmpty ? [] : nil }
      coming.append(member)
      renewed.insert(plan.id)
      topics[plan.id] = member.slot.output
    }
    findParts(members)
  }

  /// Finds the affected components: those that leave, those whose inputs change, and the processors whose readers change, with those
  /// upstream of them.
  private mutating func findParts(_ members: [Member]) {
    let plans = Dictionary(uniqueKeysWithValues: stays.map { ($0.member.number, $0.plan) })
    var concerned: Set<Int> = []
    /// The topics that lose, gain or pause readers.
    var cut: [any AnyTopic] = []
    for member in members {
      guard let plan = plans[member.number] else {
        concerned.insert(member.number)
        cut += member.slot.ports.map(\.inlet.source)
        continue
      }
      let ports = member.slot.ports
      let wanted = plan.inputs.compactMap { topics[$0.from] }
      let isSame =
        ports.count == plan.inputs.count
        && zip(ports, zip(wanted, plan.inputs)).allSatisfy { $0.inlet.source === $1.0 && $0.inlet.options == $1.1.options }
      if isSame || member.hasEnded { continue }
      concerned.insert(member.number)
      cut += ports.map(\.inlet.source).filter { source in !wanted.contains { $0 === source } }
      cut += wanted.filter { topic in !ports.contains { $0.inlet.source === topic } }
    }
    cut += coming.flatMap { $0.plan.inputs.compactMap { topics[$0.from] } }
    // From downstream to upstream, so that each is checked after all its readers.
    for member in members.reversed() where member.plan.blueprint.kind == .processor && !member.hasEnded {
      guard let output = member.slot.output, cut.contains(where: { $0 === output }) else { continue }
      concerned.insert(member.number)
      cut += member.slot.ports.map(\.inlet.source)
    }
    for member in members where concerned.contains(member.number) {
      let plan = plans[member.number]
      let wanted = plan?.inputs.compactMap { topics[$0.from] } ?? []
      let inlets = member.slot.ports.map(\.inlet)
      let ending = inlets.filter { inlet in !wanted.contains { $0 === inlet.source } }
      // A reader without back-pressure cannot pause: it would miss the events published meanwhile.
      let pausing = inlets.filter { inlet in inlet.options.overflow == .block && wanted.contains { $0 === inlet.source } }
      parts.append(Part(member: member, plan: plan, ending: ending, pausing: pausing, rest: Countdown(ending.count + pausing.count)))
    }
  }

  private var patience: Duration { pipeline.settings.drainDeadline }
  private var leaving: [Member] { parts.filter { $0.plan == nil }.map(\.member) }

  /// The slots whose inputs change, with their plans.
  private var readers: [(slot: Slot, plan: PlannedNode)] {
    parts.compactMap { part in part.plan.map { (part.member.slot, $0) } } + coming.map { ($0.slot, $0.plan) }
  }

  private func hasEnded(_ member: Member) -> Bool { pipeline.member(member.number)?.hasEnded ?? true }

  // MARK: What can fail

  /// Starts the new components, which wait for their inputs, and replaces those with other options.
  mutating func start() async throws(ChangeError) {
    if next.nodes.contains(where: \.worksWithTime) { pipeline.watermarkClock.use() }
    // The readers of a new topic attach before anything is published on it, so they get its first event.
    for (slot, plan) in readers {
      for input in plan.inputs {
        guard let topic = topics[input.from], coming.contains(where: { $0.slot.output === topic }) else { continue }
        let reader = slot.newReader(input.options)
        let inlet = topic.attachReader(reader.parker, options: reader.options, waiting: nil)
        inlet.hold()
        slot.adopt(inlet)
      }
    }
    pipeline.announce(coming)
    if !coming.isEmpty { try await tryComing() }
    for plan in replacements {
      guard let old = pipeline.member(plan.id)?.plan else { continue }
      try await pipeline.exchange(plan.reading(old.inputs))
      replaced.append(old)
    }
  }

  private func tryComing() async throws(ChangeError) {
    let trial = Trial(coming)
    if !pipeline.changes.post(.start(trial)) { throw ChangeError("the run is over") }
    if await !wait(for: [trial.over]) {
      let late = coming.filter { pipeline.member($0.number)?.hasStarted == false }.map { "'\($0.id)'" }
      throw ChangeError("\(late.joined(separator: ", ")) has not started within \(patience.optionText)")
    }
    if let reason = trial.failure { throw ChangeError(reason) }
  }

  /// Halts the components between two batches. Upstream first: one whose output is not read may not reach the end of its batch.
  mutating func halt() async throws(ChangeError) {
    for part in parts where !part.member.slot.isPureSource && !hasEnded(part.member) {
      halted.append(part.member)
      if await halt(part.member, leaves: part.plan == nil) || part.plan == nil || !part.member.slot.withdraw() { continue }
      throw ChangeError("'\(part.member.id)' has not stopped for the change within \(patience.optionText)")
    }
  }

  /// Returns false if the component has not reached the end of its batch in time; it is halted nevertheless.
  ///
  /// A leaving component may be in the middle of its last batch: no more events are handed to it, so the others do not wait for it, however
  /// long that batch takes.
  private func halt(_ member: Member, leaves: Bool) async -> Bool {
    let reached = Latch()
    let slot = member.slot
    slot.halt { reached.fire() }
    if leaves {
      // A component is between two batches for a moment only; one that has not started yet is waited for below.
      for _ in 0..<1000 where !reached.hasFired {
        if slot.isInLastBatch { return true }
        await Task.yield()
      }
    }
    return await wait(for: [reached, member.end])
  }

  /// Undoes everything so far; returns what could not be undone.
  mutating func abandon() async -> [String] {
    var consequences: [String] = []
    for member in halted { member.slot.resume() }
    for plan in replaced.reversed() {
      do throws(ChangeError) { try await pipeline.exchange(plan) } catch {
        pipeline.logger.error("\(plan.id) could not be changed back: \(error)")
        consequences.append(error.consequence ?? "'\(plan.id)' could not be changed back: \(error)")
      }
    }
    for (slot, _) in readers { slot.disown() }
    for member in coming { member.slot.refuse() }
    dismiss(coming)
    for member in coming where pipeline.member(member.number)?.isRunning == true { await end(member) }
    pipeline.withdrawComing()
    return consequences
  }

  // MARK: The cut

  /// Cuts the topics of the sources and of the run. All further steps follow from this.
  mutating func cut() {
    for part in parts {
      let rest = part.rest
      for inlet in part.ending + part.pausing { inlet.whenDone { rest.count() } }
      if part.plan != nil { part.member.slot.awaitInputs() }
    }
    // The other topics are cut when their writers have reached the cut.
    let later = parts.filter { !$0.isLive || $0.plan == nil }.compactMap(\.member.slot.output)
    for topic in pipeline.topics.values where !later.contains(where: { $0 === topic }) { cut(topic) }
    pipeline.rearrange(next)
    pipeline.notices.change(to: next)
    for stay in stays { pipeline.update(stay.member.number) { $0.plan = stay.plan } }
    dismiss(leaving)
    for member in coming { member.slot.join() }
    for member in halted { member.slot.resume() }
  }

  /// Cuts a topic between two events. The readers that end or pause there are halted.
  private func cut(_ topic: any AnyTopic) {
    let ending = parts.flatMap(\.ending).filter { $0.source === topic }
    let pausing = parts.flatMap(\.pausing).filter { $0.source === topic }
    var slots: [Slot] = []
    var new: [NewReader] = []
    for (slot, plan) in readers where !(slot.ports + slot.arrivingPorts).contains(where: { $0.inlet.source === topic }) {
      for input in plan.inputs where topics[input.from] === topic {
        slots.append(slot)
        new.append(slot.newReader(input.options))
      }
    }
    if ending.isEmpty, pausing.isEmpty, slots.isEmpty { return }
    for (slot, inlet) in zip(slots, topic.cut(ending: ending, pausing: pausing, beginning: new)) { slot.adopt(inlet) }
  }

  // MARK: What follows

  /// Lets every component finish the events before the cut, cuts its output there, and gives it its new inputs; upstream first. There is no
  /// time limit: nothing may overtake the events that are still in flight.
  ///
  /// Components without readers are left to the end, so that a hanging sink delays no other component.
  func finish() async {
    for part in parts {
      if let plan = part.plan {
        if part.rest.isPending { await firstOf([part.rest.over, part.member.end]) }
        if !part.isLive { await cutOutput(of: part.member) }
        await rewire(part.member, plan)
      } else if part.member.slot.output != nil {
        await end(part.member)
        await cutOutput(of: part.member)
      }
    }
    for member in coming { await rewire(member, member.plan) }
    await withTaskGroup(of: Void.self) { group in
      for member in leaving where member.slot.output == nil { group.addTask { await end(member) } }
    }
    pipeline.release(leaving)
  }

  /// Cuts a topic that has no writer now.
  private func cutOutput(of member: Member) async {
    guard let topic = member.slot.output else { return }
    let readers = parts.filter { ($0.ending + $0.pausing).contains { $0.source === topic } && !hasEnded($0.member) }.map(\.member)
    for reader in readers { _ = await halt(reader, leaves: parts.contains { $0.member.number == reader.number && $0.plan == nil }) }
    cut(topic)
    for reader in readers { reader.slot.resume() }
  }

  private func rewire(_ member: Member, _ plan: PlannedNode) async {
    if member.slot.isPureSource { return }
    if !hasEnded(member) {
      let edges = plan.inputs.compactMap { input in topics[input.from].map { Edge($0, options: input.options) } }
      let done = Latch()
      member.slot.rewire(edges) { done.fire() }
      if await !wait(for: [done, member.end]) {
        pipeline.logger.error(
          "\(member.id) has not switched to its new inputs within \(patience.optionText); it will do so after its batch")
      }
    }
    if hasEnded(member) { member.slot.disown() }
  }

  /// Asks components to end: sources as in a graceful stop, new ones that wait for their inputs. All others end with their inputs.
  private func dismiss(_ members: [Member]) {
    for member in members {
      member.slot.endWaitingForInputs()
      member.demand.update { $0.leave() }
    }
  }

  /// Waits for the end of a component that leaves; cuts it off if it takes too long.
  private func end(_ member: Member) async {
    if !member.slot.isOccupied { member.demand.update { $0.leave(atOnce: true) } }
    if await wait(for: [member.end]) { return }
    pipeline.logger.error("\(member.id) has not ended within \(patience.optionText); it is cut off")
    member.slot.cutOff()
    if await !wait(for: [member.end]) { pipeline.logger.error("\(member.id) still does not end") }
  }

  // MARK: Waiting

  /// Waits until one of these latches has fired, up to a limit; returns false if none has.
  private func wait(for latches: [Latch]) async -> Bool {
    await firstOf(latches, within: patience, pipeline.clock)
  }
}

/// Counts down to the end of several inputs.
private final class Countdown: Sendable {
  /// Fires when the count reaches 0.
  let over = Latch()
  private let left: Guarded<Int>

  init(_ count: Int) { left = Guarded(count) }

  var isPending: Bool { left.withLock { $0 } > 0 }

  func count() {
    let isOver = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isOver { over.fire() }
  }
}
