internal import StockbusPlugin

extension Topology {
  /// The symbols that can reach a component, if all its sources know theirs; otherwise nil.
  package func symbols(reaching id: String) -> Set<String>? { emitted(upTo: id)[id].flatMap(\.self) }

  /// Allowed but probably unintended settings, each with its place: `plugins.yaml:9:15: warning: …`.
  package var warnings: [String] { doubts + symbolWarnings }

  /// Symbols that components name but that none of their sources has.
  private var symbolWarnings: [String] {
    let reaching = emitted(upTo: nil)
    var warnings: [String] = []
    for node in nodes {
      guard let known = reaching[node.id].flatMap(\.self), !known.isEmpty else { continue }
      for (name, mark) in node.assembly.namedSymbols() {
        if warnings.count == Self.mostWarnings { return warnings }
        guard !MissingSymbols.sentences([name], cameInstead: known).isEmpty else { continue }
        let near = MissingSymbols.meant(by: name, among: known.sorted()).map { "; did you mean \(shown($0))?" } ?? ""
        warnings.append("\(mark.place): warning: \(node.id): no source has \(shown(name))\(near)")
      }
    }
    return warnings
  }

  private static var mostWarnings: Int { 20 }
  /// The most symbols of a source that are compared, because comparing more takes too long.
  private static var mostSymbols: Int { 10_000 }

  /// The symbols that reach each component, or leave it if it is a source; nil if they are not known.
  private func emitted(upTo last: String?) -> [String: Set<String>?] {
    var emitted: [String: Set<String>?] = [:]
    for node in nodes {
      var symbols: Set<String>? = []
      if node.inputs.isEmpty {
        symbols = node.assembly.knownSymbols().flatMap { $0.count > Self.mostSymbols ? nil : Set($0) }
      }
      for input in node.inputs where RunTopic(rawValue: input.from) == nil {
        if let more = emitted[input.from].flatMap(\.self), let known = symbols { symbols = known.union(more) } else { symbols = nil }
      }
      emitted.updateValue(symbols, forKey: node.id)
      if node.id == last { break }
    }
    return emitted
  }
}
