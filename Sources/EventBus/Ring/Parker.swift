internal import CMemoryBarrier
internal import Synchronization

/// The place where a component sleeps. Any of its inlets, its outlet or its supervisor may end the sleep. A wake-up says that something has
/// changed, not what. That a component is to end is in its `StopToken`, so the next instance can use the same parker.
///
/// The sleeper announces itself where the others check, runs `fence`, checks again, then calls `sleep`. The others make their change
/// visible, check for an announcement, and call `wake`. Documentation/wake-up.md has the proof and its model.
@usableFromInline package final class Parker: Sendable {
  /// How its owner waits before it sleeps.
  @usableFromInline package let waiting: Waiting
  private let state = Guarded(ParkerState<UnsafeContinuation<Void, Never>>())
  private let causes = Guarded([Cause]())
  /// It is on the watch's list, and the watch will check it again.
  private let isNoticed = Atomic(false)

  private struct Cause {
    weak var cause: (any WakeCause)?
  }

  @usableFromInline package init(_ waiting: Waiting) { self.waiting = waiting }

  package convenience init() { self.init(Waiting()) }

  /// Ends the present sleep. If nothing sleeps, the next sleep returns at once.
  @usableFromInline package func wake() { state.withLock { $0.wake() }?.resume() }

  /// To be called between announcing and checking again. Then either this side sees the others' change, or they see the announcement, or
  /// the watch, which checks again later, sees the change.
  package func fence() {
    if let watch = waiting.watch, watch.notice(self) { return }
    stockbus_heavy_barrier()
  }

  /// Suspends until `wake`. It may also return without a reason, so the caller must check again.
  package nonisolated(nonsending) func sleep() async {
    await withUnsafeContinuation { continuation in
      state.withLock { $0.sleep(continuation) }?.resume()
    }
  }

  /// As `sleep`; the cancellation of the task wakes too.
  package nonisolated(nonsending) func sleepCancellably() async {
    await withTaskCancellationHandler {
      await sleep()
    } onCancel: {
      wake()
    }
  }

  // MARK: The watch's side

  /// Registers a cause that may end the owner's sleep, for the watch to check.
  func add(_ cause: any WakeCause) {
    if waiting.watch == nil { return }
    causes.withLock { causes in
      causes.removeAll { $0.cause == nil }
      causes.append(Cause(cause: cause))
    }
  }

  /// Marks the parker as noticed. Returns true if the watch has to put it on its list, false if it is there already.
  ///
  /// The owner's announcement comes before this call, and `endNotice` before the barrier, all sequentially consistent. So when this returns
  /// false, that barrier is still to come.
  package func beginNotice() -> Bool { !isNoticed.exchange(true, ordering: .sequentiallyConsistent) }

  /// Clears the mark when the parker is taken off the list: the next sleep needs another barrier.
  package func endNotice() { isNoticed.store(false, ordering: .sequentiallyConsistent) }

  /// To be called after the barrier: wakes the owner if it has missed a change.
  package func lookAgain() {
    let isUnheard = causes.withLock { causes in
      for cause in causes where cause.cause?.isUnheard == true { return true }
      return false
    }
    if isUnheard { wake() }
  }
}
