import ArgumentParser
import StockbusPlugin

struct List: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list",
      abstract: "List the plugins with what they take, emit and do.",
      discussion: "'\(Program.name) describe PLUGIN' shows the details of one.")
  }

  @Flag(help: "As JSON, for programs.")
  var json = false

  func run() throws {
    let catalogue = try Program.wholeCatalogue()
    try StandardOutput.write(json ? Self.json(catalogue).pretty : Self.text(catalogue, width: PageWidth.ofTerminal))
  }

  /// A table, sources first.
  static func text(_ catalogue: Catalogue, width: Int?) -> String {
    let rows = inOrder(catalogue).map { plugin in
      [
        plugin.name, plugin.kind.rawValue, plugin.takesInputs ? plugin.acceptedTypes : "-", plugin.emittedTypes ?? "-", plugin.doc,
      ]
    }
    return TextTable(rows: [["PLUGIN", "KIND", "TAKES", "EMITS", "WHAT IT DOES"]] + rows).lines(width: width).joined(separator: "\n")
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
