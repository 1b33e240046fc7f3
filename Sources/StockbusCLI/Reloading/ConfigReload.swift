import StockbusConfig
import StockbusPlugin
import StockbusRuntime

/// Reads the configuration again while its run goes on, and changes the run to it; says what came of it.
struct ConfigReload: Sendable {
  /// Reads and checks the configuration.
  typealias Source = @Sendable () throws(Problems) -> Topology

  private let pipeline: Pipeline
  private let source: Source
  private let requests: AsyncStream<Void>
  private let request: AsyncStream<Void>.Continuation

  init(_ pipeline: Pipeline, _ source: @escaping Source) {
    self.pipeline = pipeline
    self.source = source
    // Requests that come during a change are one further change.
    (requests, request) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Asks for a change; returns at once.
  func ask() { request.yield() }

  /// Makes the changes that are asked for, one after another, until the task is cancelled.
  func run() async {
    for await _ in requests {
      let outcome = await reload()
      for line in outcome.lines { pipeline.logger.log(level: outcome.isDone ? .notice : .error, "\(line)") }
    }
  }

  /// Makes one change; returns whether it was made, and what there is to say.
  func reload() async -> (isDone: Bool, lines: [String]) {
    let topology: Topology
    do throws(Problems) { topology = try source() } catch {
      let lines = error.sorted.map(\.description)
      return (false, lines + ["not reloaded: \(lines.count) problem\(lines.count == 1 ? "" : "s"); the run goes on as before"])
    }
    do throws(ChangeError) {
      let difference = try await pipeline.apply(topology)
      return (true, topology.warnings + [difference.summary])
    } catch {
      return (false, ["not reloaded: \(error); the run goes on as before"])
    }
  }
}

extension TopologyDifference {
  /// `reloaded: added pass; rewired screen; 6 as before`.
  var summary: String {
    let steps: [(Step, String)] = [(.added, "added"), (.removed, "removed"), (.replaced, "replaced"), (.rewired, "rewired")]
    let changes = steps.compactMap { step, word in
      let ids = ids(step)
      return ids.isEmpty ? nil : "\(word) \(ids.joined(separator: ", "))"
    }
    if changes.isEmpty { return "reloaded: nothing has changed" }
    return "reloaded: " + (changes + ["\(ids(.kept).count) as before"]).joined(separator: "; ")
  }
}
