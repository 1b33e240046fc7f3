import EventBus
import Synchronization
import Testing

@testable import StockbusRuntime

@Suite(.timeLimit(.minutes(15))) struct WorkerPoolTests {
  /// With this, no job is ever old enough to be taken by another worker.
  private static let never = Int64.max / 2

  @Test func `whoever is woken goes on where the waker was running`() async {
    let pool = WorkerPool(count: 4, stealDelay: Self.never)
    let sleeper = Relay()
    let woken = Task(executorPreference: pool) {
      await sleeper.pass()
      return pool.current.worker?.number
    }
    let waker = Task(executorPreference: pool) {
      while !sleeper.isWaiting { await Task.yield() }
      sleeper.open()
      return pool.current.worker?.number
    }
    let place = await waker.value
    #expect(place != nil)
    #expect(await woken.value == place)
  }

  @Test func `jobs of one worker run in the order they came`() async {
    let pool = WorkerPool(count: 1)
    let journal = Log()
    await withTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: pool) {
        await withTaskGroup(of: Void.self) { group in
          for i in 0..<100 { group.addTask { journal.add(i) } }
        }
      }
    }
    #expect(journal.entries == Array(0..<100))
  }

  @Test(arguments: [0, 100_000] as [Int64]) func `a job that keeps its worker does not keep others waiting`(stealDelay: Int64) async {
    let pool = WorkerPool(count: 2, stealDelay: stealDelay)
    let isDone = Flag()
    let places = await Task(executorPreference: pool) {
      let other = Task(executorPreference: pool) {
        defer { isDone.raise() }
        return pool.current.worker?.number
      }
      // Blocks its thread until the other has run, so only another worker can run that.
      while !isDone.isUp {}
      return (mine: pool.current.worker?.number, other: await other.value)
    }.value
    #expect(places.mine != nil && places.other != nil && places.mine != places.other)
  }

  /// One worker is kept by a job that waits for another, which is queued behind it; the other worker always has jobs of its own.
  @Test func `a job behind one that keeps its worker runs although the others are busy`() async {
    let pool = WorkerPool(count: 2, stealDelay: 1)
    let (hasBegun, isDone) = (Flag(), Flag())
    let busy = Task(executorPreference: pool) {
      hasBegun.raise()
      while !isDone.isUp { await Task.yield() }
    }
    while !hasBegun.isUp { await Task.yield() }
    await Task(executorPreference: pool) {
      let other = Task(executorPreference: pool) { isDone.raise() }
      while !isDone.isUp {}
      await other.value
    }.value
    await busy.value
    #expect(isDone.isUp)
  }

  @Test func `a helper starts at once where a worker has nothing to do`() async {
    let pool = WorkerPool(count: 2, stealDelay: Self.never)
    let helpers = HelperExecutor(pool)
    let isDone = Flag()
    let places = await Task(executorPreference: pool) {
      let helper = Task(executorPreference: helpers) {
        defer { isDone.raise() }
        return pool.current.worker?.number
      }
      while !isDone.isUp {}
      return (mine: pool.current.worker?.number, helper: await helper.value)
    }.value
    #expect(places.mine != nil && places.helper != nil && places.mine != places.helper)
  }

  @Test func `helpers of a pool of one take turns`() async {
    let pool = WorkerPool(count: 1)
    let helpers = HelperExecutor(pool)
    let journal = Log()
    await withTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: pool) {
        await withTaskGroup(of: Void.self) { group in
          for i in 0..<10 {
            group.addTask(executorPreference: helpers) {
              for k in 0..<10 {
                journal.add(10 * k + i)
                await Task.yield()
              }
            }
          }
        }
      }
    }
    #expect(journal.entries == Array(0..<100))
  }

  @Test func `everything runs once, whoever enqueues it`() async {
    let pool = WorkerPool(count: 3, stealDelay: 0)
    let helpers = HelperExecutor(pool)
    let runs = Log()
    await withTaskGroup(of: Void.self) { group in
      for i in 0..<1000 {
        group.addTask(executorPreference: [pool, helpers, nil][i % 3]) {
          for k in 0..<4 {
            await withTaskExecutorPreference(pool) {
              runs.add(4 * i + k)
              await Task.yield()
            }
          }
        }
      }
    }
    #expect(runs.entries.sorted() == Array(0..<4000))
  }

  @Test func `a thousand actors that call each other end`() async {
    let pool = WorkerPool(count: 3, stealDelay: 0)
    let counters = (0..<1000).map { _ in Counting() }
    let total = await Task(executorPreference: pool) {
      await withTaskGroup(of: Void.self) { group in
        for i in 0..<1000 {
          group.addTask { for k in 1...20 { await counters[(i * k) % 1000].count() } }
        }
      }
      var total = 0
      for counter in counters { total += await counter.total }
      return total
    }.value
    #expect(total == 20_000)
  }
}

private final class Log: Sendable {
  private let list = Guarded([Int]())

  func add(_ number: Int) { list.withLock { $0.append(number) } }
  var entries: [Int] { list.withLock { $0 } }
}

private final class Flag: Sendable {
  private let value = Atomic(false)

  func raise() { value.store(true, ordering: .releasing) }
  var isUp: Bool { value.load(ordering: .acquiring) }
}

private actor Counting {
  private(set) var total = 0
  func count() { total += 1 }
}

/// One waits until another opens.
private final class Relay: Sendable {
  private let waiting = Guarded<UnsafeContinuation<Void, Never>?>(nil)

  var isWaiting: Bool { waiting.withLock { $0 != nil } }

  func pass() async { await withUnsafeContinuation { continuation in waiting.withLock { $0 = continuation } } }

  func open() { waiting.withLock { $0.take() }?.resume() }
}
