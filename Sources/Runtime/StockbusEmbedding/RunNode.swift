internal import StockbusConfig
internal import StockbusPlugin

/// One component of a run that is wired in code.
///
/// ```swift
/// RunNode("ranked", .sortingFeed, inputs: ["ticks"], options: ["by": "price", "top": 5])
/// ```
public struct RunNode: Sendable {
  /// An input: the id of a component, or a topic of the run such as `dead_letters`; with options of the edge where the defaults do not fit.
  public struct Input: Sendable, ExpressibleByStringLiteral {
    let from: String
    let options: JSONValue

    /// - Parameter options: the keys beside `from` in a configuration, such as `["overflow": "conflate"]`.
    public init(_ from: String, options: JSONValue = [:]) {
      self.from = from
      self.options = options
    }

    public init(stringLiteral value: String) { self.init(value) }
  }

  let id: String
  let plugin: Plugin
  let inputs: [Input]
  let options: JSONValue
  let mark: ConfigNode.Mark

  /// - Parameters:
  ///   - id: lower-case letters, digits, `_` and `-`, unique in a run.
  ///   - options: an object with the keys of a configuration except `plugin` and `inputs`: the plugin's options, and `merge`, `supervision`
  ///   and `output`. Durations, prices and the like are texts, as in a configuration; `$` is a plain character.
  ///   - file: where problems are reported.
  ///   - line: where problems are reported.
  public init(
    _ id: String, _ plugin: Plugin, inputs: [Input] = [], options: JSONValue = [:], file: String = #fileID, line: Int = #line
  ) {
    self.id = id
    self.plugin = plugin
    self.inputs = inputs
    self.options = options
    mark = ConfigNode.Mark(file: file, line: line, column: 1)
  }

  /// The component as if it were written in a configuration.
  var written: (section: Section, entry: ConfigNode.Entry) {
    let section: Section =
      switch plugin.kind {
      case .source: .source
      case .processor: .processor
      case .sink: .sink
      }
    let edges = inputs.map { input -> JSONValue in
      if case .object(let members) = input.options { return .object([.init("from", .string(input.from))] + members) }
      return ["from": .string(input.from), "options": input.options]
    }
    var members: [JSONValue.Member] = [.init("plugin", .string(plugin.name))]
    if !inputs.isEmpty { members.append(.init("inputs", .array(edges))) }
    return (section, .init(key: id, mark: mark, value: ConfigNode(.object(members + options.members), at: mark)))
  }

  /// The problems that the check of a configuration does not find.
  var faults: [String] {
    func fault(_ text: String) -> String { "\(mark.place): error: \(plugin.kind.rawValue) \(shown(id)): \(text)" }
    guard case .object(let members) = options else { return [fault("its options are not an object; write them as in [\"by\": \"price\"]")] }
    return members.filter { ["plugin", "inputs"].contains($0.name) }.map {
      fault("'\($0.name)' is not an option; RunNode has a parameter for it")
    }
  }
}
