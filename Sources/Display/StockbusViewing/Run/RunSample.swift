package import StockbusPlugin

/// The state of the run at one moment, with the rates of the seconds before.
package struct RunSample {
  package var components: [RunComponent] = []
  package var edges: [RunEdge] = []
  /// When it was sampled, in nanoseconds of uptime.
  package var time: Int64 = 0
  /// Events delivered per second, by edge, as `from>to`; without those that were not counted for long enough yet.
  package private(set) var rates: [String: Double] = [:]
  /// Events published per second, by component, as `rates`.
  package private(set) var published: [String: Double] = [:]
  private var meters: [String: RateMeter] = [:]

  package init() {}

  package init(_ components: [RunComponent], _ edges: [RunEdge], at time: Int64, after previous: RunSample) {
    self.components = components
    self.edges = edges
    self.time = time
    meters = previous.meters
    for edge in edges { rates[Self.key(edge)] = meters[Self.key(edge), default: RateMeter()].count(edge.counts.published, at: time) }
    for component in components {
      if let count = component.published { published[component.id] = meters[component.id, default: RateMeter()].count(count, at: time) }
    }
  }

  package static func key(_ edge: RunEdge) -> String { "\(edge.from)>\(edge.to)" }

  package func rate(of edge: RunEdge) -> Double { rates[Self.key(edge)] ?? 0 }

  package var dropped: Int { edges.reduce(0) { $0 + $1.counts.dropped } }
  package var conflated: Int { edges.reduce(0) { $0 + $1.counts.conflated } }

  /// The first running component that takes a command.
  package func component(taking verb: String) -> RunComponent? {
    components.first { component in component.isRunning && component.commands.contains { $0.verb == verb } }
  }

  /// The running components that offer a door of this type, upstream first.
  package func components<Offer: Sendable>(offering door: Offer.Type) -> [RunComponent] {
    components.filter { $0.isRunning && $0.offers(door) }
  }
}
