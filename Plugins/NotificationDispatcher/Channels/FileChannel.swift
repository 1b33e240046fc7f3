internal import StockbusFiles
internal import StockbusPlugin

/// A line in a file, written out at once; alerts are few. A line is in the file exactly if its alert is delivered.
actor FileChannel: Channel {
  private let executor = BlockingExecutor(label: "notification_dispatcher.file")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  let file: RotatingFile
  private let format: AlertFormat
  nonisolated var retries: RetryPolicy { RetryPolicy(attempts: 3) }

  /// `goesOn` where an earlier life of the run has written to it: what it has delivered stays.
  init(_ options: FileSettings, goesOn: Bool = false, files: RunFiles = RunFiles()) throws {
    var opening = options.rotation.options()
    if goesOn { opening.opening = .append }
    file = try RotatingFile(path: options.path, options: opening, files: files)
    format = options.format
  }

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    do throws(FileError) {
      try file.write(Array(((format == .jsonl ? notification.json : notification.line) + "\n").utf8))
    } catch { throw DeliveryError("\(error)", isTransient: true) }
    do throws(FileError) { try file.flush() } catch {
      // What stayed in the buffer would be written with the next alert, when this one may be a dead letter.
      if file.discard() > 0 { throw DeliveryError("\(error)", isTransient: true) }
    }
  }

  func close() { _ = file.abandon() }
}
