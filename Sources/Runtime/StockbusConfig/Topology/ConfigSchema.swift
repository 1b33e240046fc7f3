internal import StockbusInstruments
package import StockbusPlugin

extension Catalogue {
  /// A JSON Schema document (draft 2020-12) for whole configurations with these plugins: every component has the options of its plugin and
  /// no others. It cannot express what only the checker can decide, such as whether an input exists.
  package var configSchema: JSONValue {
    var sections: [JSONValue.Member] = []
    var definitions: [JSONValue.Member] = []
    for section in Section.allCases {
      let fitting = plugins.filter { $0.kind.rawValue == section.rawValue }
      sections.append(.init(section.key, ["type": ["object", "null"], "additionalProperties": Self.reference(section.rawValue)]))
      definitions.append(.init(section.rawValue, Self.component(fitting)))
      definitions += fitting.map { .init("plugin_\($0.name)", component($0)) }
    }
    sections.append(.init("runtime", Self.orNothing(RunSettings.objectSchema)))
    sections.append(.init("instruments", Self.orNothing(InstrumentSchema.instruments)))
    sections.append(.init("calendars", Self.orNothing(InstrumentSchema.calendars)))
    sections.append(
      .init(
        "history",
        [
          "description": "A history file, which provides previous closes, last prices and charts.", "type": ["string", "null"],
        ]))
    sections.append(
      .init(
        "plugin_path",
        [
          "description": "Folders with further plugins, in addition to those of the program and of the user's own folder.",
          "anyOf": [["type": ["string", "null"]], ["type": "array", "items": ["type": "string"]]],
        ]))
    definitions.append(.init("inputs", Self.inputs))
    definitions.append(.init("merge", Self.merge))
    if plugins.contains(where: { $0.typeOption != nil }) {
      definitions.append(.init("event_type", ["anyOf": Self.words(events.map { $0.eventName })]))
    }
    definitions.append(.init("supervision", Self.orNothing(SupervisionPolicy.objectSchema)))
    definitions.append(.init("output", Self.orNothing(OutputSettings.objectSchema)))
    definitions.append(.init("past", PastSettings.objectSchema))
    if let isolation { definitions.append(.init("isolation", Self.schema(of: isolation))) }
    return [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A stockbus configuration", "type": ["object", "null"],
      "properties": .object(sections), "patternProperties": ["^x-": true], "additionalProperties": false, "$defs": .object(definitions),
    ]
  }

  private static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/$defs/\(name)")] }

  /// Also accepts an empty value, which counts as none.
  private static func orNothing(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }

  /// The plugin decides which options there are. If its name is a variable, any option is allowed.
  private static func component(_ plugins: [Plugin]) -> JSONValue {
    let names: JSONValue = .array(plugins.map { .string($0.name) })
    let cases = plugins.map { plugin -> JSONValue in
      [
        "if": ["properties": ["plugin": ["const": .string(plugin.name)]], "required": ["plugin"]],
        "then": reference("plugin_\(plugin.name)"),
      ]
    }
    return [
      "type": "object", "required": ["plugin"],
      "properties": ["plugin": ["anyOf": [["enum": names], ["type": "string", "pattern": #"\$\{"#]]]],
      "allOf": .array(cases),
    ]
  }

  /// The plugin's options, and the keys that every component has.
  private func component(_ plugin: Plugin) -> JSONValue {
    let options = plugin.options.objectSchema
    var properties: [JSONValue.Member] = [.init("plugin", ["const": .string(plugin.name)])]
    var required: [JSONValue] = ["plugin"]
    if plugin.takesInputs {
      properties.append(.init("inputs", Self.reference("inputs")))
      properties.append(.init("merge", Self.reference("merge")))
      required.append("inputs")
    }
    properties += (options["properties"]?.members ?? []).map { member in
      guard member.name == plugin.typeOption else { return member }
      let texts = member.value.members.filter { ["description", "default"].contains($0.name) }
      return .init(member.name, .object(texts + Self.reference("event_type").members))
    }
    properties.append(.init("supervision", Self.reference("supervision")))
    if plugin.kind != .sink || !plugin.emits.isEmpty { properties.append(.init("output", Self.reference("output"))) }
    if plugin.takesPast { properties.append(.init("past", Self.reference("past"))) }
    if isolation != nil { properties.append(.init("isolation", Self.reference("isolation"))) }
    if case .array(let more)? = options["required"] { required += more }
    return [
      "description": .string(plugin.doc), "type": "object", "properties": .object(properties), "required": .array(required),
      "additionalProperties": false,
    ]
  }

  private static var merge: JSONValue {
    [
      "description":
        "The order of events from several inputs: as they arrive, or by their receive times (equal ones in the order of the inputs).",
      "anyOf": words(MergeOrder.allCases.map(\.rawValue)),
    ]
  }

  /// One of these words, a variable, or nothing.
  private static func words(_ names: [String]) -> JSONValue {
    [["enum": .array(names.map { .string($0) })], ["type": "string", "pattern": #"\$\{"#], ["type": "null"]]
  }

  private static func schema(of isolation: Isolation) -> JSONValue {
    [
      "description":
        "process: the component runs in its own process, so that a crash does not end the run; or a mapping with the options of the process.",
      "anyOf": [
        ["enum": ["none", "process"]], ["type": "string", "pattern": #"\$\{"#], isolation.options.objectSchema, ["type": "null"],
      ],
    ]
  }

  /// An id, or a list of ids and of mappings with `from` and the edge's own options.
  private static var inputs: JSONValue {
    let edge = EdgeSettings.objectSchema
    let from = JSONValue.Member("from", ["type": "string", "description": "The component whose output it reads."])
    let mapping: JSONValue = [
      "type": "object", "properties": .object([from] + (edge["properties"]?.members ?? [])), "required": ["from"],
      "additionalProperties": false,
    ]
    return [
      "description": "The components whose output it reads.",
      "anyOf": [["type": "string"], ["type": "array", "minItems": 1, "items": ["anyOf": [["type": "string"], mapping]]]],
    ]
  }
}
