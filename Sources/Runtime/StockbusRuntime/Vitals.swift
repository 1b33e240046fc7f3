internal import StockbusPlugin

/// The state of the instances of one component. Its supervisors write it; health and status read it.
final class Vitals: Sendable {
  struct Reading: Sendable, Hashable {
    /// How many instances were started.
    var attempts = 0
    /// The error of the last instance that has failed.
    var lastError: String?
    /// Why the present instance cannot work, as it reports itself.
    var trouble: String?
    /// A description of the standstill if the component seems to hang; see `StallWatch`.
    var standstill: String?
    /// The number of events published or finished at the last failure; nil if no instance follows.
    var progress: Int?
    /// True while the next attempt is put off.
    var isPausing = false

    /// Why the component is or was degraded.
    var reason: String? { hasFailedForGood ? lastError : trouble ?? standstill ?? lastError }
    private var hasFailedForGood: Bool { lastError != nil && progress == nil }
  }

  private let state = Guarded(Reading())
  /// Called after each change.
  private let changed: @Sendable () -> Void

  init(changed: @escaping @Sendable () -> Void = {}) { self.changed = changed }

  var reading: Reading { state.withLock { $0 } }

  func begin() {
    state.withLock { state in
      state.attempts += 1
      state.isPausing = false
      state.trouble = nil
      state.standstill = nil
    }
    changed()
  }

  func fail(_ error: String, progress: Int?) {
    state.withLock { state in
      state.lastError = error
      state.progress = progress
      // A degraded component stays degraded until it counts as failed.
      if progress == nil { return }
      state.trouble = nil
      state.standstill = nil
    }
    changed()
  }

  /// Sets the trouble that the present instance reports; nil if it works.
  func report(_ trouble: String?) {
    let isNews = state.withLock { state in
      defer { state.trouble = trouble }
      return state.trouble != trouble
    }
    if isNews { changed() }
  }

  /// Sets the standstill of a component that seems to hang; nil if it does not any more. Returns false if nothing has changed.
  @discardableResult
  func stand(_ standstill: String?) -> Bool {
    let isNews = state.withLock { state in
      defer { state.standstill = standstill }
      return state.standstill != standstill
    }
    if isNews { changed() }
    return isNews
  }

  func pause() {
    state.withLock { $0.isPausing = true }
    changed()
  }
}

extension Slot {
  /// Events that were published or finished, in any way: while this number grows, the component does not hang.
  var progressMade: Int { workDone + ports.reduce(0) { $0 + $1.counts.deadLettered } }

  /// Events that were published, delivered or filtered.
  var workDone: Int {
    ports.reduce(output?.published ?? 0) { sum, port in
      let counts = port.counts
      return sum + counts.delivered + counts.filtered
    }
  }
}
