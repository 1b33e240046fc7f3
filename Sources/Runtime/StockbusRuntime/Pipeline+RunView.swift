internal import StockbusConfig
package import StockbusPlugin
internal import Synchronization

extension Pipeline: RunView {
  package var components: [RunComponent] {
    members.map { member in
      RunComponent(
        id: member.id, kind: member.plan.plugin.kind, plugin: member.plan.plugin.name, inputs: member.plan.inputs.map(\.from),
        commands: member.plan.blueprint.commands, doors: member.plan.blueprint.doors, isRunning: member.isRunning,
        published: member.slot.output?.published)
    }
  }

  package var edges: [RunEdge] { tally.edges }

  package var problems: [String] {
    let failing: Set<Health.State> = [.degraded, .backingOff, .failed, .cutOff]
    return [reloadProblem.withLock { $0 }].compactMap { $0 } + health.filter { failing.contains($0.state) }.map(\.sentence)
  }

  package func log(after number: Int) -> [RunLogLine] { runLog.lines(after: number) }

  package func waitForStop() async { await stopSignal.wait() }
}

/// The components' view of a run. It is made before the run, and does not keep the run alive.
final class ComponentRunView: RunView {
  private struct Reference {
    weak var pipeline: Pipeline?
  }

  private let reference = Mutex(Reference())

  func show(_ pipeline: Pipeline) { reference.withLock { $0.pipeline = pipeline } }

  private var pipeline: Pipeline? { reference.withLock { $0.pipeline } }

  var components: [RunComponent] { pipeline?.components ?? [] }
  var edges: [RunEdge] { pipeline?.edges ?? [] }
  var problems: [String] { pipeline?.problems ?? [] }
  func log(after number: Int) -> [RunLogLine] { pipeline?.log(after: number) ?? [] }

  func perform(_ command: Command, on id: String) async throws(CommandError) -> String {
    guard let pipeline else { throw .runIsOver }
    return try await pipeline.perform(command, on: id)
  }

  func door<Offer: Sendable>(_ door: Offer.Type, of id: String) throws(CommandError) -> Offer {
    guard let pipeline else { throw .runIsOver }
    return try pipeline.door(door, of: id)
  }

  func stop() { pipeline?.stop() }
  var cutOff: Duration? { pipeline?.cutOff }

  func waitForStop() async {
    // Holds only the signal, so that a waiting component does not keep the run alive.
    let signal = pipeline?.stopSignal
    await signal?.wait()
  }
}
