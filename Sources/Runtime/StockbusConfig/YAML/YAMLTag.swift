/// The tags of YAML 1.2's core schema (section 10.3). Their only effect is that `!!str` and `!` turn `null`, `~` and nothing into text,
/// because the option that reads a value decides its meaning.
enum YAMLTag: String {
  case string = "str"
  case integer = "int"
  case float = "float"
  case boolean = "bool"
  case null = "null"
  case list = "seq"
  case map = "map"

  static let known = "supported are those of the core schema: !!str, !!int, !!float, !!bool, !!null, !!seq, !!map"
  private static let prefix = "tag:yaml.org,2002:"

  /// Nil if the tag is not in the core schema.
  init?(full tag: String) {
    guard tag.hasPrefix(Self.prefix) else { return nil }
    self.init(rawValue: String(tag.dropFirst(Self.prefix.count)))
  }

  /// The tag as people write it.
  static func written(_ tag: String) -> String { tag.hasPrefix(prefix) ? "!!" + tag.dropFirst(prefix.count) : tag }

  /// The kinds of nodes that a tag may have.
  enum Kind: String {
    case scalar = "text"
    case list = "a list"
    case map = "a mapping"
  }

  var kind: Kind {
    switch self {
    case .list: .list
    case .map: .map
    default: .scalar
    }
  }
}
