import ArgumentParser
import StockbusPlugin

struct Describe: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "describe",
      abstract: "Describe a plugin or an event type; without a name, list both.",
      discussion: """
        For a plugin: its event types, options and commands, and an example. With the name of an option that has options inside it: \
        these options, as in '\(Program.name) describe file_replay decoding'. For an event type: its fields, and an example as JSON and CSV. \
        For 'expressions': the functions of conditions.
        """)
  }

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case jsonSchema = "json-schema"
  }

  @ArgumentParser.Option(help: "text, or json-schema: the JSON Schema of a plugin's options.")
  var format = Format.text

  @Argument(
    help: "A plugin or an event type, as '\(Program.name) describe' lists them.",
    completion: .list(Program.catalogue.plugins.map(\.name) + Program.catalogue.events.map { $0.eventName }))
  var name: String?

  @Argument(help: ArgumentHelp("An option of the plugin that has options inside it, such as decoding.messages.", valueName: "option"))
  var option: String?

  func validate() throws {
    guard let name else {
      if format == .jsonSchema { throw ValidationError("--format json-schema needs the name of a plugin") }
      return
    }
    let events = Program.catalogue.events.map { $0.eventName }
    if format == .jsonSchema, Program.catalogue[name] == nil, events.contains(name) {
      throw ValidationError("\(name) is an event type; --format json-schema is for plugins")
    }
    if option != nil, format == .jsonSchema { throw ValidationError("--format json-schema is for a whole plugin") }
  }

  func run() throws {
    let (catalogue, width) = (try Program.wholeCatalogue(), PageWidth.ofTerminal ?? 100)
    guard let name else { return try StandardOutput.write(Self.overview(catalogue, width: width)) }
    if name == Self.expressions { return try StandardOutput.write(Self.expressionText(width: width)) }
    if let message = Self.unknown(name, catalogue) { throw ValidationError(message) }
    if let option {
      guard let plugin = catalogue[name] else { throw ValidationError("\(name) is an event type; only plugins have options") }
      return try StandardOutput.write(Self.text(option: option, of: plugin, width: width))
    }
    if let plugin = catalogue[name] {
      return try StandardOutput.write(format == .text ? Self.text(plugin, in: catalogue, width: width) : plugin.options.jsonSchema.pretty)
    }
    for event in catalogue.events where event.eventName == name {
      try StandardOutput.write(Self.text(event, in: catalogue, width: width))
    }
  }

  /// The message for a name that is neither a plugin nor an event type; nil for a known name.
  static func unknown(_ name: String, _ catalogue: Catalogue) -> String? {
    let plugins = catalogue.plugins.map(\.name)
    let events = catalogue.events.map { $0.eventName }
    if (plugins + events).contains(name) { return nil }
    let near = didYouMean(name, among: plugins + events)
    let known = "; plugins are \(plugins.joined(separator: ", ")); event types are \(events.joined(separator: ", "))"
    return "no plugin or event type \(shown(name))" + (near.isEmpty ? known : near)
  }

  /// A list of the plugins and the event types.
  static func overview(_ catalogue: Catalogue, width: Int?) -> String {
    let events = NameList(title: "Event types", rows: catalogue.events.map { [$0.eventName, sentence($0)] })
    return List.text(catalogue, width: width) + "\n\n"
      + events.text(width: width, column: catalogue.plugins.map(\.name.count).max() ?? 0)
  }

  static func text(_ plugin: Plugin, in catalogue: Catalogue, width: Int) -> String {
    var lines = ["\(plugin.name): a \(plugin.kind.rawValue)", ""] + wrapped(plugin.doc, width: width)
    var facts: [[String]] = []
    if plugin.takesInputs { facts.append(["Takes", plugin.acceptedTypes]) }
    if let emits = plugin.emittedTypes { facts.append(["Emits", emits]) }
    let parts = plugin.parts.map { part in
      "my_\(part.name) (\(part.emittedTypes ?? ""))"
    }
    if !parts.isEmpty { facts.append(["In parts", parts.joined(separator: ", ")]) }
    lines += [""] + TextTable(rows: facts).lines(width: width)
    let options = plugin.optionInfos
    lines += ["", "Options"] + indented(options.isEmpty ? ["none"] : Self.lines(options.help(width: width - 2)))
    // Those of a program of somebody else, which are the ones that matter.
    let own = options.first { $0.name == "options" }?.nested ?? []
    if !own.isEmpty { lines += ["", "Inside 'options'"] + indented(Self.lines(own.help(width: width - 2))) }
    lines += Self.hint(options.filter { $0.name != "options" }, plugin.name, width: width)
    let common = "Like every component it also has the keys \(plugin.commonKeys.joined(separator: ", ")): see '\(Program.name) schema'."
    lines += [""] + indented(wrapped(common, width: width - 2))
    if !plugin.commands.isEmpty {
      lines += ["", "Commands"] + indented(CommandList.lines(plugin.commands.map { [$0.usage, $0.doc] }, width: width - 2))
    }
    let example = PluginExample(plugin, in: catalogue)
    lines += ["", example.isWhole ? "Example: a whole configuration, plugins.yaml" : "Example"] + indented(example.lines)
    return lines.joined(separator: "\n")
  }
}

extension Describe {
  private static func sentence<E: Event>(_: E.Type) -> String { E.schema.doc }

  static func text<E: Event>(_: E.Type, in catalogue: Catalogue, width: Int) -> String {
    let schema = E.schema
    let makers = catalogue.plugins.filter { plugin in
      plugin.typeOption != nil && !plugin.takesInputs || plugin.emits.split(separator: ", ").contains { $0 == schema.name }
    }.map(\.name)
    let takers = catalogue.plugins.filter { $0.takesInputs && $0.fits(E.self) }.map(\.name)
    let uses = [E.self is any PricedEvent.Type ? "has a price" : nil, E.self is any SymbolEvent.Type ? "is about a symbol" : nil]
    var facts: [[String]] = []
    if !makers.isEmpty { facts.append(["Made by", makers.joined(separator: ", ")]) }
    for topic in RunTopic.allCases where topic.eventType == E.self {
      facts.append(["Made by", "the run and its components; write \(topic.rawValue) as an input"])
    }
    if !takers.isEmpty { facts.append(["Taken by", takers.joined(separator: ", ")]) }
    if let use = uses.compactMap(\.self).first { facts.append(["Counts as", "an event that \(use)"]) }
    var csv = ByteWriter(capacity: 512)
    schema.encodeCSV(schema.example, to: &csv)
    var lines = ["\(schema.name): an event type", ""] + wrapped(schema.doc, width: width)
    if !facts.isEmpty { lines += [""] + TextTable(rows: facts).lines(width: width) }
    let fields = TextTable(rows: [["NAME", "TYPE", "MEANING"]] + schema.fields.map { [$0.name, $0.kind.rawValue, $0.doc] })
    lines += ["", "Fields"] + indented(fields.lines(width: width - 2))
    // Never wrapped, so that they can be copied.
    lines += ["", "As JSON", "  " + schema.json(schema.example), "", "As CSV", "  " + schema.csvHeader, "  " + csv.string]
    return lines.joined(separator: "\n")
  }
}

extension Describe {
  /// One option and the options inside it. Throws the problem of an unknown name.
  static func text(option path: String, of plugin: Plugin, width: Int) throws -> String {
    var infos = plugin.optionInfos
    var found: OptionInfo?
    var walked = ""
    for step in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
      guard let info = infos.first(where: { $0.name == step }) else {
        let names = infos.map(\.name)
        let near = didYouMean(step, among: names)
        let known = names.isEmpty ? "; it has no options inside it" : "; there are \(names.joined(separator: ", "))"
        let place = walked.isEmpty ? "plugin '\(plugin.name)'" : "option '\(walked)'"
        throw ValidationError("\(place) has no option \(shown(step))" + (near.isEmpty ? known : near))
      }
      walked += (walked.isEmpty ? "" : ".") + step
      found = info
      infos = info.nested
    }
    guard let info = found else { return "" }
    var facts = [["Type", info.typeName]]
    if info.isRequired {
      facts.append(["Default", "none (required)"])
    } else if let text = info.defaultText {
      facts.append(["Default", text])
    }
    if let range = info.rangeText { facts.append(["Range", range]) }
    var lines = ["\(walked): an option of \(plugin.name)", ""] + wrapped(info.sentence, width: width) + [""]
    lines += TextTable(rows: facts).lines(width: width)
    if !infos.isEmpty {
      lines += ["", "Options"] + indented(Self.lines(infos.help(width: width - 2)))
      lines += hint(infos, plugin.name, inside: walked + ".", width: width)
    }
    return lines.joined(separator: "\n")
  }

  /// How to see the options inside options; empty if there are none.
  private static func hint(_ infos: [OptionInfo], _ plugin: String, inside path: String = "", width: Int) -> [String] {
    let deep = infos.filter { !$0.nested.isEmpty }.map { path + $0.name }
    guard let first = deep.first else { return [] }
    let text = "There are options inside \(deep.joined(separator: ", ")): see '\(Program.name) describe \(plugin) \(first)'."
    return [""] + indented(wrapped(text, width: width - 2))
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast(text.hasSuffix("\n") ? 1 : 0)
  }
}

extension Plugin {
  /// The keys of a component besides the plugin's own options.
  fileprivate var commonKeys: [String] {
    var keys: [String] = (takesInputs ? ["inputs", "merge"] : []) + ["supervision"]
    if kind != .sink || !emits.isEmpty { keys.append("output") }
    if takesPast { keys.append("past") }
    if Program.catalogue.isolation != nil { keys.append("isolation") }
    return keys
  }
}
