internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A thread that looks after workers whose present job takes long, while anybody works; asleep otherwise.
final class WorkerMonitor: Sendable {
  /// Between two rounds, in microseconds: often where help was needed just now, seldom where it was not.
  private static let shortest: UInt32 = 100
  private static let longest: UInt32 = 5000
  /// Rounds without any work before it sleeps: work that comes often enough shall not have to wake it each time.
  private static let quietRounds = 4

  private enum Phase: UInt8, AtomicRepresentable { case unborn, asleep, awake }

  private let phase = Atomic(Phase.unborn)
  private let bell = DispatchSemaphore(value: 0)

  /// There is work.
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
      // Work that came just before saw a monitor awake.
      if pool.isBusy, phase.exchange(.awake, ordering: .sequentiallyConsistent) == .asleep { continue }
      bell.wait()
    }
  }
}
