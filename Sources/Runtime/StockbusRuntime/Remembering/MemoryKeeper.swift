package import StockbusConfig
internal import StockbusFiles
internal import StockbusPlugin

/// The memory of a run whose configuration asks for one: read before the run, and replaced when it has ended. Until then no other run has
/// the file.
package final class MemoryKeeper: Sendable {
  package let path: String
  /// What the run before has left.
  package let memory: RunMemory
  let receipts: ReceiptFile
  private let lock: LockFile

  /// Throws if another run has the file, or if it cannot be used.
  ///
  /// - Parameter forgetsAll: begins with an empty memory, also if the file is damaged.
  package init(_ path: String, forgetsAll: Bool = false) throws(MemoryFile.Failure) {
    self.path = path
    do throws(FileError) { lock = try LockFile(for: path) } catch {
      throw MemoryFile.Failure(description: error.description)
    }
    if forgetsAll {
      try MemoryFile.check(path)
      memory = RunMemory()
    } else {
      memory = try MemoryFile.read(path)
    }
    receipts = try ReceiptFile(beside: path)
  }

  /// What the run gets of it, for people.
  package func lines(in topology: Topology) -> [String] { Self.lines(memory, path, topology) }

  /// The same for a memory that was read.
  package static func lines(_ memory: RunMemory, _ path: String, _ topology: Topology) -> [String] {
    guard let time = memory.time else { return ["\(path): there is no memory of an earlier run; everything begins anew"] }
    let uses = memory.uses(in: topology)
    let kept = uses.filter { !$0.kept.isEmpty }.map { "\($0.component) (\($0.kept.joined(separator: ", ")))" }
    let goesOn = kept.isEmpty ? "nothing goes on" : "these go on: " + kept.joined(separator: ", ")
    let how = memory.isOfEndedRun ? "left" : "kept while the run went on, which has not ended since,"
    return ["\(path): \(how) at \(time); \(goesOn)"]
      + uses.compactMap { use in
        use.reason.map { "\(path): '\(use.component)' \($0): dropped: \(use.dropped.joined(separator: ", "))" }
      }
  }

  /// Lets another run have the file.
  package func release() { lock.release() }

  /// Leaves no memory to the next run.
  package func forget() throws(MemoryFile.Failure) {
    try MemoryFile.remove(path)
    receipts.end()
  }

  /// Keeps what this run leaves. Returns what cannot be written, and is left out.
  package func keep(_ memory: RunMemory) throws(MemoryFile.Failure) -> [String] {
    let left = try MemoryFile.write(memory, to: path)
    if memory.isOfEndedRun { receipts.end() }
    return left
  }

  // MARK: While the run goes on

  /// Between two memories at least, and the part of the time that taking and writing them may need.
  private static let pause = Duration.seconds(1)
  private static let share = 10

  /// How long components may take to start before the sources begin without them.
  private static let start = Duration.seconds(5)
  /// How long a run may take to halt before that is given up: at first, and after many attempts in vain.
  private static let (least, most) = (Duration.milliseconds(100), Duration.milliseconds(3200))

  /// Keeps what the run would leave, once before its sources begin and then once a second, until it stops. The file is written beside the
  /// run.
  func keepRegularly(what pipeline: Pipeline) async {
    let clock = pipeline.clock
    _ = await firstOf([pipeline.startSignal, pipeline.stopSignal], within: Self.start, clock)
    var patience = Self.least
    var trouble: (since: Duration, isTold: Bool)?
    while !pipeline.stopSignal.hasFired, !Task.isCancelled {
      let began = clock.uptime
      let number = receipts.memoryBegins()
      let obstacle = await keepNow(what: pipeline, within: patience)
      patience = obstacle == nil ? max(Self.least, patience / 2) : min(Self.most, patience * 2)
      receipts.memoryEnds(number, isKept: obstacle == nil)
      let now = clock.uptime
      pipeline.letSourcesBegin()
      if let obstacle {
        let since = trouble?.since ?? began
        let isLong = now - since >= .seconds(10)
        if isLong, trouble?.isTold != true {
          pipeline.logger.warning("\(path): the memory was not kept for \((now - since).roughText): \(obstacle)")
        }
        trouble = (since, isLong || trouble?.isTold == true)
      } else {
        if trouble?.isTold == true { pipeline.logger.notice("\(path): the memory is kept again") }
        trouble = nil
      }
      // What was in vain has cost little but waiting.
      let rest = now + (obstacle == nil ? (now - began) * Self.share : Self.least)
      await receipts.bell.sleep(until: max(began + Self.pause, rest), clock)
      // Alerts that wait for a memory do not wait for long.
      let soon = min(rest, now + Self.pause)
      if receipts.isAwaited, clock.uptime < soon, (try? await clock.sleep(until: soon)) == nil { break }
    }
    receipts.memoryEnds(.max, isKept: false)
  }

  /// Returns why it was not kept; nil if it was.
  private func keepNow(what pipeline: Pipeline, within patience: Duration) async -> String? {
    do throws(Pipeline.Obstacle) {
      let memory = try await pipeline.takeMemory(within: patience)
      do throws(MemoryFile.Failure) {
        let left = try MemoryFile.write(memory, to: path)
        return left.isEmpty ? nil : "this cannot be written: \(left.joined(separator: ", "))"
      } catch { return error.description }
    } catch { return error.description }
  }
}
