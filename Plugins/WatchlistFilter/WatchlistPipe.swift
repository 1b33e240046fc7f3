internal import StockbusFiles
internal import StockbusPlugin

/// Reads a list from a pipe, on a separate thread, because the writer may be slow.
actor WatchlistPipe {
  private let executor = BlockingExecutor(label: "watchlist_filter")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Returns the entries when the writer has closed the pipe; throws at once when the task is cancelled.
  func read(_ path: String) async throws -> [String] {
    let halt = Halt()
    do {
      return try await withTaskCancellationHandler {
        try WatchlistMatcher.read(path, until: halt)
      } onCancel: {
        halt.halt()
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }
}
