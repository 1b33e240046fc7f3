/// The tags of YAML 1.2's core schema (section 10.3). Their only effect is that `!!str` and `!` make text of `null`, `~` and nothing:
/// what a value means is said by the option that takes it.
enum YAMLTag: String {
  case string = "str"
  case integer = "int"
  case float = "float"
  case boolean = "bool"
  case null = "null"
  case list = "seq"
  case map = "map"

  static let known = "those of the core schema are known: !!str, !!int, !!float, !!bool, !!null, !!seq, !!map"
  private static let prefix = "tag:yaml.org,2002:"

  /// Nil where the tag is none of the core schema's.
  init?(full tag: String) {
    guard tag.hasPrefix(Self.prefix) else { return nil }
    self.init(rawValue: String(tag.dropFirst(Self.prefix.count)))
  }

  /// As people write it.
  static func written(_ tag: String) -> String { tag.hasPrefix(prefix) ? "!!" + tag.dropFirst(prefix.count) : tag }

  /// What the tag can stand before.
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
