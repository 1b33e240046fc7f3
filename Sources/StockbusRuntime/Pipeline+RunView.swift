internal import EventBus
internal import StockbusConfig
public import StockbusPlugin
internal import Synchronization

extension Pipeline: RunView {
  public var components: [RunComponent] {
    let running = Set(runningComponents)
    return entries.map { entry in
      RunComponent(
        id: entry.plan.id, kind: entry.plan.blueprint.kind, plugin: entry.plan.plugin.name, inputs: entry.plan.inputs.map(\.from),
        commands: entry.plan.blueprint.commands, isRunning: running.contains(entry.plan.id), published: entry.node.output?.published)
    }
  }

  public var edges: [RunEdge] {
    entries.flatMap { entry in entry.node.inlets.map { RunEdge(from: $0.name, to: entry.plan.id, counts: $0.counts) } }
  }

  public func log(after number: Int) -> [RunLogLine] { runLog.lines(after: number) }

  public func waitForStop() async { await stopSignal.wait() }
}

/// A run as its components see it: made before the run is, and not what keeps it alive.
final class ComponentRunView: RunView {
  private struct Reference {
    weak var pipeline: Pipeline?
  }

  private let reference = Mutex(Reference())

  func show(_ pipeline: Pipeline) { reference.withLock { $0.pipeline = pipeline } }

  private var pipeline: Pipeline? { reference.withLock { $0.pipeline } }

  var components: [RunComponent] { pipeline?.components ?? [] }
  var edges: [RunEdge] { pipeline?.edges ?? [] }
  func log(after number: Int) -> [RunLogLine] { pipeline?.log(after: number) ?? [] }

  func perform(_ command: Command, on id: String) async throws(CommandError) -> String {
    guard let pipeline else { throw CommandError("the run is over") }
    return try await pipeline.perform(command, on: id)
  }

  func stop() { pipeline?.stop() }
  var cutOff: Duration? { pipeline?.cutOff }

  func waitForStop() async {
    // Only the signal, so that whoever waits does not keep the run.
    let signal = pipeline?.stopSignal
    await signal?.wait()
  }
}
