internal import Synchronization

/// Fires once; everybody who waits, or comes later, goes on.
final class Latch: Sendable {
  private struct State {
    var hasFired = false
    var nextKey = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  var hasFired: Bool { state.withLock { $0.hasFired } }

  func fire() {
    let waiting = state.withLock { state in
      state.hasFired = true
      defer { state.waiting = [:] }
      return state.waiting.values.map { $0 }
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when it has fired or when the task is cancelled.
  func wait() async {
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.hasFired || Task.isCancelled { return true }
          state.waiting[key] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: key) }?.resume()
    }
  }
}
