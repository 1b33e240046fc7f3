package import NIOCore
package import NIOPosix
package import StockbusPlugin

/// The threads that serve sockets: one small group for the whole program.
///
/// Started at its first use, so a program without connections has none. It is never shut down: every channel is closed by its opener,
/// threads without channels only sleep, and shutting the group down while a component still closes its socket would trap.
package enum NetworkThreads {
  package static let group = MultiThreadedEventLoopGroup(numberOfThreads: min(2, System.coreCount, usableProcessors()))
}

/// One of the network's threads, as the executor of one actor and of its tasks.
///
/// An actor on its socket's thread receives and sends without changing threads:
/// ```swift
/// private let thread = NetworkThread.next()
/// public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }
/// nonisolated var ownExecutor: any OwnExecutor { thread }
/// ```
/// It must not block.
///
/// It is both kinds of executor, because a task that waits is resumed on its task executor and only then goes to its actor's: with the
/// run's workers as the task executor, each wait would change threads twice.
package final class NetworkThread: SerialExecutor, OwnExecutor {
  package let loop: any EventLoop
  private let busy = Guarded(BusyTime?.none)

  private init(_ loop: any EventLoop) { self.loop = loop }

  /// The next thread, in rotation.
  package static func next() -> NetworkThread { NetworkThread(NetworkThreads.group.next()) }

  package var executor: UnownedSerialExecutor { asUnownedSerialExecutor() }

  package func count(in busy: BusyTime) { self.busy.withLock { $0 = busy } }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { [self] in
      let began = NIODeadline.now()
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      if let busy = busy.withLock({ $0 }) { busy.add((NIODeadline.now() - began).nanoseconds) }
    }
  }

  package func checkIsolated() { loop.preconditionInEventLoop() }
}
