internal import EventBus
internal import LibC
internal import StockbusSystem

/// Waits until a pipe can be read, or written, without a thread that blocks.
///
/// A pipe without a waiting task is not watched, so that reading it otherwise costs nothing here.
final class PipeReadiness: Sendable {
  private let pipe: FileDescriptor
  private let direction: Direction
  private let isReady = WaitableValue(false)
  private let phase = Guarded(Phase.idle)

  private enum Phase: Equatable {
    case idle
    /// Watched, under this number.
    case armed(Int)
    case ended
  }

  enum Direction {
    case reading, writing
  }

  init(_ pipe: FileDescriptor, _ direction: Direction = .reading) {
    self.pipe = pipe
    self.direction = direction
  }

  deinit { if case .armed(let id) = phase.withLock({ $0 }) { PipeWatch.shared.remove(id) {} } }

  private func fired() {
    phase.withLock { if $0 != .ended { $0 = .idle } }
    isReady.update { $0 = true }
  }

  /// Ends the present wait.
  func wake() { isReady.update { $0 = true } }

  /// Returns when the pipe is ready, also for its end, after a call of `wake`, and when the task is cancelled.
  func wait() async {
    isReady.update { $0 = false }
    switch phase.withLock({ $0 }) {
    case .ended: return
    case .armed: break
    case .idle:
      // Only one task waits, so nothing else arms it meanwhile.
      let isHere = Guarded(false)
      let id = PipeWatch.shared.add(pipe, Int32(direction == .reading ? POLLIN : POLLOUT)) { [weak self] in
        isHere.withLock { $0 = true }
        self?.fired()
      }
      let isEnded = phase.withLock { phase in
        if phase == .idle { isHere.withLock { if !$0 { phase = .armed(id) } } }
        return phase == .ended
      }
      if isEnded { return PipeWatch.shared.remove(id) {} }
    }
    await isReady.wait { $0 }
  }

  /// Ends all waiting; call it before the pipe is closed. Returns once nothing watches the descriptor any more, whose number may belong to
  /// another file as soon as it is closed.
  func end() async {
    let before = phase.withLock { phase in
      defer { phase = .ended }
      return phase
    }
    wake()
    guard case .armed(let id) = before else { return }
    let hasEnded = WaitableValue(false)
    PipeWatch.shared.remove(id) { hasEnded.update { $0 = true } }
    // Not in this task, which may be cancelled.
    await Task { await hasEnded.wait { $0 } }.value
  }
}
