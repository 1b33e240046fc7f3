internal import StockbusFiles
internal import StockbusPlugin
internal import Synchronization

/// Writes a line to a file at once, because alerts are few. A line is in the file if and only if its alert counts as delivered.
actor FileChannel: Channel {
  private let executor = BlockingExecutor(label: "notification_dispatcher.file")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  let file: RotatingFile
  /// The last notification in the file, and where the file ends behind it.
  private let last: Mutex<(delivery: String?, end: FileMark?)>
  private let format: AlertFormat
  nonisolated var retries: RetryPolicy { RetryPolicy(attempts: 3) }

  /// - Parameters:
  ///   - appends: true if an earlier instance has written to the file: its lines stay.
  ///   - keepsPlace: another run may be set back to where it is.
  ///   - mark: where the file ended when an earlier run was left; nil if there was none.
  ///   - noticed: called with the changes that others have made to the file.
  init(
    _ options: FileSettings, appends: Bool = false, keepsPlace: Bool = false, mark: (place: FileMark, isLeft: Bool)? = nil,
    files: RunFiles = RunFiles(),
    noticed: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    var opening = options.rotation.options()
    if appends { opening.opening = .append }
    opening.mark = mark
    file = try RotatingFile(path: options.path, options: opening, files: files)
    last = Mutex((nil, keepsPlace ? try file.mark() : nil))
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
    if place != nil, let end = try? file.mark() { last.withLock { $0 = (notification.delivery, end) } }
  }

  nonisolated var place: ChannelPlace? {
    let (delivery, end) = last.withLock { $0 }
    return end.map { ChannelPlace(delivery: delivery, end: $0) }
  }

  func renew() async -> String? { (try? file.renew()) == true ? file.path : nil }

  func close() { _ = file.abandon() }
}
