internal import StockbusFiles
internal import StockbusPlugin

/// Reads the list that comes through a pipe, on a thread of its own: the writer may take its time.
actor WatchlistPipe {
  private let executor = BlockingExecutor(label: "watchlist_filter")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The entries, when the writer has closed the pipe. Ends at once when the task is cancelled.
  func read(_ path: String) async throws -> [String] {
    let halt = Halt()
    do {
      return try await withTaskCancellationHandler {
        try Watchlist.read(path, until: halt)
      } onCancel: {
        halt.halt()
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }
}
