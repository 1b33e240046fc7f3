/// The stored properties of options.
struct OptionMembers {
  struct Member {
    /// The property's name, which is also its coding key.
    let label: String
    /// The option's name.
    let name: String
    let setting: any AnySetting
  }

  /// A property with its wrapper.
  enum Part {
    case setting(Member)
    case group(label: String, any AnySettingGroup)
  }

  var parts: [Part] = []
  /// Properties without `@Setting`, which `verify()` reports as an error. They keep the value that `init()` gives them.
  var others: [String] = []
  /// The values by coding key, for the decoder.
  var values: [String: Any] = [:]

  /// The settings in the order of declaration; those of a group replace the group.
  var settings: [Member] {
    parts.flatMap { part in
      switch part {
      case .setting(let member): [member]
      case .group(_, let group): group.members.settings
      }
    }
  }

  /// Gives every setting a new value, including those in groups. Throws if a group cannot be created from its settings.
  mutating func fill(_ value: (Member) -> any AnySetting) throws {
    for part in parts {
      switch part {
      case .setting(let member): values[member.label] = value(member)
      case .group(let label, let group):
        var inner = group.members
        try inner.fill(value)
        values[label] = try group.remade(of: inner.values)
      }
    }
  }

  var groups: [any AnySettingGroup] { parts.compactMap { if case .group(_, let group) = $0 { group } else { nil } } }
}

extension Options {
  func members() -> OptionMembers {
    var members = OptionMembers()
    for child in Mirror(reflecting: self).children {
      let label = child.label ?? "?"
      if let setting = child.value as? any AnySetting {
        let property = String(label.dropFirst())  // a wrapped property is stored as `_name`
        members.parts.append(.setting(.init(label: property, name: OptionText.snakeCase(property), setting: setting)))
        members.values[property] = setting
      } else if let group = child.value as? any AnySettingGroup {
        let property = String(label.dropFirst())
        members.parts.append(.group(label: property, group))
        members.values[property] = group
        members.others += group.members.others
      } else {
        members.others.append(label)
        members.values[label] = child.value
      }
    }
    return members
  }

  func describe(within outer: OuterTypes) -> [OptionInfo] {
    members().settings.map { $0.setting.info($0.name, within: outer) }
  }

  /// Checks the rules of the groups, then the options' own rules.
  func check(_ problems: inout OptionProblems) {
    for group in members().groups { group.check(&problems) }
    validate(&problems)
  }

  public static var optionIsMapping: Bool { true }

  public static func optionFaults(_ path: String, within outer: OuterTypes, of base: Self?) -> [String] {
    guard let outer = outer.adding(Self.self) else { return [] }
    let at = { (name: String) in path.isEmpty ? name : "\(path).\(name)" }
    let defaults = base ?? Self()
    let members = defaults.members()
    var faults = members.others.map { "'\(at($0))': a property of options must have @Setting" }
    var seen: Set<String> = []
    for member in members.settings {
      if !seen.insert(member.name).inserted { faults.append("'\(at(member.name))': two properties have this name") }
      faults += member.setting.faults(at(member.name), within: outer)
    }
    do {
      var members = members
      try members.fill(\.setting)
      _ = try Self(from: SettingDecoder(values: members.values))
    } catch {
      faults.append("\(path.isEmpty ? "the options" : "'\(path)'"): remove its own CodingKeys or init(from:)")
    }
    // With all defaults, the rules about several options must hold.
    if faults.isEmpty, !defaults.describe(within: outer).contains(where: \.isRequired) {
      var problems = OptionProblems(ConfigNode(.map([]), at: .init(line: 1, column: 1)), path: path)
      defaults.check(&problems)
      faults += problems.problems.list.map { "the defaults are not allowed: \($0.message)" }
    }
    return faults
  }

  public static func optionShape(_ context: OptionContext<Self>, of base: Self?) -> OptionShape {
    let type = OptionType("mapping", plural: "mappings", phrase: "a mapping")
    guard let outer = context.outer.adding(Self.self) else {
      return OptionShape(type: type, schema: ["type": "object"], range: nil, form: .mapping([]))
    }
    let infos = (base ?? Self()).describe(within: outer)
    return OptionShape(type: type, schema: OptionSchema.object(infos), range: nil, form: .mapping(infos))
  }

  public var optionText: String {
    let parts = members().settings.compactMap { member in member.setting.shown.map { "\(member.name): \($0.text)" } }
    return "{" + parts.joined(separator: ", ") + "}"
  }

  public var optionJSON: JSONValue {
    .object(members().settings.compactMap { member in member.setting.shown.map { .init(member.name, $0.json) } })
  }
}

/// Passes the wrappers to the `init(from:)` that the compiler generates.
///
/// Without boxes or macros, this is the only way to set every property of a struct that only its mirror describes.
struct SettingDecoder: Decoder {
  let values: [String: Any]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Container(values: values))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.refusal("?") }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.refusal("?") }

  static func refusal(_ key: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "options have no property '\(key)'"))
  }

  struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let values: [String: Any]
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { values.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool {
      guard let value = values[key.stringValue] else { return true }
      let mirror = Mirror(reflecting: value)
      return mirror.displayStyle == .optional && mirror.children.isEmpty
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      guard let value = values[key.stringValue] as? T else { throw SettingDecoder.refusal(key.stringValue) }
      return value
    }
    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
      throw SettingDecoder.refusal(key.stringValue)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw SettingDecoder.refusal(key.stringValue) }
    func superDecoder() throws -> any Decoder { throw SettingDecoder.refusal("super") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw SettingDecoder.refusal(key.stringValue) }
  }
}
