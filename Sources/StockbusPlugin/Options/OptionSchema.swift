/// JSON Schema, draft 2020-12.
///
/// It refuses nothing that decoding accepts: whatever is not text may also be written as text, and a text with a variable such
/// as `${PORT}` may become anything. Only an empty value, and a variable where a text's length is limited, are beyond it.
enum OptionSchema {
  /// Text of the form `pattern`, or with a variable in it.
  static func text(_ pattern: String, or types: [JSONValue] = []) -> JSONValue {
    let type: JSONValue = types.isEmpty ? "string" : .array(types + ["string"])
    return ["type": type, "pattern": .string("^(\(pattern))$|\(variable)")]
  }

  /// A variable in a text.
  static let variable = #"\$\{"#

  /// One of these words.
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

  /// The same without the line that names the draft, to be put into a larger schema.
  public static var objectSchema: JSONValue { OptionSchema.object(describe()) }
}
