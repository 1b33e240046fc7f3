internal import EventBus
internal import StockbusFiles
internal import StockbusPlugin
internal import StockbusTables

/// Turns streams into Parquet files: full ones while the next is written, the last one at the end. Has a thread of its own, so that the bus
/// need not wait.
actor ParquetWork {
  private let executor = BlockingExecutor(label: "parquet")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let path: String
  private let context: Context
  nonisolated let finish: StreamFinish
  private nonisolated let bell = Parker()
  /// The errors that have been told.
  private var told: Set<String> = []

  /// Which full streams another run does not need to go back to. The one in which the memory before last was taken may be needed, because
  /// the last one need not be on the disk.
  private struct Kept {
    var before = Int.max
    var last = Int.max
  }

  private nonisolated let kept = Guarded(Kept())

  /// - Parameter ending: that of the Parquet files.
  init(stream path: String, ending: String, _ settings: RetryingFileSettings, _ context: Context) {
    self.path = path
    self.context = context
    finish = StreamFinish(ending: ending, sync: settings.sync, calls: context.services[SystemCalls.self]) { stream, put throws(FileError) in
      do {
        let source = try TableFile(path: stream).source
        _ = try ParquetFile.make(from: source) { bytes in
          try Task.checkCancellation()
          try put(bytes)
        }
      } catch let error as FileError { throw error } catch {
        let reason = error is CancellationError ? "the run ended before" : "\(stream): \(error)"
        throw FileError(.make(reason), path: stream, code: 0)
      }
    }
  }

  /// The path may be a link.
  private nonisolated var numbers: NumberedFiles { NumberedFiles(stream: target, finishedEnding: finish.ending) }
  private nonisolated var target: String { FilePlace(path)?.path ?? path }

  /// Called when there may be a full stream.
  nonisolated func look() { bell.wake() }

  /// Called when the stream was opened, and whenever a memory is taken for another run.
  nonisolated func keep(isOpening: Bool) {
    guard context.isRemembered, let next = try? numbers.next() else { return }
    kept.withLock { $0 = Kept(before: isOpening ? next : $0.last, last: next) }
    look()
  }

  /// Turns full streams into files until the task is cancelled.
  func work() async {
    while !Task.isCancelled {
      do throws(FileError) { try finishFull(before: kept.withLock { $0.before }) } catch { tell(error) }
      await bell.sleepCancellably()
    }
  }

  /// Turns all that is left into files.
  func finishAll() throws(FileError) {
    try finishFull(before: .max)
    guard let file = numbers.finished else { return }
    try finish(target, to: file, numbers)
  }

  /// Throws only what may be over soon. Streams that cannot be read, or that somebody else uses, stay.
  private func finishFull(before limit: Int) throws(FileError) {
    let numbers = numbers
    for number in try numbers.unfinished() where number < limit {
      guard let file = numbers.finished(number), !Task.isCancelled else { return }
      do throws(FileError) { try finish(numbers.stream(number), to: file, numbers) } catch {
        if error.mayPass { throw error }
        tell(error)
      }
    }
  }

  private func tell(_ error: FileError) {
    if Task.isCancelled || !told.insert("\(error)").inserted { return }
    context.logger.warning("\(error); its stream stays")
    context.note("\(error); its stream stays")
  }
}
