internal import StockbusConfig
internal import StockbusPlugin

/// One component of a run: its plan, its slot, and its phase. It stays after the component has ended, until it has also left the run.
struct Member: Sendable {
  /// The phase of a component.
  enum Phase: Sendable, Equatable {
    /// The run has not started.
    case planned
    /// No instance of its plan has started yet.
    case starting
    /// Instances run, one after another if they fail.
    case running
    /// The instance is to make room for one with other options, or to take other inputs.
    case quiescing
    case ended(RunReport.Fate.Outcome)
  }

  /// Distinguishes the component from all others of the run, including former ones of the same name.
  let number: Int
  /// The present plan; a change replaces it.
  var plan: PlannedNode
  let slot: Slot
  let counters: CounterRegistry
  /// Runs its tasks; nil if they run on Swift's pool.
  let executor: ComponentExecutor?
  let vitals: Vitals
  var phase = Phase.planned
  /// True once an instance has started.
  var hasStarted = false
  /// True if the component has ended although neither the run nor a change of it has requested that.
  var hasEndedByItself = false
  /// True if the change that added the component was refused. It is then in no report, whatever it has done until its end.
  var isRefused = false
  /// True once a change has removed the component from the run, and nothing more is published for it.
  var hasLeft = false
  /// The number of instances under supervisors that have ended.
  var lives = 0
  /// Fires when the first attempt to start is over.
  let ready = Latch()
  /// Fires when the present supervisor must hand over.
  var leave = Latch()

  /// Fires when a source must end because it has left the run.
  let dismissal = Latch()
  /// Fires when the component has ended.
  let end = Latch()

  init(number: Int, plan: PlannedNode, slot: Slot, counters: CounterRegistry, vitals: Vitals, executor: ComponentExecutor?) {
    self.number = number
    self.plan = plan
    self.slot = slot
    self.counters = counters
    self.vitals = vitals
    self.executor = executor
  }

  var id: String { plan.id }

  var outcome: RunReport.Fate.Outcome? { if case .ended(let outcome) = phase { outcome } else { nil } }
  var hasEnded: Bool { outcome != nil }
  /// True if nothing about the component can change any more.
  var isPast: Bool { hasLeft && hasEnded }
  /// True if the run has started and the component has not ended.
  var isRunning: Bool { phase != .planned && !hasEnded }
  /// True for a source without inputs, which a graceful stop ends.
  var isPureSource: Bool { slot.isPureSource }

  var fate: RunReport.Fate? { outcome.map { RunReport.Fate(id: id, lives: lives, outcome: $0) } }
}
