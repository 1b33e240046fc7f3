internal import NIOCore
package import NIOPosix
internal import StockbusPlugin

/// The threads that serve sockets: one small group for the whole program.
///
/// Started at its first use, so a program without connections has none. It is never shut down: every channel is closed by its opener,
/// threads without channels only sleep, and shutting the group down while a component still closes its socket would trap.
package enum NetworkThreads {
  package static let group = MultiThreadedEventLoopGroup(numberOfThreads: min(2, System.coreCount, usableProcessors()))
}

/// One of the network's threads, for use as the executor of an actor.
///
/// An actor on its socket's thread receives and sends without changing threads:
/// ```swift
/// private let thread = NetworkThread.next()
/// public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }
/// ```
/// It must not block.
package struct NetworkThread: Sendable {
  let loop: any EventLoop

  /// The next thread, in rotation.
  package static func next() -> NetworkThread { NetworkThread(loop: NetworkThreads.group.next()) }

  // The group is never shut down, so the executor outlives every actor.
  package var executor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }
}
