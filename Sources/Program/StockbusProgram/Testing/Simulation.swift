import LibC
import MarketData
import StockbusFiles
import StockbusPlugin
import StockbusRuntime
import StockbusTerminal
import StockbusTestKit

/// A run under a clock of its own, which moves to the next moment at which something is due as soon as nothing else happens. So an hour takes
/// milliseconds, and what happens at a moment is over before the next one.
///
/// Without time, for configurations with child programs, it is a usual run by the machine's clock.
struct Simulation: Sendable {
  /// How a run was.
  struct Ending {
    /// What the run looked like when the checks wanted to know; nil if it had ended before.
    var snapshots: [RunCheck.Snapshot?]
    /// It waited for something that did not come, and was aborted.
    var isStuck = false
    /// True if somebody wanted it to stop.
    var wasStopped = false
  }

  let pipeline: Pipeline
  /// Where everything has to run that the clock should wait for.
  let executor = WorkerPool.shared
  private let clock: ManualTimekeeper?
  private let script: TestScript
  /// The components whose screens are looked at, and where they show them.
  private let screens: Set<String>
  private let terminal = Terminal.unseen(columns: 120, rows: 54)

  /// Wires a run.
  init(_ plan: TestPlan, logLevel: LogLevel) {
    (script, screens) = (plan.script, plan.screens)
    let clock = script.isTimed ? ManualTimekeeper(start: script.start.moved(by: .zero - TestScript.lead)) : nil
    self.clock = clock
    var calls = SystemCalls()
    if let clock {
      let windows = script.faults.filter { $0.kind == .fullDisk }
      let write = calls.write
      calls.write = { descriptor, bytes, count in
        guard windows.contains(where: { $0.isOn(at: clock.uptime - TestScript.lead) }) else { return write(descriptor, bytes, count) }
        errno = ENOSPC
        return -1
      }
    }
    let zone = plan.topology.settings.displayZone
    pipeline = Pipeline(
      plan.topology, clock: clock ?? SystemTimekeeper(),
      logger: Logger(label: "stockbus") { _ in TestLog(shown: ConsoleLogHandler(logLevel: logLevel.level, zone: zone)) },
      services: Services(plan.topology.instruments, calls, script, terminal, Program.current.archive))
  }

  /// The time since the start of the test at which something happens now; without time, that of the event.
  func moment(of time: Timestamp) -> Duration { clock.map { $0.uptime - TestScript.lead } ?? script.moment(of: time) }

  /// Runs until the sources and everything behind them have ended.
  func run(checks: [RunCheck]) async -> (ending: Ending, report: RunReport) {
    let moments = Guarded(TestMoments(checks, script))
    var watch: Task<Bool, Never>?
    if let clock {
      ActiveJobs.whenIdle {
        // The clock moves on when this has ended, too.
        guard let check = moments.withLock({ $0.moveOn(clock) }) else { return }
        Task(executorPreference: executor) {
          let snapshot = await look()
          moments.withLock { $0.snapshots[check] = snapshot }
        }
      }
      watch = Task { await abortIfStuck(clock) }
    }
    let wasStopped = Guarded(false)
    var report: RunReport?
    // An hour of a test takes no time, so there is nothing to drain.
    await LongCommand.run(
      pipeline,
      interrupted: { [pipeline] in
        wasStopped.withLock { $0 = true }
        pipeline.abort()
      }
    ) { report = $0 }
    guard let report else { preconditionFailure("a run ends with a report") }
    ActiveJobs.whenIdle(nil)
    watch?.cancel()
    let last = await look()
    let found = moments.withLock { $0.snapshots }
    var ending = Ending(snapshots: checks.indices.map { checks[$0].at == nil ? last : found[$0] })
    ending.isStuck = await watch?.value ?? false
    ending.wasStopped = wasStopped.withLock { $0 }
    return (ending, report)
  }

  private func look() async -> RunCheck.Snapshot { await RunCheck.Snapshot(pipeline, terminal, showing: screens) }

  /// Aborts the run if nothing has happened for some seconds and nothing is due. Returns true if it has.
  private func abortIfStuck(_ clock: ManualTimekeeper) async -> Bool {
    var rounds = 0
    while rounds < 10 {
      if (try? await SystemTimekeeper().sleep(for: .milliseconds(500))) == nil { return false }
      rounds = ActiveJobs.isIdle && !clock.hasMore ? rounds + 1 : 0
    }
    pipeline.abort()
    return true
  }
}

/// What a test does at moments of its own.
private struct TestMoments: Sendable {
  private enum Step: Sendable {
    case look(check: Int)
    case set(Duration)
  }

  /// In the order of their times.
  private var steps: [(at: Duration, step: Step)]
  var snapshots: [Int: RunCheck.Snapshot] = [:]

  init(_ checks: [RunCheck], _ script: TestScript) {
    var steps: [(at: Duration, step: Step)] = []
    for fault in script.faults { if case .clock(let step) = fault.kind { steps.append((fault.from + TestScript.lead, .set(step))) } }
    for (number, check) in checks.enumerated() {
      if let at = check.at { steps.append((RunCheck.end(of: at) + TestScript.lead, .look(check: number))) }
    }
    self.steps = steps.sorted { $0.at < $1.at }
  }

  /// Nothing more happens at the present time: moves the clock to the next moment at which something is due. Returns the check for which the
  /// run is to be looked at before.
  mutating func moveOn(_ clock: ManualTimekeeper) -> Int? {
    guard clock.hasMore, let next = clock.nextDeadline else { return nil }
    while let first = steps.first, first.at <= next {
      steps.removeFirst()
      // Not to `next`, where something else happens.
      if first.at > clock.uptime, first.at < next { clock.advance(by: first.at - clock.uptime) }
      switch first.step {
      case .look(let check): return check
      case .set(let step): clock.step(by: step)
      }
    }
    clock.resumeNext()
    return nil
  }
}

extension ManualTimekeeper {
  /// True if something is due, other than what a run does when it does not end.
  fileprivate var hasMore: Bool { nextDeadline.map { $0 - uptime < TestPlan.longest } ?? false }
}

/// Keeps all lines from `info` on, and writes those that are to be shown.
private struct TestLog: LogHandler {
  var shown: ConsoleLogHandler
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata {
    get { shown.metadata }
    set { shown.metadata = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { shown[metadataKey: key] }
    set { shown[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) { if event.level >= shown.logLevel { shown.log(event: event) } }
}
