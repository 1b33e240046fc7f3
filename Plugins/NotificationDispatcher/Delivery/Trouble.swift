internal import Synchronization

/// Why a channel's attempts fail, as texts without secrets. Attempts are made outside of the dispatcher's isolation, hence the lock.
final class Trouble: Sendable {
  private struct State {
    var present: String?
    var last: String?
  }

  private let state = Mutex(State())

  /// Records why an attempt failed; returns true if the attempt before succeeded or failed for another reason, so that it should be logged.
  func note(_ reason: String) -> Bool {
    state.withLock { state in
      let isNew = state.present != reason
      state = State(present: reason, last: reason)
      return isNew
    }
  }

  /// Records a successful delivery.
  func end() { state.withLock { $0.present = nil } }

  /// Why the last attempt failed; nil if it succeeded.
  var present: String? { state.withLock { $0.present } }

  /// The reason of the last attempt that failed.
  var last: String? { state.withLock { $0.last } }
}
