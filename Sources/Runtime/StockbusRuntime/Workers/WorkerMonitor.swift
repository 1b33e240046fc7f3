internal import Dispatch
internal import LibC
internal import Synchronization

/// A thread that helps workers whose present job takes long. It sleeps while no worker is busy.
final class WorkerMonitor: Sendable {
  /// The pause between two rounds, in microseconds: `shortest` after a round in which help was needed, then doubled each time up to
  /// `longest`.
  private static let shortest: UInt32 = 100
  private static let longest: UInt32 = 5000
  /// Rounds without work before it sleeps, so that frequent work need not wake it each time.
  private static let quietRounds = 4

  private enum Phase: UInt8, AtomicRepresentable { case unborn, asleep, awake }

  private let phase = Atomic(Phase.unborn)
  private let bell = DispatchSemaphore(value: 0)

  /// To be called when there are jobs.
  func begin(for pool: WorkerPool) {
    if phase.load(ordering: .relaxed) == .awake { return }
    switch phase.exchange(.awake, ordering: .sequentiallyConsistent) {
    case .awake: return
    case .asleep: bell.signal()
    case .unborn: startThread("stockbus look") { self.watch(pool) }
    }
  }

  private func watch(_ pool: WorkerPool) {
    var pause = Self.longest
    var quiet = 0
    while true {
      usleep(pause)
      pause = pool.look() ? Self.shortest : min(pause * 2, Self.longest)
      quiet = pool.isBusy ? 0 : quiet + 1
      guard quiet > Self.quietRounds else { continue }
      quiet = 0
      phase.store(.asleep, ordering: .sequentiallyConsistent)
      // Work that arrived just before has found the phase awake and has not woken this thread, so check again.
      if pool.isBusy, phase.exchange(.awake, ordering: .sequentiallyConsistent) == .asleep { continue }
      bell.wait()
    }
  }
}
