internal import EventBus
internal import StockbusConfig
internal import StockbusPlugin

/// One component of a run: its plan, its slot, and where it stands. It stays when it has ended, for the ledger.
struct Member: Sendable {
  /// Where a component stands.
  enum Phase: Sendable, Equatable {
    /// Nothing runs yet.
    case planned
    /// An instance is being started for the first time.
    case starting
    /// Instances run, one after the other where they fail.
    case running
    /// The instance is asked to make room for one with other options, or to take other inputs.
    case quiescing
    case ended(RunReport.Fate.Outcome)
  }

  /// What it is made of now; a change puts another plan here.
  var plan: PlannedNode
  let slot: Slot
  let counters: CounterRegistry
  var phase = Phase.planned
  /// Instances so far.
  var lives = 0
  /// Fires when the first attempt to start is over.
  let ready = Latch()
  /// Fires when the present supervisor is to leave.
  var leave = Latch()

  init(plan: PlannedNode, slot: Slot, counters: CounterRegistry) {
    self.plan = plan
    self.slot = slot
    self.counters = counters
  }

  var id: String { plan.id }

  var outcome: RunReport.Fate.Outcome? { if case .ended(let outcome) = phase { outcome } else { nil } }
  var hasEnded: Bool { outcome != nil }
  /// It belongs to a run that goes on, and has not ended.
  var isRunning: Bool { phase != .planned && !hasEnded }
  /// It makes events of nothing: a graceful stop ends it.
  var isPureSource: Bool { slot.ports.isEmpty }

  var fate: RunReport.Fate? { outcome.map { RunReport.Fate(id: id, lives: lives, outcome: $0) } }

  /// All edges into it, those that were retired first.
  var edges: [RunEdge] { (slot.retiredPorts + slot.ports).map { RunEdge(from: $0.name, to: id, counts: $0.counts) } }
}
