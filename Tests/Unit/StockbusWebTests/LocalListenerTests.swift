import Dispatch
import NIOPosix
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Synchronization
import Testing

@testable import StockbusWeb

@Suite(.timeLimit(.minutes(15))) struct LocalListenerTests {
  /// Runs each part of a task at once, on the thread that enqueues it.
  private final class AtOnce: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor()) }
  }

  @Test func `close returns when the socket is closed, also while it is being opened for its first client`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    let place = try SocketPlace(path)
    let (isOpening, gate) = (Latch(), DispatchSemaphore(value: 0))
    let listener = LocalListener(try place.listen()) {
      isOpening.fire()
      gate.wait()
      return ServerBootstrap(group: NetworkThreads.group)
    }
    try place.publish()
    // A client finds that the socket is in use.
    #expect(throws: EnvironmentFailure.self) { try SocketPlace(path) }
    await isOpening.wait()
    let hasClosed = Atomic(false)
    // It has run up to where it waits when the task is made.
    let closing = Task(executorPreference: AtOnce()) {
      await listener.close()
      hasClosed.store(true, ordering: .relaxed)
    }
    let isDone = hasClosed.load(ordering: .relaxed)
    #expect(!isDone)
    gate.signal()
    await closing.value
    // No client is taken any more.
    try SocketPlace(path).discard()
    await listener.close()
  }

  @Test func `close returns when the socket is closed, also if there was never a client`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    let place = try SocketPlace(path)
    let listener = LocalListener(try place.listen()) { ServerBootstrap(group: NetworkThreads.group) }
    try place.publish()
    await listener.close()
    try SocketPlace(path).discard()
  }
}
