internal import StockbusFiles
internal import StockbusPlugin

/// Writes a line to a file at once, because alerts are few. A line is in the file if and only if its alert counts as delivered.
actor FileChannel: Channel {
  private let executor = BlockingExecutor(label: "notification_dispatcher.file")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  let file: RotatingFile
  private let format: AlertFormat
  nonisolated var retries: RetryPolicy { RetryPolicy(attempts: 3) }

  /// - Parameters:
  ///   - appends: true if an earlier instance has written to the file: its lines stay.
  ///   - noticed: called with the changes that others have made to the file.
  init(
    _ options: FileSettings, appends: Bool = false, files: RunFiles = RunFiles(), noticed: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    var opening = options.rotation.options()
    if appends { opening.opening = .append }
    file = try RotatingFile(path: options.path, options: opening, files: files)
    file.noticed = noticed
    format = options.format
  }

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    do throws(FileError) {
      try file.write(Array(((format == .jsonl ? notification.json : notification.line) + "\n").utf8))
    } catch { throw DeliveryError("\(error)", isTransient: true) }
    do throws(FileError) { try file.flush() } catch {
      // A line left in the buffer would be written with the next alert, although its own alert may be a dead letter by then.
      if file.discard() > 0 { throw DeliveryError("\(error)", isTransient: true) }
    }
  }

  func renew() async -> String? { (try? file.renew()) == true ? file.path : nil }

  func close() { _ = file.abandon() }
}
