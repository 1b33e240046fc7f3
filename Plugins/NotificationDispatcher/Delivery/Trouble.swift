internal import Synchronization

/// Why a channel's attempts fail, in words without a secret. Attempts are made outside of the dispatcher's isolation, hence the lock.
final class Trouble: Sendable {
  private struct State {
    var present: String?
    var last: String?
  }

  private let state = Mutex(State())

  /// Notes why an attempt failed; true where the attempt before succeeded or failed for another reason, so that it is worth saying.
  func note(_ reason: String) -> Bool {
    state.withLock { state in
      let isNew = state.present != reason
      state = State(present: reason, last: reason)
      return isNew
    }
  }

  /// Notes that an alert arrived.
  func end() { state.withLock { $0.present = nil } }

  /// Why the last attempt failed; nil where it did not.
  var present: String? { state.withLock { $0.present } }

  /// Why the last attempt failed that did.
  var last: String? { state.withLock { $0.last } }
}
