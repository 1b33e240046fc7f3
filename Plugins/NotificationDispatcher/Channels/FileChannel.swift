internal import StockbusFiles
internal import StockbusPlugin

/// A line in a file, written out at once; alerts are few.
actor FileChannel: Channel {
  private let executor = BlockingExecutor(label: "notification_dispatcher.file")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  let file: RotatingFile
  private let format: AlertFormat
  /// The alert that the file has taken last: at another attempt its line waits in the buffer, and must not come twice.
  private var taken: String?
  nonisolated var patience: Patience { Patience(attempts: 3) }

  init(_ options: FileSettings) throws {
    file = try RotatingFile(path: options.path, options: options.rotation.options())
    format = options.format
  }

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    do {
      if notification.id != taken {
        try file.write(Array(((format == .jsonl ? notification.json : notification.line) + "\n").utf8))
        taken = notification.id
      }
      try file.flush()
    } catch { throw DeliveryError("\(error)", isTransient: true) }
  }

  func close() { try? file.close() }
}
