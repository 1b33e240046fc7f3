package import StockbusPlugin

/// JSON Schema of the keys `instruments` and `calendars` of a configuration.
package enum InstrumentSchema {
  /// A path, or a list of paths and of instruments.
  package static var instruments: JSONValue {
    [
      "description": "Files of instruments (CSV or YAML), or the instruments themselves; demo: those of the made-up market.",
      "anyOf": [["type": "string"], ["type": "array", "items": ["anyOf": [["type": "string"], instrument]]]],
    ]
  }

  /// A mapping of names to calendars, a path of a YAML file with one, or a list of these.
  package static var calendars: JSONValue {
    let mapping: JSONValue = ["type": "object", "additionalProperties": CalendarOptions.objectSchema]
    return [
      "description": "Trading calendars by name, or YAML files of calendars.",
      "anyOf": [["type": "string"], mapping, ["type": "array", "items": ["anyOf": [["type": "string"], mapping]]]],
    ]
  }

  private static var instrument: JSONValue {
    let symbol: JSONValue = ["description": "Its symbol, as in its prices.", "type": ["string", "number", "boolean"]]
    let fields = InstrumentField.all.map { field in
      JSONValue.Member(field.name, .object([.init("description", .string(field.sentence))] + field.schema.members))
    }
    let split = Split.optionSchema
    let splits: JSONValue = [
      "description": "Its splits, each a date and the ratio of new to old shares.", "anyOf": [split, ["type": "array", "items": split]],
    ]
    return [
      "type": "object", "properties": .object([.init("symbol", symbol)] + fields + [.init("splits", splits)]), "required": ["symbol"],
      "additionalProperties": false,
    ]
  }
}
