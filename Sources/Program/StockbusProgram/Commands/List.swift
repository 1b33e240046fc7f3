import ArgumentParser
import StockbusPlugin

struct List: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list",
      abstract: "List the plugins, each with a sentence.",
      discussion: "'\(Program.name) describe PLUGIN' shows what one takes and emits, its options and an example.")
  }

  @Flag(help: "As JSON, for programs.")
  var json = false

  func run() throws {
    let catalogue = try Program.wholeCatalogue()
    if json { return try StandardOutput.write(Self.json(catalogue).pretty) }
    try StandardOutput.write(Self.text(catalogue, width: PageWidth.ofTerminal))
    if PageWidth.ofTerminal != nil { StandardError.write("\n'\(Program.name) describe NAME' shows the options of one, and an example.") }
  }

  /// The names by kind, sources first, with a sentence beside or under each. Without a width each plugin is on one line.
  static func text(_ catalogue: Catalogue, width: Int?) -> String {
    let column = catalogue.plugins.map(\.name.count).max() ?? 0
    let groups = Blueprint.Kind.allCases.map { kind in
      NameList(
        title: kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst() + "s",
        rows: catalogue.plugins.filter { $0.kind == kind }.map { [$0.name, $0.doc] })
    }
    return groups.filter { !$0.rows.isEmpty }.map { $0.text(width: width, column: column) }.joined(separator: "\n\n")
  }

  static func json(_ catalogue: Catalogue) -> JSONValue {
    .array(
      inOrder(catalogue).map { plugin in
        [
          "name": .string(plugin.name), "kind": .string(plugin.kind.rawValue), "doc": .string(plugin.doc),
          "takes": plugin.takesInputs ? .string(plugin.acceptedTypes) : .null, "emits": plugin.emittedTypes.map { .string($0) } ?? .null,
          "options": .array(plugin.options.names.map { .string($0) }),
          "commands": .array(plugin.commands.map { .string($0.verb) }),
        ]
      })
  }

  private static func inOrder(_ catalogue: Catalogue) -> [Plugin] {
    Blueprint.Kind.allCases.flatMap { kind in catalogue.plugins.filter { $0.kind == kind } }
  }
}

extension Plugin {
  /// The description of its output; nil for most sinks.
  var emittedTypes: String? {
    if emits.isEmpty { return kind == .sink ? nil : "what it takes" }
    return emits
  }
}
