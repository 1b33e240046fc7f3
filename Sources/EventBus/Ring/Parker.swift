internal import CMemoryBarrier
internal import Synchronization

/// The one sleeping place of a component: any of its inlets, its outlet or its supervisor may end the sleep.
///
/// The protocol of whoever sleeps: announce it where the others look, run `fence`, look again, then `sleep`. The protocol of the
/// others: make the news visible, look for an announcement, `wake`. See Documentation/wake-up.md for the proof and its model.
public final class Parker: Sendable {
  private let state = Guarded(ParkerState<UnsafeContinuation<Void, Never>>())

  public init() { stockbus_prepare_barriers() }

  /// Ends the present sleep, or the next one where nobody sleeps now.
  public func wake() { state.withLock { $0.wake() }?.resume() }

  /// Ends the present sleep and every later one: cancellation.
  public func release() { state.withLock { $0.release() }?.resume() }

  /// True after `release`.
  public var isReleased: Bool { state.withLock { $0.isReleased } }

  /// Between announcing and looking again: afterwards either we see the others' news or they see the announcement.
  public func fence() { stockbus_heavy_barrier() }

  /// Suspends until `wake`; gives the thread back. May end without cause, so look again.
  public nonisolated(nonsending) func sleep() async {
    await withUnsafeContinuation { continuation in
      state.withLock { $0.sleep(continuation) }?.resume()
    }
  }
}
