import LibC
import StockbusConfig
import StockbusPlugin

/// Where a test keeps the files that sinks write.
struct TestFolder {
  let path: String

  /// The sink with its files in the folder of the test; nil if it may have other effects.
  func sink(_ sink: ComponentDescription, _ node: PlannedNode) -> ComponentDescription? {
    guard node.assembly.component is any FileWritingComponent.Type else { return nil }
    let places = node.assembly.files.filter { if case .write = $0.use.access { true } else { false } }.map(\.mark)
    return sink.with(sink.options.replacing(places) { "\(path)/\(sink.id)-\(places.firstIndex(of: $0) ?? 0)\(Self.suffix($1))" })
  }

  /// The file's extension, which may say its format.
  private static func suffix(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return name.firstIndex(of: ".").map { String(name[$0...]) } ?? ""
  }
}

extension ConfigNode {
  /// The same with other texts at these places.
  fileprivate func replacing(_ places: [Mark], with text: (Mark, String) -> String) -> ConfigNode {
    switch value {
    case .scalar(let old): places.contains(mark) ? ConfigNode(.scalar(text(mark, old)), at: mark, isQuoted: true) : self
    case .list(let items): ConfigNode(.list(items.map { $0.replacing(places, with: text) }), at: mark)
    case .map(let entries):
      ConfigNode(.map(entries.map { Entry(key: $0.key, mark: $0.mark, value: $0.value.replacing(places, with: text)) }), at: mark)
    }
  }
}
