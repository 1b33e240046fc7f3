internal import StockbusFiles
internal import StockbusPlugin

/// A line in a file, written out at once; alerts are few.
actor FileChannel: Channel {
  private let executor = BlockingExecutor(label: "notification_dispatcher.file")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let file: RotatingFile
  private let format: AlertFormat
  nonisolated var patience: Patience { Patience(attempts: 3) }

  init(_ options: FileSettings) throws {
    file = try RotatingFile(
      path: options.path,
      options: .init(opening: options.append ? .append : .truncate, rotateAt: options.rotate?.bytes, keep: options.keep))
    format = options.format
  }

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    let line = format == .jsonl ? notification.json : notification.line
    do {
      try file.write(Array((line + "\n").utf8))
      try file.flush()
    } catch { throw DeliveryError("\(error)", isTransient: true) }
  }

  func close() { try? file.close() }
}
