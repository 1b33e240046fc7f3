package import StockbusConfig
package import StockbusPlugin

/// Changes a run, without stopping it, to the present contents of its configuration, or to another configuration.
package final class ConfigReload: Sendable {
  /// Reads and checks the configuration of these files and folders.
  package typealias Source = @Sendable (_ paths: [String]) throws(Problems) -> Topology

  private let pipeline: Pipeline
  private let reader: ConfigReader
  private let notices: ServiceNotices?
  private let own: Guarded<[String]?>
  private let requests: AsyncStream<Void>
  private let request: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - paths: the files and folders of the run's configuration; nil if it cannot be read again.
  ///   - notices: notified of each change.
  package init(_ pipeline: Pipeline, paths: [String]?, notices: ServiceNotices? = nil, _ source: @escaping Source) {
    self.pipeline = pipeline
    reader = ConfigReader(source)
    self.notices = notices
    own = Guarded(paths)
    // Requests that arrive during a change are combined into one further change.
    (requests, request) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The files and folders of the present configuration; empty if it cannot be read again.
  package var paths: [String] { own.withLock { $0 } ?? [] }

  /// Requests a change to the present contents of the run's configuration; returns at once.
  package func ask() { request.yield() }

  /// Makes the requested changes, one after another, until the task is cancelled.
  package func run() async {
    for await _ in requests { _ = await apply(nil) }
  }

  /// Returns what a change would do.
  /// - Parameter paths: another configuration; nil for the present contents of the run's own.
  package func plan(_ paths: [String]?) async -> ChangeReport {
    do throws(ChangeReport) {
      let next = try await read(paths)
      let difference = pipeline.difference(to: next)
      if let obstacle = pipeline.isStopping ? "the run is stopping" : difference.obstacle {
        return ChangeReport(.refused, obstacle, steps(difference), warnings: next.warnings)
      }
      return ChangeReport(.planned, difference.summary, steps(difference), warnings: next.warnings)
    } catch { return error }
  }

  /// Changes the run, and logs the result. Before that, every output checks that its file still exists. If the change succeeds, another
  /// configuration becomes the run's own.
  /// - Parameter paths: as in `plan`.
  package func apply(_ paths: [String]?) async -> ChangeReport {
    notices?.changeBegins()
    defer { notices?.changeEnds() }
    let renewed = await pipeline.renewFiles()
    var report = await change(paths)
    if report.outcome == .done, !renewed.isEmpty {
      report.message += "; recreated files: \(renewed.map { shown($0, limit: 500) }.joined(separator: ", "))"
    }
    let level: Logger.Level = report.outcome == .done ? .notice : .error
    for line in report.lines { pipeline.logger.log(level: level, "\(line)") }
    if paths == nil || report.outcome == .done { pipeline.reloadProblem.withLock { $0 = report.problem } }
    return report
  }

  private func change(_ paths: [String]?) async -> ChangeReport {
    let next: Topology
    do throws(ChangeReport) { next = try await read(paths) } catch { return error }
    do throws(ChangeError) {
      let difference = try await pipeline.apply(next)
      if let paths { own.withLock { $0 = paths } }
      return ChangeReport(.done, difference.summary, steps(difference), warnings: next.warnings)
    } catch {
      var report = ChangeReport(.refused, error.description)
      report.consequence = error.consequence
      return report
    }
  }

  private func read(_ paths: [String]?) async throws(ChangeReport) -> Topology {
    guard let paths = paths ?? own.withLock({ $0 }) else {
      throw ChangeReport(.refused, "the configuration came from standard input, and cannot be read again")
    }
    for path in paths where !ConfigLoader.canReadAgain(path) {
      throw ChangeReport(.refused, "\(shown(path)) is not a file or folder that can be read again")
    }
    do throws(Problems) { return try await reader.read(paths) } catch { throw ChangeReport(error) }
  }

  /// The steps, with the events that wait at present.
  private func steps(_ difference: TopologyDifference) -> [ChangeReport.Step] {
    let edges = pipeline.edges.filter { $0.counts.inFlight > 0 }
    return difference.entries.map { entry in
      ChangeReport.Step(
        id: entry.id, step: entry.step, changed: entry.changed,
        waiting: edges.filter { $0.to == entry.id }.map { .init(from: $0.from, events: $0.counts.inFlight) })
    }
  }
}

extension ChangeReport {
  /// The report for a configuration that cannot be used.
  package init(_ problems: Problems) {
    let lines = problems.sorted.map(\.description)
    self.init(.invalid, lines.count == 1 ? "1 problem" : "\(lines.count) problems", problems: lines)
  }
}

extension TopologyDifference {
  /// `added pass; rewired screen; 6 as before`.
  package var summary: String {
    let words: [(Step, String)] = [(.added, "added"), (.removed, "removed"), (.replaced, "replaced"), (.rewired, "rewired")]
    let changes = words.compactMap { step, word in
      let ids = ids(step)
      return ids.isEmpty ? nil : "\(word) \(ids.joined(separator: ", "))"
    }
    if changes.isEmpty { return "nothing has changed" }
    return (changes + ["\(ids(.kept).count) as before"]).joined(separator: "; ")
  }
}

/// Reads configurations on a separate thread: files may be slow, and a client's request must not block a thread of the run.
private actor ConfigReader {
  private let source: ConfigReload.Source
  private let executor = BlockingExecutor(label: "configuration")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ source: @escaping ConfigReload.Source) { self.source = source }

  func read(_ paths: [String]) throws(Problems) -> Topology { try source(paths) }
}
