internal import StockbusFiles
package import StockbusPlugin
package import StockbusRuntime

/// The requests that clients may make to a run.
package struct RunControl: Sendable {
  /// Identifies the run.
  package struct Identity: Sendable, Hashable {
    package var name: String
    package var process: Int
    package var version: String
    package var started: Timestamp

    package init(name: String, process: Int, version: String, started: Timestamp) {
      self.name = name
      self.process = process
      self.version = version
      self.started = started
    }
  }

  package let identity: Identity
  let pipeline: Pipeline
  let reload: ConfigReload
  private let end: EndOfRun
  /// The number of active inquiries about symbols.
  private let inquiries = Guarded(0)

  package init(_ pipeline: Pipeline, _ reload: ConfigReload, _ identity: Identity) {
    self.pipeline = pipeline
    self.reload = reload
    self.identity = identity
    end = EndOfRun()
  }

  /// Called when the run has ended; passes the report to the clients that wait for it.
  package func ended(_ report: EndReport) { end.set(report) }

  /// Asks for a graceful stop and returns how the run has ended; nil if the task is cancelled before.
  func stop() async -> EndReport? {
    if !pipeline.isStopping { pipeline.logger.notice("stopping at the request of another program: sources end, the rest drains") }
    pipeline.stop()
    return await end.wait()
  }

  /// The most inquiries about symbols at a time.
  static let inquiryLimit = 4

  /// How the run treats the events of a symbol; nil if too many inquiries are active.
  func why(_ symbol: Symbol, for duration: Duration) async throws(CancellationError) -> SymbolReport? {
    let isAdmitted = inquiries.withLock { count in
      if count >= Self.inquiryLimit { return false }
      count += 1
      return true
    }
    guard isAdmitted else { return nil }
    defer { inquiries.withLock { $0 -= 1 } }
    return try await SymbolInquiry(pipeline: pipeline, symbol: symbol, duration: duration).report()
  }

  var status: RunStatus {
    let health = pipeline.health
    let ledger = pipeline.ledger
    let latencies = pipeline.latencies
    let components = pipeline.components.map { component in
      let own = health.first { $0.id == component.id }
      return RunStatus.Component(
        id: component.id, kind: component.kind.rawValue, plugin: component.plugin, inputs: component.inputs,
        state: (own?.state ?? .ended).fieldName, starts: own?.attempts ?? 0, error: own?.lastError, published: component.published,
        busy: own?.busy.map { Int($0 / .microseconds(1)) },
        latency: latencies.components[component.id].map { .init(counts: $0.counts, sum: $0.sum) })
    }
    let isStarting = health.contains { $0.state == .starting || $0.state == .planned }
    return RunStatus(
      name: identity.name, process: identity.process, version: identity.version, configuration: reload.paths.map(absolutePath),
      started: identity.started.description, uptime: Int((pipeline.clock.now.ns - identity.started.ns) / 1_000_000),
      state: pipeline.isStopping ? .stopping : isStarting ? .starting : .running, reasons: pipeline.reasons(health), components: components,
      edges: ledger.edges.map { RunStatus.Edge($0, latencies.edges[LatencyWatch.Ends(from: $0.from, to: $0.to)]) },
      counts: ledger.counters.map { .init(component: $0.component, name: $0.name, total: $0.total) })
  }

  /// Why the run is degraded.
  var reasons: [String] { pipeline.reasons(pipeline.health) }
}

/// How a run has ended.
package struct EndReport: Codable, Sendable, Hashable {
  /// The exit status of its process.
  package var status: Int
  /// The lines of the ledger, and the errors.
  package var text: String

  package init(status: Int, text: String) {
    self.status = status
    self.text = text
  }
}

/// The end of a run, for the clients that wait for it.
private final class EndOfRun: Sendable {
  private let latch = Latch()
  private let report = Guarded(EndReport?.none)

  func set(_ end: EndReport) {
    report.withLock { $0 = end }
    latch.fire()
  }

  func wait() async -> EndReport? {
    await latch.wait()
    return report.withLock { $0 }
  }
}
