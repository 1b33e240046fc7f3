internal import StockbusPlugin

/// Waits until one of these latches has fired.
func firstOf(_ latches: [Latch]) async {
  await withTaskGroup(of: Void.self) { group in
    for latch in latches { group.addTask { await latch.wait() } }
    await group.next()
    group.cancelAll()
  }
}

/// Waits until one of these latches has fired, but not longer than `limit`; returns false if none has.
func firstOf(_ latches: [Latch], within limit: Duration, _ clock: any Timekeeper) async -> Bool {
  await withTaskGroup(of: Bool.self) { group in
    group.addTask {
      await firstOf(latches)
      return true
    }
    group.addTask {
      try? await clock.sleep(for: limit)
      return false
    }
    let isThere = await group.next() ?? true
    group.cancelAll()
    return isThere
  }
}
