internal import StockbusPlugin
internal import StockbusRuntime

/// One component of a run and its edges: the document of `/components/ID`.
struct ComponentReport: Codable, Sendable, Hashable {
  struct Line: Codable, Sendable, Hashable {
    var time: String
    var level: String
    var message: String
  }

  struct Verb: Codable, Sendable, Hashable {
    var usage: String
    var doc: String
  }

  var component: RunStatus.Component
  /// The edges into the component and out of it.
  var edges: [RunStatus.Edge]
  var counts: [RunStatus.Count]
  var commands: [Verb]
  /// The last lines of its log, oldest first.
  var log: [Line]
}

extension RunControl {
  /// Nil if there is no such component.
  func component(_ id: String) -> ComponentReport? {
    let status = status
    guard let component = status.components.first(where: { $0.id == id }) else { return nil }
    let commands = pipeline.components.first { $0.id == id }?.commands ?? []
    return ComponentReport(
      component: component, edges: status.edges.filter { $0.from == id || $0.to == id },
      counts: status.counts.filter { $0.component == id }, commands: commands.map { .init(usage: $0.usage, doc: $0.doc) },
      log: pipeline.log(after: 0).filter { $0.component == id }.suffix(50).map {
        .init(time: $0.time.description, level: $0.level.rawValue, message: $0.message)
      })
  }
}
