internal import StockbusPlugin
internal import StockbusRuntime

/// The figures of a run in the text format of Prometheus (version 0.0.4), or as OpenMetrics 1.0 on request.
///
/// Everything is read at the time of the request. Names of components, topics and counters are labels; the configuration determines their
/// number.
struct Metrics {
  enum Form: Equatable {
    case prometheus, openMetrics

    init(accepting types: String) { self = types.contains("application/openmetrics-text") ? .openMetrics : .prometheus }

    var type: String {
      self == .prometheus
        ? "text/plain; version=0.0.4; charset=utf-8" : "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }

  private enum Kind: String {
    case counter, gauge, histogram
  }

  private struct Sample {
    /// The part of the name after the family's name.
    var suffix = ""
    var labels: [(String, String)]
    var value: String
  }

  /// All samples with one name.
  private struct Family {
    let name: String
    let kind: Kind
    let help: String
    let samples: [Sample]

    init(name: String, kind: Kind, help: String, samples: [(labels: [(String, String)], value: Int)]) {
      self.init(name: name, kind: kind, help: help, samples: samples.map { Sample(labels: $0.labels, value: "\($0.value)") })
    }

    init(name: String, kind: Kind, help: String, samples: [Sample]) {
      self.name = name
      self.kind = kind
      self.help = help
      self.samples = samples
    }

    /// A histogram in seconds: the count of each bucket includes all smaller buckets.
    init(name: String, help: String, latencies: [(labels: [(String, String)], value: RunStatus.Latency)]) {
      let samples = latencies.flatMap { labels, latency in
        var count = 0
        let buckets = latency.counts.enumerated().map { i, n in
          count += n
          let bound = i < LatencyCounts.bounds.count ? Metrics.seconds(LatencyCounts.bounds[i], 9) : "+Inf"
          return Sample(suffix: "_bucket", labels: labels + [("le", bound)], value: "\(count)")
        }
        return buckets + [
          Sample(suffix: "_sum", labels: labels, value: Metrics.seconds(latency.sum, 9)),
          Sample(suffix: "_count", labels: labels, value: "\(count)"),
        ]
      }
      self.init(name: name, kind: .histogram, help: help, samples: samples)
    }
  }

  private let families: [Family]

  init(_ control: RunControl) { self.init(control.status, now: control.pipeline.clock.now.ns / 1_000_000_000) }

  /// - Parameter now: in seconds since 1970.
  init(_ status: RunStatus, now: Int64) {
    let components = status.components
    func ofComponents<Value>(_ value: (RunStatus.Component) -> Value?) -> [(labels: [(String, String)], value: Value)] {
      components.compactMap { component in
        value(component).map { ([("component", component.id), ("kind", component.kind), ("plugin", component.plugin)], $0) }
      }
    }
    func ofEdges(_ value: (RunStatus.Edge) -> Int) -> [(labels: [(String, String)], value: Int)] {
      status.edges.map { ([("from", $0.from), ("to", $0.to)], value($0)) }
    }
    let outcomes: [(String, (RunStatus.Edge) -> Int)] = [
      ("delivered", \.delivered), ("filtered", \.filtered), ("dropped", \.dropped), ("conflated", \.conflated), ("dead", \.dead),
    ]
    families = [
      Family(
        name: "stockbus_info", kind: .gauge, help: "The program and the run.",
        samples: [([("run", status.name), ("version", status.version)], 1)]),
      Family(
        name: "stockbus_start_time_seconds", kind: .gauge, help: "When the run has started, in seconds since 1970.",
        samples: [([], Int(now) - status.uptime / 1000)]),
      Family(
        name: "stockbus_ready", kind: .gauge, help: "1 if all components run normally.",
        samples: [([], status.reasons.isEmpty ? 1 : 0)]),
      Family(
        name: "stockbus_component_state", kind: .gauge, help: "1 for the state in which a component is.",
        samples: components.flatMap { component in
          Health.State.allCases.map { state in
            ([("component", component.id), ("state", state.fieldName)], state.fieldName == component.state ? 1 : 0)
          }
        }),
      Family(
        name: "stockbus_component_starts_total", kind: .counter, help: "Instances of a component that were started.",
        samples: ofComponents(\.starts)),
      Family(
        name: "stockbus_component_published_total", kind: .counter, help: "Events that a component has published.",
        samples: ofComponents(\.published)),
      Family(
        name: "stockbus_component_busy_seconds_total", kind: .counter,
        help: "The processor time of a component, or the time of its own thread.",
        samples: ofComponents(\.busy).map { Sample(labels: $0.labels, value: Self.seconds($0.value, 6)) }),
      Family(
        name: "stockbus_component_latency_seconds",
        help: "The time from when a component receives an event until it has finished it, by samples.", latencies: ofComponents(\.latency)),
      Family(
        name: "stockbus_edge_received_total", kind: .counter, help: "Events that were published for the reader of an edge.",
        samples: ofEdges(\.in)),
      Family(
        name: "stockbus_edge_events_total", kind: .counter, help: "Events of an edge by outcome.",
        samples: status.edges.flatMap { edge in
          outcomes.map { ([("from", edge.from), ("to", edge.to), ("outcome", $0.0)], $0.1(edge)) }
        }),
      Family(
        name: "stockbus_edge_waiting", kind: .gauge,
        help: "Events of an edge that wait for its reader, or that the reader processes at the moment.",
        samples: ofEdges(\.waiting)),
      Family(
        name: "stockbus_edge_latency_seconds",
        help: "The time from when an event is published until the reader has finished it, by samples.",
        latencies: status.edges.compactMap { edge in edge.latency.map { ([("from", edge.from), ("to", edge.to)], $0) } }),
      Family(
        name: "stockbus_component_figure_total", kind: .counter,
        help: "The components' own counters, and the run's dead and lost events.",
        samples: status.counts.map { ([("component", $0.component), ("name", $0.name)], $0.total) }),
    ]
  }

  func text(_ form: Form) -> String {
    var text = ""
    for family in families where !family.samples.isEmpty {
      // OpenMetrics names a counter without the ending of its samples.
      let isCounter = family.kind == .counter && form == .openMetrics
      let name = isCounter ? String(family.name.dropLast("_total".count)) : family.name
      text += "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind.rawValue)\n"
      for sample in family.samples {
        let pairs = sample.labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        text += "\(family.name)\(sample.suffix)\(pairs.isEmpty ? "" : "{\(pairs)}") \(sample.value)\n"
      }
    }
    return form == .openMetrics ? text + "# EOF\n" : text
  }

  /// A number of `10^-decimals` seconds as seconds, exactly, with at least one decimal.
  private static func seconds(_ number: Int, _ decimals: Int) -> String {
    let digits = String(number)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    var fraction = padded.suffix(decimals)
    while fraction.count > 1, fraction.last == "0" { fraction.removeLast() }
    return "\(padded.dropLast(decimals)).\(fraction)"
  }

  /// A label's value: backslashes, quotation marks and line ends are escaped.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
