internal import StockbusPlugin
internal import StockbusRuntime

/// The figures of a run in the text format of Prometheus (version 0.0.4), or as OpenMetrics 1.0 where that is asked for.
///
/// Everything is read when it is asked for. Names of components, topics and counters are labels; how many there are is settled by the
/// configuration.
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
    case counter, gauge
  }

  /// All samples of one name.
  private struct Family {
    let name: String
    let kind: Kind
    let help: String
    var samples: [(labels: [(String, String)], value: Int)]
  }

  private let families: [Family]

  init(_ control: RunControl) { self.init(control.status, now: control.pipeline.clock.now.ns / 1_000_000_000) }

  /// - Parameter now: in seconds since 1970.
  init(_ status: RunStatus, now: Int64) {
    let components = status.components
    func ofComponents(_ value: (RunStatus.Component) -> Int?) -> [(labels: [(String, String)], value: Int)] {
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
        name: "stockbus_ready", kind: .gauge, help: "1 if all components run as they should.",
        samples: [([], status.reasons.isEmpty ? 1 : 0)]),
      Family(
        name: "stockbus_component_state", kind: .gauge, help: "1 for the state in which a component is.",
        samples: components.flatMap { component in
          ComponentHealth.State.allCases.map { state in
            ([("component", component.id), ("state", state.rawValue)], state.rawValue == component.state ? 1 : 0)
          }
        }),
      Family(
        name: "stockbus_component_starts_total", kind: .counter, help: "Instances of a component that were started.",
        samples: ofComponents(\.starts)),
      Family(
        name: "stockbus_component_published_total", kind: .counter, help: "Events that a component has published.",
        samples: ofComponents(\.published)),
      Family(
        name: "stockbus_edge_received_total", kind: .counter, help: "Events that were published for the reader of an edge.",
        samples: ofEdges(\.in)),
      Family(
        name: "stockbus_edge_events_total", kind: .counter, help: "Events of an edge by what became of them.",
        samples: status.edges.flatMap { edge in
          outcomes.map { ([("from", edge.from), ("to", edge.to), ("outcome", $0.0)], $0.1(edge)) }
        }),
      Family(
        name: "stockbus_edge_waiting", kind: .gauge, help: "Events that wait for the reader of an edge, or are in its hands.",
        samples: ofEdges(\.waiting)),
      Family(
        name: "stockbus_component_figure_total", kind: .counter,
        help: "What components count of their own, and what the run has set aside or lost.",
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
      for (labels, value) in family.samples {
        let pairs = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        text += "\(family.name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(value)\n"
      }
    }
    return form == .openMetrics ? text + "# EOF\n" : text
  }

  /// A label's value: backslashes, quotation marks and line ends are escaped.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
