package import StockbusConfig
package import StockbusPlugin

/// A checked topology, wired and run: started in order, supervised, drained, and accounted for.
///
/// Its loop (`PipelineLoop`) is the only owner of the members' phases; all other code reads copies.
package final class Pipeline: Sendable {
  let runLog: RunLog
  let notices: RunTopics
  let settings: RunSettings
  /// The executor of components that park; nil if they spin, as they then run on Swift's pool.
  let pool: WorkerPool?
  package let clock: any Timekeeper
  /// Also keeps the lines for the log page of a viewer.
  package let logger: Logger
  /// Fires once every component has started or ended.
  let startSignal = Latch()
  let stopSignal = Latch()
  let abortSignal = Latch()
  let changes = ChangeQueue()
  /// Lets the watermarks of waiting live sources follow the clock.
  let watermarkClock: WatermarkClock
  let latencyWatch = LatencyWatch()
  let healthNews = HealthPublisher()
  /// Why the run's own configuration was not reloaded; nil if the run works by its present contents.
  let reloadProblem = Guarded(String?.none)
  /// Nil where components that hang are reported to nobody.
  let stallWatch: StallWatch?
  /// The memory that the next run goes on from; nil if nothing outlives the run.
  let keeper: MemoryKeeper?
  /// When components that have not ended are cut off.
  private let end = Guarded(Duration?.none)
  /// What the members have in common.
  private let shared: Context.Shared
  private let state: Guarded<State>
  /// Changes that are being made, of single components and of the whole run.
  let changesUnderway = Guarded((single: 0, hasWhole: false, halt: Latch?.none))

  private struct State {
    /// The topology of which everything but the components holds.
    var topology: Topology
    /// The components, upstream first.
    var members: [Member] = []
    /// Components of a change that has not happened yet.
    var coming: [Member] = []
    /// Components that have left, or are about to, and may still have something to do.
    var former: [Member] = []
    /// What is known of all others that have left.
    var departed = Tally()
    /// The topics of the members and of the run, by name.
    var topics: [String: any AnyTopic]
    /// How many members were made.
    var made = 0
  }

  /// Wires everything without starting it.
  ///
  /// - Parameters:
  ///   - clock: the machine's clock; components get one that never goes back.
  ///   - services: what components find in their contexts, such as the terminal.
  ///   - watchesStalls: looks every few seconds for components that hang, which needs a timer.
  ///   - keeper: what the run before has left, and where this one leaves its own; nil if nothing outlives the run.
  ///   - memory: from what the components go on; nil for what the run before has left.
  ///   - completeSince: from when on its events are complete; nil if all of them are that were received before it.
  package init(
    _ topology: Topology, clock: any Timekeeper = SystemTimekeeper(), logger: Logger, services: Services = Services(),
    watchesStalls: Bool = false, memory keeper: MemoryKeeper? = nil, after memory: RunMemory? = nil, completeSince: Timestamp? = nil
  ) {
    self.keeper = keeper
    let memory = memory ?? keeper?.memory
    stallWatch = watchesStalls ? StallWatch() : nil
    runLog = RunLog(clock)
    let logger = runLog.recording(logger)
    self.logger = logger
    self.clock = SteadyTimekeeper(clock, logger)
    let view = ComponentRunView()
    settings = topology.settings
    notices = RunTopics(topology, logger: logger, stop: stopSignal)
    pool = topology.settings.wait == .park ? WorkerPool.shared : nil
    watermarkClock = WatermarkClock(isUsed: topology.nodes.contains(where: \.worksWithTime))
    var shared = Context.Shared(settings, clock: self.clock, logger: logger, notices: notices)
    (shared.run, shared.waiting) = (view, pool?.parking ?? Waiting(.spin))
    (shared.services, shared.watermarkClock) = (services, watermarkClock)
    (shared.receipts, shared.followsEndedRun) = (keeper?.receipts, keeper?.memory.isOfEndedRun ?? true)
    shared.completeSince = completeSince
    self.shared = shared
    state = Guarded(State(topology: topology, topics: notices.topics))
    for plan in topology.nodes {
      // With a memory the sources begin once it is kept how the run has begun.
      let member = makeMember(plan, files: topology.files, isOnTrial: keeper != nil) { Self.edges(of: plan, topics, after: memory) }
      if let memory { member.slot.context.memory.take(memory.entries(for: plan)) }
      state.withLock { state in
        state.members.append(member)
        state.topics[plan.id] = member.slot.output
      }
    }
    view.show(self)
  }

  /// Makes a component with its slot and its topic.
  ///
  /// - Parameters:
  ///   - isOnTrial: it comes with a change that may still be refused.
  ///   - edges: the inputs; nil if they come later.
  func makeMember(_ plan: PlannedNode, files: RunFiles, isOnTrial: Bool = false, edges: () -> [Edge]?) -> Member {
    let counters = CounterRegistry()
    let busy = BusyTime()
    let vitals = Vitals { [weak self] in self?.noteHealth() }
    var shared = shared
    shared.files = files
    let context = Context(
      id: plan.id, shared, counters: counters, helpers: pool.map { HelperExecutor($0, busy: busy) }, busy: busy
    ) { trouble in vitals.report(trouble) }
    var topic = plan.topic
    topic.waiting = shared.waiting
    let output = plan.blueprint.makeTopic(topic)
    if plan.blueprint.kind == .source, let output { watermarkClock.add(output) }
    let inputs = edges()
    let slot = Slot(
      plan.blueprint.kind, context, inputs: inputs ?? [], output: output, mergesInputs: plan.merge == .received,
      awaitsInputs: inputs == nil, isOnTrial: isOnTrial)
    let number = state.withLock { state in
      state.made += 1
      return state.made
    }
    return Member(
      number: number, plan: plan, slot: slot, counters: counters, vitals: vitals,
      executor: pool.map { ComponentExecutor($0, busy: busy) })
  }

  /// The edges that a plan's inputs name.
  static func edges(of plan: PlannedNode, _ topics: [String: any AnyTopic], after memory: RunMemory? = nil) -> [Edge] {
    let edges = plan.inputs.compactMap { input in
      topics[input.from].map { Edge($0, options: input.options, waiting: memory?.waiting(at: plan, from: input.from)) }
    }
    precondition(edges.count == plan.inputs.count, "a topology lists upstream before downstream")
    return edges
  }

  /// The present components, upstream first.
  var members: [Member] { state.withLock { $0.members } }
  /// Components of a change that has not happened yet.
  var coming: [Member] { state.withLock { $0.coming } }
  /// All components that may have something to do: also those that are leaving, and those that are about to come.
  var everybody: [Member] { state.withLock { $0.former + $0.members + $0.coming } }
  /// Those that have been in the run, also components that have left and may have something to do.
  var presentAndFormer: [Member] { state.withLock { $0.former + $0.members } }
  /// The topics of the present components and of the run, by name.
  var topics: [String: any AnyTopic] { state.withLock { $0.topics } }
  /// The topology of the present components.
  package var topology: Topology { state.withLock { $0.topology.with($0.members.map(\.plan)) } }

  /// The present component of this name.
  func member(_ id: String) -> Member? { members.first { $0.id == id } }
  func member(_ number: Int) -> Member? { everybody.first { $0.number == number } }

  /// Changes a present component; called only by the loop.
  func update(_ id: String, _ change: (inout Member) -> Void) {
    if let number = member(id)?.number { update(number, change) }
  }

  /// Changes a component; called by the loop, by a component that has just started, and by a change of the whole run, which changes its plan and
  /// lets it leave.
  func update(_ number: Int, _ change: (inout Member) -> Void) {
    state.withLock { state in
      for place in state.members.indices where state.members[place].number == number { change(&state.members[place]) }
      for place in state.coming.indices where state.coming[place].number == number { change(&state.coming[place]) }
      for place in state.former.indices where state.former[place].number == number { change(&state.former[place]) }
    }
    noteHealth()
  }

  /// True while components are being replaced, rewired, added or removed.
  var isChanging: Bool { changesUnderway.withLock { $0.single > 0 || $0.hasWhole } }

  /// To be called when a component's state may have changed.
  func noteHealth() { healthNews.look(self) }

  /// Components are about to come.
  func announce(_ coming: [Member]) { state.withLock { $0.coming = coming } }

  /// The change for which components were announced does not happen.
  func withdrawComing() {
    let coming = coming
    for member in coming { update(member.number) { $0.standing = .refused } }
    state.withLock { state in
      // Those that still have to end.
      state.former += state.coming.filter { !$0.hasEnded && $0.hasStarted }
      state.coming = []
    }
    for member in coming { if let output = member.slot.output { watermarkClock.remove(output) } }
    release(coming)
  }

  /// These components have left the run: nothing more is published for them.
  func release(_ members: [Member]) {
    for member in members { update(member.number) { if $0.standing == .member { $0.standing = .left } } }
    forgetDeparted()
  }

  /// Keeps of the components that have left and ended only what the ledger and the report say of them, which cannot change any more.
  /// Everything else goes: slots, topics and their rings.
  func forgetDeparted() {
    // They are returned, so that they go outside the lock: a ring may hold much.
    _ = state.withLock { state in
      let departed = state.former.filter(\.isPast)
      state.former.removeAll(where: \.isPast)
      for member in departed where member.standing != .refused { state.departed.add(member) }
      return departed
    }
  }

  /// The announced components take their places, and those that are not in this topology leave.
  func rearrange(_ topology: Topology) {
    state.withLock { state in
      let coming = state.coming
      var left = state.members
      state.members = topology.nodes.map { plan in
        if let member = coming.first(where: { $0.id == plan.id }) { return member }
        guard let place = left.firstIndex(where: { $0.id == plan.id }) else { preconditionFailure("'\(plan.id)' was not created") }
        return left.remove(at: place)
      }
      state.coming = []
      state.former += left
      for member in left { state.topics[member.id] = nil }
      for member in coming { state.topics[member.id] = member.slot.output }
      state.topology = topology
    }
    noteHealth()
  }

  /// From now on the end of the data is not the end: another run goes on there. Call it before the run.
  package func handOverAtEnd() { for member in members { member.slot.handOverAtEnd() } }

  /// Asks for a graceful stop: sources end, all other components drain. A second call has no effect.
  package func stop() {
    end.withLock { $0 = $0 ?? clock.uptime + settings.drainDeadline }
    if keeper != nil { for member in everybody { member.slot.handOverAtEnd() } }
    stopSignal.fire()
    noteHealth()
  }

  /// When components that have not ended are cut off, or were; nil while no stop has been asked for.
  package var cutOff: Duration? { end.withLock { $0 } }

  /// Ends everything now; waiting events are counted as dropped.
  package func abort() {
    end.withLock { $0 = $0.map { min($0, clock.uptime) } ?? clock.uptime }
    stop()
    abortSignal.fire()
    for member in everybody { member.slot.cutOff() }
    notices.cutOff()
  }

  /// Returns once every component has started or ended, and when the task is cancelled.
  package func waitForStart() async { await startSignal.wait() }

  /// The components of a started run that have not ended.
  package var runningComponents: [String] { everybody.filter(\.isRunning).map(\.id) }

  /// Of these, the ones that the others wait for: they have events, or nobody upstream who may still send one, and are not held up by those
  /// behind them.
  package var lateComponents: [String] {
    let running = everybody.filter(\.isRunning)
    let names = Set(running.map(\.id)).union(RunTopic.allCases.map(\.rawValue))
    let late = running.filter { member in
      member.slot.output?.awaitsRoom != true && (member.waiting > 0 || !member.plan.inputs.contains { names.contains($0.from) })
    }
    return (late.isEmpty ? running : late).map(\.id)
  }

  /// Sends a command to a component.
  package func perform(_ command: Command, on id: String) async throws(CommandError) -> String {
    try await slot(of: id).perform(command)
  }

  /// What a component offers through a door of this type.
  package func door<Offer: Sendable>(_ door: Offer.Type, of id: String) throws(CommandError) -> Offer { try slot(of: id).door(door) }

  private func slot(of id: String) throws(CommandError) -> Slot {
    guard let member = member(id) else { throw .unknownComponent(id, among: members.map(\.id)) }
    return member.slot
  }

  /// What a component says of a symbol; empty if it says nothing.
  package func explain(_ symbol: Symbol, last: (any Event)?, by id: String) async -> [Explanation] {
    await member(id)?.slot.explain(symbol, last: last) ?? []
  }

  /// The components that take commands, with their commands.
  package var commands: [(component: String, commands: [CommandInfo])] {
    members.filter { !$0.plan.blueprint.commands.isEmpty }.map { ($0.id, $0.plan.blueprint.commands) }
  }

  /// The running sources that report progress, with the number of events they have published.
  package var progress: [(component: String, progress: Progress, events: Int)] {
    members.filter { $0.isPureSource && $0.counters.progress.done > 0 && $0.isRunning }
      .map { ($0.id, $0.counters.progress, $0.slot.output?.published ?? 0) }
  }

  /// True if a source runs that has not reported how much is still to come, so that the end of the data is not known.
  package var isEndless: Bool {
    members.contains { $0.plan.blueprint.kind == .source && $0.isRunning && $0.isPureSource && $0.counters.progress.total == nil }
  }

  /// What is known of all components that the run has had.
  var tally: Tally {
    var (tally, members) = state.withLock { ($0.departed, $0.former + $0.members + $0.coming) }
    for member in members where member.standing != .refused { tally.add(member) }
    return tally
  }

  /// What has become of every event so far.
  package var ledger: Ledger {
    let tally = tally
    return Ledger(edges: tally.edges, counters: tally.counters + tally.lost + notices.entries, notes: tally.notes)
  }

  /// The present sources that gave no event, although they have ended by themselves, have set aside what came, or were never connected. One
  /// that was stopped before anything came is none of them.
  var emptySources: [RunReport.EmptySource] {
    members.compactMap { member in
      guard member.plan.blueprint.kind == .source, member.outcome == .completed, member.slot.output?.published == 0 else { return nil }
      let (obstacle, letters) = (notices.obstacle(of: member.id), notices.letters.counts[member.id] ?? 0)
      // One with inputs ends with them.
      let hasEndedByItself = member.hasEndedByItself && member.isPureSource
      if !hasEndedByItself, obstacle == nil, letters == 0 { return nil }
      return RunReport.EmptySource(
        id: member.id, deadLetters: letters, firstReason: notices.firstReason(of: member.id), obstacle: obstacle)
    }
  }

  /// Runs until all components have ended, at the end of their data or after a stop. Cancelling the task aborts.
  ///
  /// `overdue` is called when the drain deadline has passed and late components have been cut off. A component that waits for something
  /// that never comes may still keep the run from returning; then only ending the process helps.
  package func run(overdue: @escaping @Sendable (Pipeline) -> Void = { _ in }) async -> RunReport {
    for member in members { update(member.id) { $0.phase = .starting } }
    return await withTaskCancellationHandler {
      // Parked components are best woken on the worker that woke them; spinning ones are best on cores of their own.
      await withTaskExecutorPreference(pool) {
        var loop = PipelineLoop(self, overdue: overdue)
        return await loop.run()
      }
    } onCancel: {
      abort()
    }
  }
}
