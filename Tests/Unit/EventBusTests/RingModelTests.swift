import EventBus
import MarketData
import TestSupport
import Testing

/// Random schedules (SplitMix) of everything that a producer and its readers can do, compared with slow models after every step.
@Suite struct RingModelTests {
  private func drive<E: TestEvent>(_: E.Type, capacity: Int, memory: ClosedRange<Int>? = nil) async {
    var asides = 0
    var flushes = 0
    var cuts = 0
    var pauses = 0
    for seed in 0..<12 {
      var random = SplitMix(seed)
      let memory = memory.map { Int.random(in: $0, using: &random) } ?? SubscriptionOptions.defaultMemory
      var driver = RingDriver<E>(seed: seed * 1000 + capacity, capacity: capacity, hasTable: seed % 3 != 0, memory: memory)
      await driver.run(steps: 400)
      #expect(driver.failures == [], "seed \(seed), capacity \(capacity)")
      asides += driver.asides
      flushes += driver.flushes
      cuts += driver.cuts
      pauses += driver.pauses
    }
    #expect(asides > 0 && flushes > 0 && cuts > 0 && pauses > 0)
  }

  @Test(arguments: [2, 4, 8, 16, 64]) func `plain events arrive as in the model`(capacity: Int) async {
    await drive(Tick.self, capacity: capacity)
  }

  @Test(arguments: [2, 4, 8, 16, 64]) func `events with strings arrive as in the model`(capacity: Int) async {
    await drive(Note.self, capacity: capacity)
  }

  @Test(arguments: [2, 8, 64]) func `events with strings arrive as in the model where few bytes may wait`(capacity: Int) async {
    await drive(Note.self, capacity: capacity, memory: 1...300)
  }

  @Test(arguments: [2, 4, 16]) func `events with objects arrive as in the model`(capacity: Int) async {
    await drive(Parcel.self, capacity: capacity)
  }
}
