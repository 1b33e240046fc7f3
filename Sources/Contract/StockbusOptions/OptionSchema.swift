/// JSON Schema, draft 2020-12.
///
/// The schema accepts everything that decoding accepts: any scalar may also be text, and a text with a variable such as `${PORT}` may have
/// any value. The exceptions, which a schema cannot express, are empty values, and variables in a text of limited length.
enum OptionSchema {
  /// A text that matches `pattern` or contains a variable.
  static func text(_ pattern: String, or types: [JSONValue] = []) -> JSONValue {
    let type: JSONValue = types.isEmpty ? "string" : .array(types + ["string"])
    return ["type": type, "pattern": .string("^(\(pattern))$|\(variable)")]
  }

  /// A variable in a text.
  static let variable = #"\$\{"#

  /// A schema for one of these words.
  static func words(_ words: [String]) -> JSONValue {
    ["anyOf": [["enum": .array(words.map(JSONValue.string))], ["type": "string", "pattern": .string(variable)]]]
  }

  /// A mapping with these options and no others.
  static func object(_ infos: [OptionInfo]) -> JSONValue {
    var members: [JSONValue.Member] = [.init("type", "object")]
    members.append(.init("properties", .object(infos.map { .init($0.name, $0.schema) })))
    let required = infos.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { members.append(.init("required", .array(required))) }
    members.append(.init("additionalProperties", false))
    return .object(members)
  }
}

extension Options {
  /// A JSON Schema document (draft 2020-12) for these options and no others.
  public static var jsonSchema: JSONValue {
    .object([.init("$schema", "https://json-schema.org/draft/2020-12/schema")] + objectSchema.members)
  }

  /// The same document without the `$schema` member, for use in a larger schema.
  public static var objectSchema: JSONValue { OptionSchema.object(describe()) }
}
