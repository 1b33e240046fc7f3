import StockbusPlugin
import Testing

@testable import StockbusRuntime

/// How long events take, and how long components work.
@Suite(.timeLimit(.minutes(15))) struct LatencyTests {
  @Test func `a latency counts in the first bucket that is not below it`() {
    #expect(LatencyCounts.bounds.count == 22)
    #expect(Array(LatencyCounts.bounds.prefix(5)) == [1000, 2500, 5000, 10_000, 25_000])
    #expect(Array(LatencyCounts.bounds.suffix(4)) == [1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000])
    #expect(LatencyCounts.bounds == LatencyCounts.bounds.sorted())
    var counts = LatencyCounts()
    for latency in [-5, 0, 1000, 1001, 2500, 10_000_000_000, 10_000_000_001] { counts.add(latency) }
    #expect(Array(counts.counts.prefix(3)) == [3, 2, 0])
    #expect(Array(counts.counts.suffix(2)) == [1, 1])
    #expect(counts.total == 7 && counts.sum == 0 + 0 + 1000 + 1001 + 2500 + 10_000_000_000 + 10_000_000_001)
  }

  @Test func `a job's time counts for its component, as long as it took at least`() async {
    let pool = WorkerPool(count: 2)
    let busy = BusyTime()
    let executor = ComponentExecutor(pool, busy: busy)
    let clock = ContinuousClock()
    let inside = await Task(executorPreference: executor) {
      let began = clock.now
      var sum = 0
      for i in 0..<10_000 { sum &+= i * i }
      return (sum, clock.now - began)
    }.value
    // It is counted when the worker turns to its next job, or to sleep.
    while busy.total < inside.1 { await Task.yield() }
    #expect(inside.0 == 333_283_335_000)
  }
}
