package import StockbusPlugin

/// Runs `work`, and calls `late` if it is not done after `limit`; `work` must react to that itself. Nil means no limit.
package nonisolated(nonsending) func withDeadline<Result, Failure: Error>(
  _ limit: Duration?, _ clock: any Timekeeper, late: @escaping @Sendable () -> Void,
  _ work: nonisolated(nonsending) () async throws(Failure) -> Result
) async throws(Failure) -> Result {
  guard let limit else { return try await work() }
  // Unstructured only in form: it is awaited on every path.
  let deadline = clock.uptime + limit
  let watch = Task {
    do { try await clock.sleep(until: deadline) } catch { return }
    late()
  }
  do throws(Failure) {
    let result = try await work()
    watch.cancel()
    await watch.value
    return result
  } catch {
    watch.cancel()
    await watch.value
    throw error
  }
}
