internal import StockbusPlugin

extension Topology {
  /// The symbols that can reach a component, where all its sources know theirs; nil where one does not.
  public func symbols(reaching id: String) -> Set<String>? { emitted(upTo: id)[id].flatMap(\.self) }

  /// What need not be wrong but is hardly meant, each with its place: `plugins.yaml:9:15: warning: …`.
  public var warnings: [String] { doubts + symbolWarnings }

  /// Symbols that components name and that none of their sources has.
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
  /// Of larger markets nobody knows all symbols by heart, and comparing takes its time.
  private static var mostSymbols: Int { 10_000 }

  /// What reaches each component and, where it is a source, leaves it; nil where that is not known.
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
