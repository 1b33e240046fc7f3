import MarketData
import StockbusPlugin
import Testing

@Suite struct OptionsSchemaTests {
  @Test func `the schema of options is a document of draft 2020-12`() {
    #expect(
      Everything.jsonSchema.pretty == #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "type": "object",
          "properties": {
            "interval": {
              "description": "How often new prices appear. Range: 1ms to 1h.",
              "type": "string",
              "pattern": "^(-?([0-9]+(\\.[0-9]+)?(d|h|ms|m|us|µs|μs|ns|s))+)$|\\$\\{",
              "default": "2s"
            },
            "path": {
              "description": "The file to read.",
              "type": ["string", "number", "boolean"]
            },
            "url": {
              "description": "Where to post, if anywhere.",
              "type": ["string", "number", "boolean"]
            },
            "limit": {
              "description": "How many at most.",
              "type": ["integer", "string"],
              "pattern": "^([+-]?[0-9]+)$|\\$\\{",
              "minimum": 1,
              "maximum": 1000,
              "default": 500
            },
            "order": {
              "description": "Which end comes first.",
              "anyOf": [
                {
                  "enum": ["ascending", "descending"]
                },
                {
                  "type": "string",
                  "pattern": "\\$\\{"
                }
              ],
              "default": "descending"
            },
            "symbols": {
              "description": "What to watch.",
              "anyOf": [
                {
                  "type": "array",
                  "items": {
                    "type": ["string", "number", "boolean"]
                  },
                  "minItems": 1,
                  "maxItems": 3
                },
                {
                  "type": ["string", "number", "boolean"]
                }
              ],
              "default": ["AAPL", "NVDA"]
            },
            "buffer_size": {
              "description": "How much may wait. Range: at least 4KiB.",
              "type": "string",
              "pattern": "^([0-9]+(\\.[0-9]+)? ?([KMGT]i?B|kB|B))$|\\$\\{",
              "default": "64KiB"
            },
            "token": {
              "description": "The token.",
              "type": ["string", "number", "boolean"],
              "writeOnly": true
            }
          },
          "required": ["path", "token"],
          "additionalProperties": false
        }
        """#)
  }

  @Test func `every kind has a schema of its own`() {
    let properties = Further.jsonSchema["properties"]
    let expected: [(String, String)] = [
      ("is_shown", #"{"description":"Whether to show it.","type":["boolean","string"],"pattern":"^(true|false)$|\\$\\{","default":true}"#),
      (
        "name",
        #"{"description":"Its name.","type":["string","number","boolean"],"minLength":1,"maxLength":8,"default":"feed"}"#
      ),
      (
        "headers",
        #"{"description":"Further headers.","type":"object","additionalProperties":{"type":["string","number","boolean"]},"default":{}}"#
      ),
    ]
    for (name, text) in expected { #expect(properties?[name]?.description == text) }
    #expect(properties?["crosses_above"]?["type"] == ["number", "string"])
    #expect(properties?["crosses_above"]?["minimum"] == 0)
    #expect(properties?["crosses_above"]?["pattern"] == .string(#"^(-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)$|\$\{"#))
    #expect(properties?["rearm"]?["pattern"] == .string(#"^(-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)? ?%?)$|\$\{"#))
    #expect(properties?["rearm"]?["description"] == "How far back it must go. Range: at most 5%.")
    #expect(properties?["rearm"]?["default"] == "0.5%")
  }

  @Test func `nested options are objects, and a choice among mappings is any of them`() {
    let properties = Rules.jsonSchema["properties"]
    #expect(properties?["rules"]?["items"]?["required"] == ["name", "symbol"])
    #expect(properties?["rules"]?["minItems"] == 1)
    #expect(properties?["buffer"]?["properties"]?["capacity"]?["default"] == 16)
    #expect(properties?["buffer"]?["default"] == nil)
    guard case .array(let choices)? = properties?["channels"]?["items"]?["anyOf"] else {
      Issue.record("no choices")
      return
    }
    #expect(choices.map { $0["required"] } == [["desktop"], ["webhook"], nil])
    #expect(choices[2] == ["enum": ["desktop"]])
    #expect(properties?["channels"]?["default"] == [])
  }

  @Test func `JSON is escaped, exact and always the same`() {
    let value: JSONValue = [
      "b": "a \"quoted\" \\ line\nbreak \u{1} \u{7f} é 🙂", "a": [1, true, .null, .number(UInt64.max), .array([])], "c": .object([]),
    ]
    let text = #"{"b":"a \"quoted\" \\ line\nbreak \u0001 \u007f é 🙂","a":[1,true,null,18446744073709551615,[]],"c":{}}"#
    #expect(value.description == text)
    #expect(
      value.pretty == #"""
        {
          "b": "a \"quoted\" \\ line\nbreak \u0001 \u007f é 🙂",
          "a": [
            1,
            true,
            null,
            18446744073709551615,
            []
          ],
          "c": {}
        }
        """#)
    #expect(Everything.jsonSchema == Everything.jsonSchema)
    #expect(value["b"] != nil)
    #expect(value["x"] == nil)
  }

  @Test func `sentences are escaped in a schema`() {
    struct Quoted: Options {
      @Setting(#"A "quoted" \ sentence."#) var it = #"a\"b"#
    }
    #expect(
      Quoted.jsonSchema["properties"]?.description
        == #"{"it":{"description":"A \"quoted\" \\ sentence.","type":["string","number","boolean"],"default":"a\\\"b"}}"#)
  }
}
