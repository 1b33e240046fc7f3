internal import MarketData

/// A JSON value (RFC 8259) whose objects keep the order of their members, so that it is always written the same way.
public enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  /// An exact number, as JSON text.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// One name of an object with its value.
  public struct Member: Sendable, Hashable {
    public let name: String
    public let value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// A whole number.
  public static func number(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

  /// The value of `name` in an object; nil if this is not an object or has no such name.
  public subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

  /// The members of an object; empty if this is not an object.
  public var members: [Member] {
    guard case .object(let members) = self else { return [] }
    return members
  }

  /// An object with more members after its existing ones.
  func with(_ more: [Member]) -> JSONValue { .object(members + more) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .number(value) }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements.map { Member($0, $1) }) }
}

extension JSONValue: CustomStringConvertible {
  /// The value on one line, without white space.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let text): Self.quote(text)
    case .array(let items): "[" + items.map(\.description).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\(Self.quote($0.name)):\($0.value)" }.joined(separator: ",") + "}"
    }
  }

  /// The value on several lines, indented by two blanks per level.
  public var pretty: String { pretty(indent: "") }

  private func pretty(indent: String) -> String {
    let inner = indent + "  "
    switch self {
    case .array(let items) where !items.isEmpty:
      // A list of scalars stays on one line, where it is easier to read.
      if items.allSatisfy(\.isWord) { return "[" + items.map(\.description).joined(separator: ", ") + "]" }
      return "[\n" + items.map { inner + $0.pretty(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { "\(inner)\(Self.quote($0.name)): \($0.value.pretty(indent: inner))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    default: return description
    }
  }

  private var isWord: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }

  /// `text` between quotation marks, escaped so that it is valid in JSON and as a double-quoted scalar of YAML 1.2 alike.
  static func quote(_ text: String) -> String {
    quoted(text) { scalar in
      switch scalar {
      // YAML treats these as line breaks or forbids them; JSON allows them escaped.
      case "\0"..<" ", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}", "\u{feff}":
        "\\u" + String(String(scalar.value + 0x10000, radix: 16).dropFirst())
      default: nil
      }
    }
  }
}
