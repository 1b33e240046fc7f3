import ArgumentParser
import EventBus
import StockbusPlugin

struct Describe: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Describe a plugin: what it takes and emits, its options, commands and an example.")

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case jsonSchema = "json-schema"
  }

  @ArgumentParser.Option(help: "text, or json-schema for the schema of its options.")
  var format = Format.text

  @Argument(help: "A plugin's name, as 'stockbus list' shows it.", completion: .list(builtIn.plugins.map(\.name)))
  var plugin: String

  func run() throws {
    guard let found = builtIn[plugin] else {
      let names = builtIn.plugins.map(\.name)
      throw ValidationError(
        "unknown plugin '\(plugin)'"
          + (suggestion(for: plugin, among: names).map { "; did you mean '\($0)'?" } ?? "; there are \(names.joined(separator: ", "))"))
    }
    switch format {
    case .text: StandardOutput.write(Self.text(found))
    case .jsonSchema: StandardOutput.write(found.options.jsonSchema.pretty)
    }
  }

  static func text(_ plugin: Plugin) -> String {
    var parts = ["\(plugin.name): \(plugin.kind.rawValue)", "", plugin.doc, ""]
    if plugin.takesInputs { parts.append("Takes  \(plugin.acceptedTypes)") }
    if let emits = plugin.emittedTypes { parts.append("Emits  \(emits)") }
    let help = plugin.options.help()
    parts += ["", "Options", help.isEmpty ? "  none" : indented(help)]
    if !plugin.commands.isEmpty {
      let width = plugin.commands.map(\.usage.count).max() ?? 0
      parts += ["", "Commands"]
      parts += plugin.commands.map { "  " + $0.usage + String(repeating: " ", count: width - $0.usage.count) + "  " + $0.doc }
    }
    parts += ["", "Example", indented(example(plugin))]
    return parts.joined(separator: "\n")
  }

  /// A component as a configuration has it: required options with a value to fill in, the others commented.
  static func example(_ plugin: Plugin) -> String {
    var lines = ["\(plugin.kind.rawValue)s:", "  my_\(plugin.name):", "    plugin: \(plugin.name)"]
    if plugin.takesInputs { lines.append("    inputs: [something]") }
    let options = plugin.options.example(indent: 4)
    if !options.isEmpty { lines.append(options) }
    return lines.joined(separator: "\n")
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
  }
}
