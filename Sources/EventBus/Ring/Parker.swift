internal import CMemoryBarrier
internal import Synchronization

/// The one sleeping place of a component: any of its inlets, its outlet or its supervisor may end the sleep. It says that there is
/// something to look at, never what: the end of a component is its `StopToken`'s business, so the place may serve the next one.
///
/// The protocol of whoever sleeps: announce it where the others look, run `fence`, look again, then `sleep`. The protocol of the
/// others: make the news visible, look for an announcement, `wake`. See Documentation/wake-up.md for the proof and its model.
public final class Parker: Sendable {
  /// What its owner does before it sleeps.
  public let waiting: Waiting
  private let state = Guarded(ParkerState<UnsafeContinuation<Void, Never>>())
  private let causes = Guarded([Cause]())
  /// The watch will look again.
  private let isNoticed = Atomic(false)

  private struct Cause {
    weak var cause: (any WakeCause)?
  }

  public init(_ waiting: Waiting = Waiting()) { self.waiting = waiting }

  /// Ends the present sleep, or the next one where nobody sleeps now.
  public func wake() { state.withLock { $0.wake() }?.resume() }

  /// Between announcing and looking again: then either we see the others' news or they see the announcement, or the watch, which
  /// looks again after us, sees the news.
  public func fence() {
    if let watch = waiting.watch, watch.notice(self) { return }
    stockbus_heavy_barrier()
  }

  /// Suspends until `wake`; gives the thread back. May end without cause, so look again.
  public nonisolated(nonsending) func sleep() async {
    await withUnsafeContinuation { continuation in
      state.withLock { $0.sleep(continuation) }?.resume()
    }
  }

  /// Like `sleep`, but cancelling the task ends the sleep too.
  package nonisolated(nonsending) func sleepCancellably() async {
    await withTaskCancellationHandler {
      await sleep()
    } onCancel: {
      wake()
    }
  }

  // MARK: The watch's side

  /// Tells the watch what may end the owner's sleep.
  func add(_ cause: any WakeCause) {
    if waiting.watch == nil { return }
    causes.withLock { causes in
      causes.removeAll { $0.cause == nil }
      causes.append(Cause(cause: cause))
    }
  }

  /// True where the watch has to put it on its list, false where it stands there.
  ///
  /// The owner's announcement comes before this, and `endNotice` before the barrier, all sequentially consistent: where this
  /// answers false, that barrier is still to come.
  public func beginNotice() -> Bool { !isNoticed.exchange(true, ordering: .sequentiallyConsistent) }

  /// It is taken off the list; from now on the next sleep needs a barrier of its own.
  public func endNotice() { isNoticed.store(false, ordering: .sequentiallyConsistent) }

  /// After the barrier: wakes the owner where it has missed its news.
  public func lookAgain() {
    let isUnheard = causes.withLock { causes in
      for cause in causes where cause.cause?.isUnheard == true { return true }
      return false
    }
    if isUnheard { wake() }
  }
}
