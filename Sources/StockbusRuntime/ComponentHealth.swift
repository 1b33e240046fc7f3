package import EventBus
internal import StockbusPlugin

/// How one component of a run is, for people and for monitoring.
package struct ComponentHealth: Sendable, Hashable {
  package enum State: String, Sendable, Hashable, CaseIterable {
    /// The run has not started.
    case planned
    /// No instance has started yet.
    case starting
    case running
    /// An instance runs, but the one before has failed and nothing was published or finished since.
    case degraded
    /// It has failed, and waits for its next attempt.
    case backingOff = "backing_off"
    /// It makes room for one with other options, or takes other inputs.
    case changing
    /// The run is stopping, and it finishes what waits.
    case draining
    case ended
    /// It has failed more often than it may, and stays out.
    case failed
    /// It was ended before it had finished.
    case cutOff = "cut_off"

    /// True if it does, or has done, what it is there for.
    package var isGood: Bool {
      switch self {
      case .running, .changing, .draining, .ended: true
      case .planned, .starting, .degraded, .backingOff, .failed, .cutOff: false
      }
    }
  }

  package let id: String
  package let state: State
  /// How many instances were started.
  package let attempts: Int
  /// Why an instance has failed last; nil if none has.
  package let lastError: String?
  /// How long it has been on a processor, or had a thread to itself; nil for one whose time is not counted, as it runs on Swift's pool.
  package let busy: Duration?
}

extension Pipeline {
  /// How the present components are, upstream first.
  package var health: [ComponentHealth] {
    let isStopping = stopSignal.hasFired
    return members.map { member in
      let vitals = member.vitals.reading
      return ComponentHealth(
        id: member.id, state: member.state(vitals, isStopping: isStopping), attempts: vitals.attempts, lastError: vitals.lastError,
        busy: member.executor == nil ? nil : member.slot.context.busy.total)
    }
  }

  /// How long events have taken so far, by samples; see `LatencyWatch`.
  package var latencies: LatencyWatch.Reading { latencyWatch.ask(clock) }

  /// The topic of a component or of the run, by its name; nil for a sink, and for what is not there.
  package func topic(_ name: String) -> (any AnyTopic)? { topics[name] }

  /// True once a stop has been asked for.
  package var isStopping: Bool { stopSignal.hasFired }
}

extension Member {
  fileprivate func state(_ vitals: Vitals.Reading, isStopping: Bool) -> ComponentHealth.State {
    switch phase {
    case .planned: return .planned
    case .ended(.failed): return .failed
    case .ended(.cancelled): return .cutOff
    case .ended(.completed), .ended(.unread): return .ended
    case .quiescing: return .changing
    case .starting, .running: break
    }
    if vitals.isPausing { return .backingOff }
    if phase == .starting { return .starting }
    if vitals.lastError != nil, slot.progressMade == vitals.progress { return .degraded }
    return isStopping ? .draining : .running
  }
}
