import StockbusConfig
import StockbusControl
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

/// A run's status for people.
struct StatusText {
  let status: RunStatus

  /// The run, its components, and its ledger so far.
  var lines: [String] {
    [head] + status.configuration.map { "  \($0)" } + [""] + components + [""] + ledger
  }

  /// `desk: process 4242, running for 3 min, ready`; otherwise `not ready` with the reason.
  var head: String {
    "\(status.name): process \(status.process), \(status.state.rawValue) for \(Self.time(status.uptime)), \(Self.readiness(status))"
  }

  /// `ready`, or `not ready: web is backing off` with the first reason, without its details.
  static func readiness(_ status: RunStatus) -> String {
    guard let first = status.reasons.first else { return "ready" }
    let more = status.reasons.count - 1
    return "not ready: \(visible(first.split(separator: ":").first.map(String.init) ?? "", limit: 100))"
      + (more > 0 ? ", and \(more) more" : "")
  }

  private var components: [String] {
    let rows = status.components.map { component in
      [
        component.id, component.plugin, component.state.replacing("_", with: " "), "\(component.starts)",
        component.published.map { Ledger.grouped($0) } ?? "", visible(component.error ?? "", limit: 200),
      ]
    }
    return Self.table([["COMPONENT", "PLUGIN", "STATE", "STARTS", "EVENTS", "LAST ERROR"]] + rows, numbers: [3, 4])
  }

  private var ledger: [String] {
    let counters = status.counts.map { Ledger.Entry(component: $0.component, name: $0.name, total: $0.total) }
    let ledger = Ledger(edges: status.edges.map(\.edge), counters: counters)
    return ledger.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Rows in columns; columns of numbers are aligned to the right.
  static func table(_ rows: [[String]], numbers: [Int]) -> [String] {
    let widths = numbers.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let padded = rows.map { row in
      var row = row
      for (column, width) in zip(numbers, widths) {
        row[column] = String(repeating: " ", count: width - row[column].count) + row[column]
      }
      return row
    }
    return TextTable(rows: padded).lines(width: nil)
  }

  /// `12 s`, `3 min`, `5 h 12 min`, `2 d 3 h`, from milliseconds.
  static func time(_ milliseconds: Int) -> String {
    let seconds = milliseconds / 1000
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
    if days > 0 { return "\(days) d \(hours % 24) h" }
    if hours > 0 { return "\(hours) h \(minutes % 60) min" }
    return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
  }
}

/// A plan, or the result of a change, for people.
struct ChangeText {
  let report: ChangeReport

  var lines: [String] {
    let rows = report.steps.map { step in
      let waiting = step.waiting.map { waiting in
        "\(Ledger.grouped(waiting.events)) \(waiting.events == 1 ? "event waits" : "events wait") from \(waiting.from)"
      }
      let details = ([step.changed.joined(separator: ", ")] + waiting).filter { !$0.isEmpty }
      return [step.step.rawValue, step.id, details.joined(separator: "; ")]
    }
    return report.warnings + TextTable(rows: rows).lines(width: nil) + report.problems + [last]
  }

  private var last: String {
    switch report.outcome {
    case .planned: "planned: \(report.message)"
    case .done: "done: \(report.message)"
    case .invalid, .refused: "not changed: \(report.message)"
    }
  }
}

/// The changes between two moments of a run, for people.
struct TopText {
  let before: RunStatus
  let now: RunStatus

  private var seconds: Double { max(0.001, Double(now.uptime - before.uptime) / 1000) }

  /// Events a second.
  private func rate(_ now: Int, _ before: Int) -> String { Ledger.grouped(Int((Double(max(0, now - before)) / seconds).rounded())) }

  /// The share of the time, in percent, from microseconds.
  private func share(_ now: Int, _ before: Int) -> String {
    let tenths = Int((Double(max(0, now - before)) / seconds / 1000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
  }

  /// The bound below which 99 of 100 samples between the two moments were: `≤ 25 µs`; empty if there were no samples.
  private static func p99(_ now: [RunStatus.Latency], _ before: [RunStatus.Latency]) -> String {
    var counts = [Int](repeating: 0, count: LatencyCounts.bounds.count + 1)
    for latency in now { for (i, n) in latency.counts.enumerated() where i < counts.count { counts[i] += n } }
    for latency in before { for (i, n) in latency.counts.enumerated() where i < counts.count { counts[i] -= n } }
    let total = counts.reduce(0, +)
    if total <= 0 { return "" }
    var sum = 0
    for (i, n) in counts.enumerated() {
      sum += n
      if sum * 100 >= total * 99 { return i < LatencyCounts.bounds.count ? "≤ \(bound(LatencyCounts.bounds[i]))" : "> 10 s" }
    }
    return ""
  }

  /// `2.5 µs`, `100 ms`: the bounds are 1, 2.5 and 5 times a power of ten.
  private static func bound(_ nanoseconds: Int) -> String {
    let (unit, name) =
      nanoseconds < 1_000_000 ? (1000, "µs") : nanoseconds < 1_000_000_000 ? (1_000_000, "ms") : (1_000_000_000, "s")
    let tenths = nanoseconds * 10 / unit
    return tenths % 10 == 0 ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
  }

  var lines: [String] {
    let rows = now.components.map { component in
      let (edges, then) = (now.edges.filter { $0.to == component.id }, before.edges.filter { $0.to == component.id })
      func sum(_ edges: [RunStatus.Edge], _ value: (RunStatus.Edge) -> Int) -> Int { edges.reduce(0) { $0 + value($1) } }
      func done(_ edge: RunStatus.Edge) -> Int { edge.in - edge.waiting }
      let earlier = before.components.first { $0.id == component.id }
      return [
        component.id, component.plugin, component.state.replacing("_", with: " "),
        edges.isEmpty ? "" : rate(sum(edges, done), sum(then, done)),
        component.published.map { rate($0, earlier?.published ?? 0) } ?? "",
        component.busy.map { share($0, earlier?.busy ?? 0) } ?? "", Self.p99(edges.compactMap(\.latency), then.compactMap(\.latency)),
        edges.isEmpty ? "" : Ledger.grouped(sum(edges) { $0.waiting }),
        edges.isEmpty ? "" : Ledger.grouped(sum(edges) { $0.dropped + $0.conflated + $0.dead }), "\(component.starts)",
        visible(component.error ?? "", limit: 60),
      ]
    }
    let head = ["COMPONENT", "PLUGIN", "STATE", "IN/S", "OUT/S", "BUSY", "P99", "WAITING", "LEFT OUT", "STARTS", "LAST ERROR"]
    return [StatusText(status: now).head, ""] + StatusText.table([head] + rows, numbers: [3, 4, 5, 6, 7, 8, 9])
  }
}
