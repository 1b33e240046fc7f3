internal import Synchronization

/// Counts the jobs that this process's executors have taken and not ended, for a clock that moves only when nothing else happens.
///
/// A job is counted before whatever enqueues it has ended. So a count of zero means that nothing more happens without the clock, or without
/// input from outside: sockets and child programs are not counted, and neither is Swift's own pool.
package enum ActiveJobs {
  /// In a struct, as a closure that is the generic value of a lock gets another wrapper at each access: calls become ever slower and deeper.
  private struct Idle: Sendable { let body: @Sendable () -> Void }

  private static let isCounted = Atomic(false)
  private static let count = Atomic(0)
  private static let whenIdle = Mutex<Idle?>(nil)

  /// Counts from now on. To be called before the process gives its executors any job.
  package static func begin() { isCounted.store(true, ordering: .sequentiallyConsistent) }

  /// Calls `body` whenever the count becomes zero, on the thread of the last job. Nil: nothing is called.
  package static func whenIdle(_ body: (@Sendable () -> Void)?) { whenIdle.withLock { $0 = body.map { Idle(body: $0) } } }

  /// True if there is no job.
  package static var isIdle: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

  /// An executor takes a job.
  package static func enter() {
    if isCounted.load(ordering: .relaxed) { count.add(1, ordering: .sequentiallyConsistent) }
  }

  /// A job has ended.
  package static func leave() {
    guard isCounted.load(ordering: .relaxed), count.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
    whenIdle.withLock { idle in
      // What another thread's call has begun may be under way by now.
      if count.load(ordering: .sequentiallyConsistent) == 0 { idle?.body() }
    }
  }
}
