/// A value of any shape, for options that another program interprets: text, a number, true, false, nothing, a list or a mapping.
///
/// A word without quotation marks that is a number, true or false in JSON has that value; all other words are texts.
public struct FreeValue: Sendable, Hashable {
  public let json: JSONValue

  public init(_ json: JSONValue) { self.json = json }
}

extension FreeValue: OptionValue {
  public static func readOption(_ source: OptionSource<FreeValue>, onto base: FreeValue?, _ problems: inout Problems) -> FreeValue? {
    FreeValue(json(source.node))
  }

  private static func json(_ node: ConfigNode) -> JSONValue {
    switch node.value {
    case .scalar(let text): node.isNull ? .null : node.isQuoted ? .string(text) : word(text)
    case .list(let items): .array(items.map(json))
    case .map(let entries): .object(entries.map { JSONValue.Member($0.key, json($0.value)) })
    }
  }

  private static func word(_ text: String) -> JSONValue {
    switch text {
    case "true": .bool(true)
    case "false": .bool(false)
    default: isNumber(text) ? .number(text) : .string(text)
    }
  }

  /// True if `text` is a number in JSON (RFC 8259).
  package static func isNumber(_ text: String) -> Bool {
    var rest = Substring(text).utf8
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { (48...57).contains($0) } ?? false }
    func digits(_ rest: inout Substring.UTF8View) -> Int {
      let count = rest.prefix(while: isDigit).count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let hasZero = rest.first == 48
    let whole = digits(&rest)
    if whole == 0 || (hasZero && whole > 1) { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      if digits(&rest) == 0 { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
      if digits(&rest) == 0 { return false }
    }
    return rest.isEmpty
  }

  public static func optionShape(_ context: OptionContext<FreeValue>, of base: FreeValue?) -> OptionShape {
    OptionShape(
      type: OptionType("value", plural: "values", phrase: "a value"), schema: .object([]), range: nil, form: .word("value"))
  }

  public var optionText: String { "\(json)" }
  public var optionJSON: JSONValue { json }
}
