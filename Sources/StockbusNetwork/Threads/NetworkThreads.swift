internal import NIOCore
internal import NIOPosix

/// The threads on which sockets are served: one small group for the whole program.
///
/// Started at its first use, so that a program that talks to nobody has none. Never shut down: whoever opens a channel closes it,
/// threads without channels only sleep, and a group that ends while a component still closes its socket would trap.
enum NetworkThreads {
  static let group = MultiThreadedEventLoopGroup(numberOfThreads: min(2, System.coreCount))
}

/// One of the network's threads, as the executor of an actor.
///
/// An actor that lives on its socket's thread gets what came in, and sends what goes out, without changing threads:
/// ```swift
/// private let thread = NetworkThread.next()
/// public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }
/// ```
/// It must not block, as with any pool.
public struct NetworkThread: Sendable {
  let loop: any EventLoop

  /// The next one, in turn.
  public static func next() -> NetworkThread { NetworkThread(loop: NetworkThreads.group.next()) }

  // The group is never shut down, so the executor outlives every actor.
  public var executor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }
}
