internal import Dispatch
internal import EventBus
internal import StockbusSystem

/// Waits until a pipe has something to read, without a thread that blocks.
///
/// The source of events is suspended while nobody waits, so that a pipe that is read otherwise costs nothing here.
final class PipeReadiness: Sendable {
  // Unsafe, because the protocol is not declared as Sendable; a source may be used from any thread.
  private nonisolated(unsafe) let source: any DispatchSourceRead
  private let isReady = WaitableValue(false)
  private let phase = Guarded(Phase.idle)

  private enum Phase {
    /// The source is suspended.
    case idle
    case armed
    case ended
  }

  init(_ pipe: FileDescriptor) {
    source = DispatchSource.makeReadSource(fileDescriptor: pipe.rawValue, queue: .global())
    source.setEventHandler { [weak self] in self?.fired() }
  }

  deinit { end() }

  private func fired() {
    phase.withLock { phase in
      guard phase == .armed else { return }
      source.suspend()
      phase = .idle
    }
    isReady.update { $0 = true }
  }

  /// Ends the waiting.
  func wake() { isReady.update { $0 = true } }

  /// Returns when there is something to read, or the end, after a call of `wake`, and when the task is cancelled.
  func wait() async {
    isReady.update { $0 = false }
    phase.withLock { phase in
      guard phase == .idle else { return }
      source.resume()
      phase = .armed
    }
    await isReady.wait { $0 }
  }

  /// To be called before the pipe is closed; nobody may wait any more.
  func end() {
    phase.withLock { phase in
      // A suspended source must not be released.
      if phase == .idle { source.resume() }
      if phase != .ended { source.cancel() }
      phase = .ended
    }
  }
}
