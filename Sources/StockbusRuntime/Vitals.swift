internal import EventBus
internal import StockbusPlugin

/// How the instances of one component fare. Its supervisors write it, and whoever asks about the run reads it.
final class Vitals: Sendable {
  struct Reading: Sendable, Hashable {
    /// How many instances were started.
    var attempts = 0
    /// Why the last instance that failed has failed.
    var lastError: String?
    /// What had been published or finished by then.
    var progress = 0
    /// True while the next attempt is put off.
    var isPausing = false
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
    }
    changed()
  }

  func fail(_ error: String, progress: Int) {
    state.withLock { state in
      state.lastError = error
      state.progress = progress
    }
    changed()
  }

  func pause() {
    state.withLock { $0.isPausing = true }
    changed()
  }
}

extension Slot {
  /// Events that were published or finished, in any way.
  var progressMade: Int {
    ports.reduce(output?.published ?? 0) { sum, port in
      let counts = port.counts
      return sum + counts.delivered + counts.filtered + counts.deadLettered
    }
  }
}
