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
    /// `byItself` is true if neither the run nor a change of it has requested that.
    case ended(RunReport.Fate.Outcome, byItself: Bool)
  }

  /// Whether a component belongs to the run.
  enum Standing: Sendable {
    /// It does, or will with a change.
    case member
    /// A change has removed it from the run, and nothing more is published for it.
    case left
    /// The change that was to add it was refused. It is in no report, whatever it has done until its end.
    case refused
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
  var standing = Standing.member
  /// True once an instance has started, with whichever plan.
  var hasStarted = false
  /// The number of instances under supervisors that have ended.
  var lives = 0
  /// Fires when the first attempt to start is over.
  let ready = Latch()
  /// What changes of the run ask of its supervisor.
  let demand = WaitableValue(Demand.nothing)
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

  var outcome: RunReport.Fate.Outcome? { if case .ended(let outcome, _) = phase { outcome } else { nil } }
  var hasEnded: Bool { outcome != nil }
  /// True if nothing about the component can change any more.
  var isPast: Bool { standing != .member && hasEnded }
  var hasEndedByItself: Bool { if case .ended(_, byItself: true) = phase { true } else { false } }
  /// True if the run has started and the component has not ended.
  var isRunning: Bool { phase != .planned && !hasEnded }
  /// True for a source without inputs, which a graceful stop ends.
  var isPureSource: Bool { slot.isPureSource }

  var fate: RunReport.Fate? { outcome.map { RunReport.Fate(id: id, lives: lives, outcome: $0) } }
}

/// What changes of the run ask of a component's supervisor, until another plan continues.
enum Demand: Sendable, Equatable {
  case nothing
  /// To hand over to another plan.
  case handOver
  /// To end: a source as in a graceful stop, any other component with its inputs. `atOnce`: without pauses between attempts.
  case leave(atOnce: Bool)

  var isToLeave: Bool { if case .leave = self { true } else { false } }
  var endsPauses: Bool { self == .handOver || self == .leave(atOnce: true) }

  /// A component that is to leave hands over to nobody.
  mutating func handOver() { if !isToLeave { self = .handOver } }
  mutating func leave(atOnce: Bool = false) { self = .leave(atOnce: atOnce || endsPauses) }
  /// Another plan continues.
  mutating func handedOver() { if !isToLeave { self = .nothing } }
}
