import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct ClockTests {
  @Test func `time moves by hand only`() {
    let clock = ManualTimekeeper(start: Timestamp(ns: 5))
    #expect(clock.now == Timestamp(ns: 5))
    clock.advance(by: .seconds(2) + .nanoseconds(7))
    #expect(clock.now == Timestamp(ns: 2_000_000_012))
    #expect(clock.uptime == .seconds(2) + .nanoseconds(7))
    #expect(ManualTimekeeper().now.description == "2013-10-08T13:30:00Z")
  }

  @Test func `sleepers wake at their deadline and not before`() async throws {
    let clock = ManualTimekeeper()
    let awake = Watched<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for (i, seconds) in [3, 1, 2].enumerated() {
        group.addTask {
          try? await clock.sleep(until: .seconds(seconds))
          awake.update { $0.append(seconds) }
        }
        await clock.waitForSleepers(i + 1)
      }
      #expect(clock.deadlines == [.seconds(1), .seconds(2), .seconds(3)])
      clock.advance(by: .milliseconds(999))
      #expect(clock.deadlines.count == 3)
      #expect(clock.advanceToNextDeadline() == .milliseconds(1))
      await awake.wait { $0 == [1] }
      clock.advance(by: .seconds(10))
      await awake.wait { $0.count == 3 }
      #expect(awake.value.first == 1)
      #expect(clock.advanceToNextDeadline() == nil)
    }
  }

  @Test func `a deadline that has passed is no sleep`() async throws {
    let clock = ManualTimekeeper()
    try await clock.sleep(until: .zero)
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.deadlines.isEmpty)
  }

  @Test func `a cancelled sleeper wakes with an error and is forgotten`() async {
    let clock = ManualTimekeeper()
    let task = Task { try await clock.sleep(until: .seconds(1)) }
    await clock.waitForSleeper(until: .seconds(1))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.deadlines.isEmpty)
    let late = Task {
      // Cancelled before it sleeps.
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(until: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `time that goes by itself jumps from deadline to deadline`() async throws {
    let clock = ManualTimekeeper()
    let times = await clock.running {
      var times: [Duration] = []
      for seconds in [2, 5, 9] {
        try? await clock.sleep(until: .seconds(seconds))
        times.append(clock.uptime)
      }
      return times
    }
    #expect(times == [.seconds(2), .seconds(5), .seconds(9)])
  }

  @Test func `whoever waits for a value goes on when it is so, and when he is cancelled`() async {
    let watched = Watched(0)
    let waiter = Task { await watched.wait { $0 >= 3 } }
    for _ in 0..<3 { watched.update { $0 += 1 } }
    await waiter.value
    let endless = Task { await watched.wait { $0 > 1_000_000 } }
    endless.cancel()
    await endless.value
    #expect(watched.value == 3)
  }
}
