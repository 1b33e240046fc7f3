internal import LibC
package import StockbusPlugin

/// The system's clocks.
package struct SystemTimekeeper: Timekeeper {
  package init() {}

  package var now: Timestamp {
    var t = timespec()
    clock_gettime(CLOCK_REALTIME, &t)
    return Timestamp(ns: Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec))
  }

  package var uptime: Duration {
    var t = timespec()
    clock_gettime(CLOCK_MONOTONIC, &t)
    return .seconds(Int64(t.tv_sec)) + .nanoseconds(Int64(t.tv_nsec))
  }

  package func sleep(until deadline: Duration) async throws(CancellationError) {
    // In slices, because the system's timers cannot wait for centuries.
    while true {
      let left = deadline - uptime
      if left <= .zero {
        if Task.isCancelled { throw CancellationError() }
        return
      }
      do { try await Task.sleep(for: min(left, .seconds(86_400)), tolerance: .zero) } catch { throw CancellationError() }
    }
  }
}
