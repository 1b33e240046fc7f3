internal import StockbusPlugin

/// How a run treats the events of one symbol: the document of `/symbols/SYMBOL/why`, which `stockbus why` shows.
package struct SymbolReport: Codable, Sendable, Hashable {
  /// A component's reason for its treatment of the symbol.
  package struct Reason: Codable, Sendable, Hashable {
    /// A name of `Explanation.Verdict`.
    package var verdict: String
    package var reason: String
    /// The setting that decides, such as `symbols[2]`, and where the setting, or its parent, is written.
    package var setting: String?
    package var place: String?
    /// The time in UTC.
    package var time: String?
  }

  package struct Component: Codable, Sendable, Hashable {
    package var id: String
    package var kind: String
    package var plugin: String
    /// Where the component is written, such as `plugins.yaml:9:3`; nil if it is from no configuration.
    package var place: String?
    /// A name of `Health.State`.
    package var state: String
    /// Events of the symbol published on the component's inputs during the watch; nil for a source, and for inputs without symbols.
    package var `in`: Int?
    /// Events of the symbol that the component has published during the watch; nil for a sink, and if its events have no symbol.
    package var out: Int?
    /// The last of these, as JSON.
    package var last: String?
    /// Events of all symbols that the component's edges have dropped or conflated during the watch.
    package var leftOut: Int
    package var reasons: [Reason]

    /// True if the component takes no more events.
    var isOver: Bool { ["ended", "failed", "cut_off"].contains(state) }
  }

  package var symbol: String
  /// How long events were watched, in milliseconds.
  package var watched: Int
  /// The result, in one sentence.
  package var verdict: String
  /// Events that the watch itself has missed, because there were too many.
  package var missed: Int
  /// Upstream first.
  package var components: [Component]
}

extension SymbolReport {
  /// Says which component the symbol is from, and behind which component none of its events are seen.
  static func verdict(_ symbol: String, watched: Int, _ components: [Component]) -> String {
    let name = shown(symbol)
    let sources = components.filter { $0.kind == "source" && ($0.out ?? 0) > 0 }
    if sources.isEmpty {
      let time = Duration.milliseconds(watched).optionText
      return "no source sent \(name) within \(time); the reasons below are from before"
    }
    let offered = components.filter { ($0.in ?? 0) > 0 }
    let over = offered.filter(\.isOver)
    let stops = offered.filter { !$0.isOver && $0.out == 0 && $0.kind == "processor" }
    let reached = offered.filter { !$0.isOver && $0.kind == "sink" }.map(\.id)
    let ends = reached.isEmpty ? "\(name) reaches no sink" : "\(name) reaches \(reached.joined(separator: ", "))"
    return
      ([ends] + stops.map { "\($0.id) published no event of it" }
      + over.map { "\($0.id) \($0.state == "ended" ? "has ended" : $0.state == "failed" ? "has failed" : "was cut off")" })
      .joined(separator: "; ")
  }
}
