internal import EventBus
package import Logging
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
  let clock: any Timekeeper
  let logger: Logger
  let stopSignal = Latch()
  let abortSignal = Latch()
  let changes = ChangeQueue()
  /// Lets the watermarks of waiting live sources follow the clock.
  let watermarkClock: WatermarkClock
  private let stopAsked = Guarded(Duration?.none)
  private let state: Guarded<[Member]>
  /// The topics of the members and of the run, by name.
  let topics: [String: any AnyTopic]

  /// Wires everything without starting it. `services` are what components find in their contexts, such as the terminal.
  package init(_ topology: Topology, clock: any Timekeeper = SystemTimekeeper(), logger: Logger, services: Services = Services()) {
    self.clock = clock
    runLog = RunLog(clock)
    let logger = runLog.recording(logger)
    self.logger = logger
    let view = ComponentRunView()
    settings = topology.settings
    let notices = RunTopics(topology, logger: logger)
    self.notices = notices
    var topics = notices.topics
    let pool = topology.settings.wait == .park ? WorkerPool.shared : nil
    self.pool = pool
    let waiting = pool?.parking ?? Waiting(.spin)
    let zone = topology.settings.displayZone
    let files = topology.files
    let watermarkClock = WatermarkClock(isUsed: topology.nodes.contains { $0.blueprint.isTimed || $0.merge == .received })
    self.watermarkClock = watermarkClock
    state = Guarded(
      topology.nodes.map { plan in
        var own = logger
        own[metadataKey: "component"] = "\(plan.id)"
        let counters = CounterRegistry()
        let context = Context(
          id: plan.id, clock: clock, logger: own, runSeed: UInt64(bitPattern: Int64(topology.settings.seed)), counters: counters,
          notices: notices, run: view, waiting: waiting, helpers: pool == nil ? nil : HelperExecutor.shared,
          symbolLimit: topology.settings.symbolsPerSource, zone: zone, files: files, services: services,
          watermarkClock: watermarkClock)
        var topic = plan.topic
        topic.waiting = waiting
        let output = plan.blueprint.makeTopic(topic)
        topics[plan.id] = output
        let edges = Self.edges(of: plan, topics)
        let slot = Slot(plan.blueprint.kind, context, inputs: edges, output: output, mergesInputs: plan.merge == .received)
        return Member(plan: plan, slot: slot, counters: counters)
      })
    self.topics = topics
    view.show(self)
  }

  /// The edges that a plan's inputs name.
  static func edges(of plan: PlannedNode, _ topics: [String: any AnyTopic]) -> [Edge] {
    let edges = plan.inputs.compactMap { input in topics[input.from].map { Edge($0, options: input.options) } }
    precondition(edges.count == plan.inputs.count, "a topology lists upstream before downstream")
    return edges
  }

  /// The components, upstream first.
  var members: [Member] { state.withLock { $0 } }

  func member(_ id: String) -> Member? { members.first { $0.id == id } }

  /// Changes a member; called only by the loop.
  func update(_ id: String, _ change: (inout Member) -> Void) {
    state.withLock { members in
      guard let place = members.firstIndex(where: { $0.id == id }) else { return }
      change(&members[place])
    }
  }

  /// Asks for a graceful stop: sources end, all other components drain. A second call has no effect.
  package func stop() {
    stopAsked.withLock { $0 = $0 ?? clock.uptime }
    stopSignal.fire()
  }

  /// When components that have not ended are cut off; nil while no stop has been asked for.
  package var cutOff: Duration? { stopAsked.withLock { $0 }.map { $0 + settings.drainDeadline } }

  /// Ends everything now; waiting events are counted as dropped.
  package func abort() {
    stop()
    abortSignal.fire()
    for member in members { member.slot.cutOff() }
    notices.cutOff()
  }

  /// The components of a started run that have not ended.
  package var runningComponents: [String] { members.filter(\.isRunning).map(\.id) }

  /// Sends a command to a component.
  package func perform(_ command: Command, on id: String) async throws(CommandError) -> String {
    guard let member = member(id) else { throw .unknownComponent(id, among: members.map(\.id)) }
    return try await member.slot.perform(command)
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

  /// What has become of every event so far.
  package var ledger: Ledger {
    let members = members
    var counters = members.flatMap { member in
      member.counters.entries.map { Ledger.Entry(component: member.id, name: $0.name, total: $0.counter.total) }
    }
    for member in members where member.counters.lost.total > 0 {
      counters.append(Ledger.Entry(component: member.id, name: Ledger.lost, total: member.counters.lost.total))
    }
    counters += notices.entries
    let notes = members.flatMap { member in member.counters.notes.map { Ledger.Note(component: member.id, text: $0) } }
    return Ledger(edges: edges, counters: counters, notes: notes)
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
