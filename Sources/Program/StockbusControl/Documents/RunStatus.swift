package import StockbusPlugin
package import StockbusRuntime

/// The state of a run: the document of `/status`, which `stockbus status`, `ps` and `top` show.
package struct RunStatus: Codable, Sendable, Hashable {
  package enum State: String, Codable, Sendable, Hashable {
    case starting, running, stopping
  }

  package struct Component: Codable, Sendable, Hashable {
    package var id: String
    package var kind: String
    package var plugin: String
    package var inputs: [String]
    /// A name of `Health.State`.
    package var state: String
    /// How many instances were started.
    package var starts: Int
    /// Why an instance has failed last.
    package var error: String?
    /// Events it has published; nil for a sink.
    package var published: Int?
    /// How long the component has worked, in microseconds; nil if that is not counted.
    package var busy: Int?
    /// The latency from when the component takes a batch until it has finished each event of it; nil before the first sample.
    package var latency: Latency?
  }

  package struct Edge: Codable, Sendable, Hashable {
    package var from: String
    package var to: String
    package var `in`: Int
    package var delivered: Int
    package var filtered: Int
    package var dropped: Int
    package var conflated: Int
    package var dead: Int
    package var waiting: Int
    /// The latency from when an event is published until the reader has finished it; nil before the first sample.
    package var latency: Latency?
  }

  /// The latencies of sampled events so far.
  package struct Latency: Codable, Sendable, Hashable {
    /// The number of samples in each bucket of `LatencyCounts.bounds`, and above all of them.
    package var counts: [Int]
    /// The sum, in nanoseconds.
    package var sum: Int
  }

  /// A counter that a component, or the run, has defined.
  package struct Count: Codable, Sendable, Hashable {
    package var component: String
    package var name: String
    package var total: Int
  }

  package var name: String
  package var process: Int
  package var version: String
  /// The files and folders of the run's configuration; empty if it cannot be read again.
  package var configuration: [String]
  /// The start in UTC.
  package var started: String
  /// The uptime in milliseconds.
  package var uptime: Int
  package var state: State
  /// Why the run is degraded; empty if it is healthy.
  package var reasons: [String]
  package var components: [Component]
  package var edges: [Edge]
  package var counts: [Count]
}

extension RunStatus.Edge {
  package init(_ edge: RunEdge, _ latency: LatencyCounts? = nil) {
    let counts = edge.counts
    self.init(
      from: edge.from, to: edge.to, in: counts.published, delivered: counts.delivered, filtered: counts.filtered, dropped: counts.dropped,
      conflated: counts.conflated, dead: counts.deadLettered, waiting: counts.inFlight,
      latency: latency.map { RunStatus.Latency(counts: $0.counts, sum: $0.sum) })
  }

  package var edge: RunEdge {
    var counts = EdgeCounts()
    counts.published = `in`
    counts.delivered = delivered
    counts.filtered = filtered
    counts.dropped = dropped
    counts.conflated = conflated
    counts.deadLettered = dead
    counts.inFlight = waiting
    return RunEdge(from: from, to: to, counts: counts)
  }
}
