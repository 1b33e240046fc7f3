import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import EventBus

@Suite(.timeLimit(.minutes(15))) struct WaitableValueTests {
  /// Returns when `count` tasks wait.
  private func untilWaiting<Value>(_ count: Int, for value: WaitableValue<Value>) async {
    while value.waiterCount != count { await Task.yield() }
  }

  @Test func `what is so already is not waited for, even by a cancelled task`() async {
    let value = WaitableValue(3)
    await value.wait { $0 == 3 }
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await value.wait { $0 == 3 }
    }.value
    #expect(value.value == 3 && value.waiterCount == 0)
  }

  @Test func `a change wakes those whose condition holds then, in the order of arrival, and no others`() async {
    let value = WaitableValue(0)
    // Who was asked by a change: which of the tasks that it resumes goes on first is up to the executors.
    let asked = Guarded<[String]>([])
    actor Diary {
      var names: Set<String> = []
      func note(_ name: String, when value: WaitableValue<Int>, is condition: @escaping @Sendable (Int) -> Bool) async {
        await value.wait(until: condition)
        names.insert(name)
      }
    }
    let diary = Diary()
    await withTaskGroup(of: Void.self) { group in
      let waits: [(String, @Sendable (Int) -> Bool)] = [
        ("even", { $0 != 0 && $0.isMultiple(of: 2) }), ("one", { $0 == 1 }), ("three", { $0 == 3 }), ("odd", { !$0.isMultiple(of: 2) }),
        ("any", { $0 > 0 }),
      ]
      for (i, (name, condition)) in waits.enumerated() {
        group.addTask {
          await diary.note(name, when: value) { number in
            asked.withLock { $0.append(name) }
            return condition(number)
          }
        }
        await untilWaiting(i + 1, for: value)
      }
      asked.withLock { $0 = [] }
      value.update { $0 = 1 }
      #expect(asked.withLock { $0 } == ["even", "one", "three", "odd", "any"])
      #expect(value.waiterCount == 2)
      while await diary.names.count < 3 { await Task.yield() }
      #expect(await diary.names == ["one", "odd", "any"])
      value.update { $0 = 2 }
      #expect(value.waiterCount == 1)
      value.update { $0 = 3 }
      await group.waitForAll()
    }
    #expect(await diary.names.count == 5 && value.waiterCount == 0)
  }

  @Test func `a cancelled task goes on, the others wait on`() async {
    let value = WaitableValue(false)
    let (first, second) = (Task { await value.wait { $0 } }, Task { await value.wait { $0 } })
    await untilWaiting(2, for: value)
    first.cancel()
    await first.value
    #expect(value.waiterCount == 1)
    value.update { $0 = true }
    await second.value
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await value.wait { !$0 }
    }
    await late.value
    #expect(value.waiterCount == 0)
  }

  @Test func `whatever changes and cancellations meet, each waiter goes on once`() async {
    // A continuation that is resumed twice traps, one that is forgotten hangs.
    var random = SplitMix(41)
    let value = WaitableValue(0)
    for _ in 0..<rounds(300) {
      let goal = value.value + 1 + random.upTo(3)
      await withTaskGroup(of: Void.self) { group in
        let waiters = (0...random.upTo(6)).map { _ in
          let goal = value.value + random.upTo(4)
          return Task { await value.wait { $0 >= goal } }
        }
        for waiter in waiters where random.oneIn(2) { group.addTask { waiter.cancel() } }
        for _ in 0...random.upTo(3) { group.addTask { value.update { $0 += 1 } } }
        await group.waitForAll()
        value.update { $0 = max($0, goal + 4) }
        for waiter in waiters { await waiter.value }
      }
      #expect(value.waiterCount == 0)
    }
  }

  @Test func `a latch lets through who waits and who comes later`() async {
    let latch = Latch()
    #expect(!latch.hasFired)
    let waiters = (0..<3).map { _ in Task { await latch.wait() } }
    waiters[0].cancel()
    await waiters[0].value
    latch.fire()
    latch.fire()
    for waiter in waiters { await waiter.value }
    await latch.wait()
    #expect(latch.hasFired)
  }

  @Test func `a parked sleep ends when its task is cancelled, before or after it began`() async {
    let parker = Parker()
    let sleeper = Task { await parker.sleepCancellably() }
    sleeper.cancel()
    await sleeper.value
    parker.wake()
    await parker.sleepCancellably()
  }

  /// An actor on a queue, as components are on their socket's thread.
  private actor OnQueue {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Where the condition was checked until the value was 1: true on the actor's queue.
    func places(_ value: WaitableValue<Int>) async -> [Bool] {
      let places = WaitableValue([Bool]())
      let task = Task {
        await value.wait { value in
          if value == 0 { places.update { $0.append(self.executor.isCurrent) } }
          return value == 1
        }
        places.update { $0.append(self.executor.isCurrent) }
      }
      await task.value
      return places.value
    }
  }

  private final class QueueExecutor: SerialExecutor {
    private static let key = DispatchSpecificKey<Int>()
    private let queue = DispatchQueue(label: "test")

    init() { queue.setSpecific(key: Self.key, value: 1) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == 1 }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  @Test func `a wait stays on its actor's executor`() async {
    let value = WaitableValue(0)
    let actor = OnQueue()
    async let places = actor.places(value)
    await untilWaiting(1, for: value)
    value.update { $0 = 1 }
    #expect(await places == [true, true, true])
  }
}

extension WaitableValue {
  /// How many tasks wait.
  fileprivate var waiterCount: Int { state.withLock { $0.waiters.count } }
}
