internal import StockbusConfig
internal import StockbusPlugin

/// Parses options that a test gives as YAML, as if they were in a file of their own.
enum OptionsYAML {
  static let file = "options.yaml"
  private static let head = "sources:\n  harness:\n    plugin: harness\n    options:\n"
  private static let headLines = 4
  private static let indent = 6

  /// The node of a mapping in block or flow form; nil for an empty text. Positions count from the beginning of the text.
  static func node(_ text: String) throws(Problems) -> ConfigNode? {
    let margin = String(repeating: " ", count: indent)
    let body = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n")
    let config = ConfigLoader().load(text: head + body + "\n", file: file)
    guard config.problems.isEmpty else {
      var problems = Problems()
      for problem in config.problems.list { problems.add(problem.message, at: moved(problem.mark)) }
      throw problems
    }
    guard let node = config.description.components.first?.options["options"], !node.isNull else { return nil }
    return moved(node)
  }

  private static func moved(_ mark: ConfigNode.Mark) -> ConfigNode.Mark {
    ConfigNode.Mark(file: mark.file, line: max(1, mark.line - headLines), column: max(1, mark.column - indent))
  }

  private static func moved(_ node: ConfigNode) -> ConfigNode {
    let value: ConfigNode.Value =
      switch node.value {
      case .scalar(let text): .scalar(text)
      case .list(let items): .list(items.map(moved))
      case .map(let entries): .map(entries.map { .init(key: $0.key, mark: moved($0.mark), value: moved($0.value)) })
      }
    return ConfigNode(value, at: moved(node.mark), isQuoted: node.isQuoted, isVerbatim: node.isVerbatim)
  }
}
