internal import Dispatch
internal import EventBus
internal import StockbusSystem

/// Waits until a pipe has something to read, or takes something, without a thread that blocks.
///
/// The source of events is suspended while nobody waits, so that a pipe that is read otherwise costs nothing here.
final class PipeReadiness: Sendable {
  // Unsafe, because the protocol is not declared as Sendable; a source may be used from any thread.
  private nonisolated(unsafe) let source: any DispatchSourceProtocol
  private let isReady = WaitableValue(false)
  private let hasEnded = WaitableValue(false)
  private let phase = Guarded(Phase.idle)

  private enum Phase {
    /// The source is suspended.
    case idle
    case armed
    case ended
  }

  enum Direction {
    case reading, writing
  }

  init(_ pipe: FileDescriptor, _ direction: Direction = .reading) {
    source =
      switch direction {
      case .reading: DispatchSource.makeReadSource(fileDescriptor: pipe.rawValue, queue: .global())
      case .writing: DispatchSource.makeWriteSource(fileDescriptor: pipe.rawValue, queue: .global())
      }
    source.setEventHandler { [weak self] in self?.fired() }
    source.setCancelHandler { [hasEnded] in hasEnded.update { $0 = true } }
  }

  deinit { cancel() }

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

  /// Returns when the pipe is ready, also for its end, after a call of `wake`, and when the task is cancelled.
  func wait() async {
    isReady.update { $0 = false }
    let hasEnded = phase.withLock { phase in
      if phase == .idle {
        source.resume()
        phase = .armed
      }
      return phase == .ended
    }
    if !hasEnded { await isReady.wait { $0 } }
  }

  /// Ends all waiting; call it before the pipe is closed. Returns once the system no longer watches the descriptor, whose number may belong
  /// to another file as soon as it is closed.
  func end() async {
    cancel()
    let hasEnded = hasEnded
    // Not in this task, which may be cancelled.
    await Task { await hasEnded.wait { $0 } }.value
  }

  private func cancel() {
    phase.withLock { phase in
      // A suspended source is never told that it is cancelled.
      if phase == .idle { source.resume() }
      if phase != .ended { source.cancel() }
      phase = .ended
    }
    wake()
  }
}
