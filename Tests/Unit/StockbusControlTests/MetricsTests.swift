import MarketData
import StockbusPlugin
import StockbusRuntime
import Testing

@testable import StockbusControl

/// The figures of a run as Prometheus reads them.
@Suite struct MetricsTests {
  private var status: RunStatus {
    RunStatus(
      name: "de\"sk", process: 7, version: "0.1.0", configuration: [], started: "2026-01-05T14:30:00Z", uptime: 5000, state: .running,
      reasons: ["end is failed"],
      components: [
        .init(
          id: "ticks", kind: "source", plugin: "generator", inputs: [], state: "running", starts: 1, error: nil, published: 3,
          busy: 1_020_304),
        .init(
          id: "end", kind: "sink", plugin: "null_sink", inputs: ["ticks"], state: "failed", starts: 6, error: "no", published: nil, busy: 7,
          latency: latency([0: 2, 22: 1], sum: 20_000_000_001)),
      ],
      edges: [
        .init(
          from: "ticks", to: "end", in: 21, delivered: 1, filtered: 2, dropped: 3, conflated: 4, dead: 5, waiting: 6,
          latency: latency([1: 3, 4: 2], sum: 49_500))
      ],
      counts: [.init(component: "end", name: "a\\b\nc", total: 9)])
  }

  /// - Parameter counts: by bucket.
  private func latency(_ counts: [Int: Int], sum: Int) -> RunStatus.Latency {
    .init(counts: (0..<23).map { counts[$0] ?? 0 }, sum: sum)
  }

  @Test func `every figure stands where it belongs`() {
    let lines = Metrics(status, now: 1005).text(.prometheus).split(separator: "\n").map(String.init)
    for line in [
      "stockbus_info{run=\"de\\\"sk\",version=\"0.1.0\"} 1", "stockbus_start_time_seconds 1000", "stockbus_ready 0",
      "stockbus_component_state{component=\"end\",state=\"failed\"} 1", "stockbus_component_state{component=\"end\",state=\"running\"} 0",
      "stockbus_component_starts_total{component=\"end\",kind=\"sink\",plugin=\"null_sink\"} 6",
      "stockbus_component_published_total{component=\"ticks\",kind=\"source\",plugin=\"generator\"} 3",
      "stockbus_edge_received_total{from=\"ticks\",to=\"end\"} 21",
      "stockbus_edge_events_total{from=\"ticks\",to=\"end\",outcome=\"delivered\"} 1",
      "stockbus_edge_events_total{from=\"ticks\",to=\"end\",outcome=\"filtered\"} 2",
      "stockbus_edge_events_total{from=\"ticks\",to=\"end\",outcome=\"dropped\"} 3",
      "stockbus_edge_events_total{from=\"ticks\",to=\"end\",outcome=\"conflated\"} 4",
      "stockbus_edge_events_total{from=\"ticks\",to=\"end\",outcome=\"dead\"} 5", "stockbus_edge_waiting{from=\"ticks\",to=\"end\"} 6",
      "stockbus_component_busy_seconds_total{component=\"ticks\",kind=\"source\",plugin=\"generator\"} 1.020304",
      "stockbus_component_busy_seconds_total{component=\"end\",kind=\"sink\",plugin=\"null_sink\"} 0.000007",
      "stockbus_component_latency_seconds_bucket{component=\"end\",kind=\"sink\",plugin=\"null_sink\",le=\"0.000001\"} 2",
      "stockbus_component_latency_seconds_bucket{component=\"end\",kind=\"sink\",plugin=\"null_sink\",le=\"10.0\"} 2",
      "stockbus_component_latency_seconds_bucket{component=\"end\",kind=\"sink\",plugin=\"null_sink\",le=\"+Inf\"} 3",
      "stockbus_component_latency_seconds_sum{component=\"end\",kind=\"sink\",plugin=\"null_sink\"} 20.000000001",
      "stockbus_component_latency_seconds_count{component=\"end\",kind=\"sink\",plugin=\"null_sink\"} 3",
      "stockbus_edge_latency_seconds_bucket{from=\"ticks\",to=\"end\",le=\"0.000001\"} 0",
      "stockbus_edge_latency_seconds_bucket{from=\"ticks\",to=\"end\",le=\"0.0000025\"} 3",
      "stockbus_edge_latency_seconds_bucket{from=\"ticks\",to=\"end\",le=\"0.000025\"} 5",
      "stockbus_edge_latency_seconds_sum{from=\"ticks\",to=\"end\"} 0.0000495",
      "stockbus_component_figure_total{component=\"end\",name=\"a\\\\b\\nc\"} 9",
    ] { #expect(lines.contains(line), "\(line)") }
    // A sink publishes nothing, and one state of ten is true of each component.
    #expect(!lines.contains { $0.hasPrefix("stockbus_component_published_total{component=\"end\"") })
    #expect(lines.filter { $0.hasPrefix("stockbus_component_state{") }.count == 2 * Health.State.allCases.count)
    #expect(lines.filter { $0.hasPrefix("stockbus_component_state{") && $0.hasSuffix(" 1") }.count == 2)
  }

  @Test func `each name is explained once before its samples, and OpenMetrics has an end`() {
    for form in [Metrics.Form.prometheus, .openMetrics] {
      var explained: [String] = []
      let text = Metrics(status, now: 1005).text(form)
      for line in text.split(separator: "\n").map(String.init) where line != "# EOF" {
        let words = line.split(separator: " ")
        if line.hasPrefix("# HELP ") { explained.append(String(words[2])) }
        if line.hasPrefix("# TYPE ") { #expect(words[2] == explained.last.map { Substring($0) }) }
        if line.hasPrefix("#") { continue }
        let name = String(line.prefix { $0 != "{" && $0 != " " })
        var family = form == .openMetrics && name.hasSuffix("_total") ? String(name.dropLast(6)) : name
        for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix("_seconds" + suffix) {
          family = String(name.dropLast(suffix.count))
        }
        #expect(family == explained.last, "\(line)")
      }
      #expect(Set(explained).count == explained.count)
      #expect(text.hasSuffix("# EOF\n") == (form == .openMetrics))
    }
    #expect(Metrics.Form(accepting: "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3") == .openMetrics)
    #expect(Metrics.Form(accepting: "*/*") == .prometheus && Metrics.Form(accepting: "") == .prometheus)
  }
}
