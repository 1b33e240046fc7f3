internal import EventBus
internal import StockbusPlugin

/// How the instances of one component fare. Its supervisors write it, and whoever asks about the run reads it.
final class Vitals: Sendable {
  struct Reading: Sendable, Hashable {
    /// How many instances were started.
    var attempts = 0
    /// Why the last instance that failed has failed.
    var lastError: String?
    /// Why the present instance cannot do its work, as it says itself.
    var trouble: String?
    /// What is known of it if it seems to hang; see `StallWatch`.
    var standstill: String?
    /// What had been published or finished by then; nil if no instance follows.
    var progress: Int?
    /// True while the next attempt is put off.
    var isPausing = false

    /// Why the component is not as it should be, or was not.
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
      // One that was degraded stays so until it counts as failed.
      if progress == nil { return }
      state.trouble = nil
      state.standstill = nil
    }
    changed()
  }

  /// What the present instance says of itself; nil: it does its work.
  func report(_ trouble: String?) {
    let isNews = state.withLock { state in
      defer { state.trouble = trouble }
      return state.trouble != trouble
    }
    if isNews { changed() }
  }

  /// It seems to hang, or does so no longer: nil. Returns false if that is no news.
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
  /// Events that were published or finished, in any way: while this grows, it does not hang.
  var progressMade: Int { workDone + ports.reduce(0) { $0 + $1.counts.deadLettered } }

  /// Events that were published, delivered or filtered.
  var workDone: Int {
    ports.reduce(output?.published ?? 0) { sum, port in
      let counts = port.counts
      return sum + counts.delivered + counts.filtered
    }
  }
}
