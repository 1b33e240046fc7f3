public import StockbusPlugin
internal import Synchronization

/// A place to wait for something to change: whoever changes it rings.
///
/// ```swift
/// while window.isFull {
///   let heard = bell.rings       // first, so that no ring is missed
///   …look…
///   await bell.wait(after: heard)
///   try Task.checkCancellation()
/// }
/// ```
public final class Bell: Sendable {
  private struct State {
    var rings = 0
    var nextKey = 0
    var waiters: [(key: Int, continuation: UnsafeContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  public init() {}

  /// How often it has rung.
  public var rings: Int { state.withLock { $0.rings } }

  /// Wakes everybody who waits.
  public func ring() {
    let woken = state.withLock { state in
      state.rings &+= 1
      if state.waiters.isEmpty { return [] as [(key: Int, continuation: UnsafeContinuation<Void, Never>)] }
      defer { state.waiters.removeAll(keepingCapacity: true) }
      return state.waiters
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  /// Returns at once where it has rung since `rings` was `heard`, otherwise at the next ring, or when the task is cancelled.
  public nonisolated(nonsending) func wait(after heard: Int) async {
    let key = state.withLock { state in
      state.nextKey &+= 1
      return state.nextKey
    }
    await withTaskCancellationHandler {
      // Resumed exactly once: by whoever takes it out of the list under the lock.
      await withUnsafeContinuation { continuation in
        let isOver = state.withLock { state in
          if state.rings != heard || Task.isCancelled { return true }
          state.waiters.append((key, continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.key == key }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume()
    }
  }
}

extension Bell {
  /// Waits while `condition` holds, looking again at every ring; until `deadline`, or the task is cancelled.
  public nonisolated(nonsending) func wait(until deadline: Duration, _ clock: any Timekeeper, while condition: () -> Bool) async {
    // Unstructured only in form: awaited below. It rings when the time is over.
    let alarm = Task {
      do { try await clock.sleep(until: deadline) } catch { return }
      self.ring()
    }
    while !Task.isCancelled {
      let heard = rings
      if !condition() || clock.uptime >= deadline { break }
      await wait(after: heard)
    }
    alarm.cancel()
    await alarm.value
  }
}
