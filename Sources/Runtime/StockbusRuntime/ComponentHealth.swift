package import StockbusPlugin

/// The state of one component of a run, for people and for monitoring.
package struct ComponentHealth: Sendable, Hashable {
  package let id: String
  package let state: Health.State
  /// How many instances were started.
  package let attempts: Int
  /// Why the component cannot work at present, that it seems to hang, or the last failure of an instance; nil if there is no error.
  package let lastError: String?
  /// The time that the component has spent on a processor, or with a thread to itself; nil if that is not counted, as on Swift's pool.
  package let busy: Duration?

  /// `kept is degraded: the disk is full`.
  var sentence: String {
    let why = lastError.map { ": \(visible($0, limit: 500))" } ?? ""
    return "\(id) is \(state.fieldName.replacing("_", with: " "))\(why)"
  }
}

extension Pipeline {
  /// The states of the present components, upstream first.
  package var health: [ComponentHealth] {
    let isStopping = stopSignal.hasFired
    return members.map { member in
      let vitals = member.vitals.reading
      return ComponentHealth(
        id: member.id, state: member.state(vitals, isStopping: isStopping), attempts: vitals.attempts, lastError: vitals.reason,
        busy: member.executor == nil ? nil : member.slot.context.busy.total)
    }
  }

  /// The latencies of events so far, by samples; see `LatencyWatch`.
  package var latencies: LatencyWatch.Reading { latencyWatch.ask(clock) }

  /// The topic of a component or of the run, by its name; nil for a sink, and for unknown names.
  package func topic(_ name: String) -> (any AnyTopic)? { topics[name] }

  /// True once a stop has been asked for.
  package var isStopping: Bool { stopSignal.hasFired }
}

extension Pipeline {
  /// Why the run is degraded.
  package func reasons(_ health: [ComponentHealth]) -> [String] {
    (isStopping ? ["the run is stopping"] : []) + health.filter { !$0.state.isGood }.map(\.sentence)
  }
}

extension Member {
  func state(_ vitals: Vitals.Reading, isStopping: Bool) -> Health.State {
    switch phase {
    case .planned: return .planned
    case .ended(.failed, _): return .failed
    case .ended(.cancelled, _): return .cutOff
    case .ended(.completed, _), .ended(.unread, _): return .ended
    case .quiescing: return .changing
    case .starting, .running: break
    }
    if vitals.isPausing { return .backingOff }
    if phase == .starting { return .starting }
    if vitals.trouble != nil || vitals.standstill != nil { return .degraded }
    if vitals.lastError != nil, slot.progressMade == vitals.progress { return .degraded }
    return isStopping ? .draining : .running
  }
}
