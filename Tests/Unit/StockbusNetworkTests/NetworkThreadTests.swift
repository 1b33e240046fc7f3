import NIOCore
@testable import StockbusNetwork
import Testing

@Suite(.timeLimit(.minutes(15))) struct NetworkThreadTests {
  private actor Listener {
    let thread = NetworkThread.next()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }
    private(set) var heard = 0

    func note() { heard += 1 }

    /// For each of `times` rings, whether it was heard on the thread.
    func listen(to bell: Bell, _ times: Int) async -> [Bool] {
      var places: [Bool] = []
      for ring in 0..<times {
        await bell.wait(after: ring)
        places.append(thread.loop.inEventLoop)
      }
      return places
    }
  }

  @Test func `a task that prefers a thread runs there, also what belongs to no actor, before and after a wait`() async {
    let thread = NetworkThread.next()
    let bell = Bell()
    let task = Task(executorPreference: thread) { @concurrent in
      let before = thread.loop.inEventLoop
      await bell.wait(after: 0)
      return [before, thread.loop.inEventLoop]
    }
    bell.ring()
    #expect(await task.value == [true, true])
  }

  @Test func `an actor on a thread is there after each wait, whatever its task prefers`() async {
    let listener = Listener()
    for preference in [listener.thread, nil] as [(any TaskExecutor)?] {
      let bell = Bell()
      let task = Task(executorPreference: preference) { await listener.listen(to: bell, 20) }
      for _ in 0..<20 { bell.ring() }
      #expect(await task.value == Array(repeating: true, count: 20))
    }
  }

  @Test func `what a socket calls is isolated to the actors of its thread`() async throws {
    let listener = Listener()
    try await listener.thread.loop.submit { listener.assumeIsolated { $0.note() } }.get()
    #expect(await listener.heard == 1)
  }
}
