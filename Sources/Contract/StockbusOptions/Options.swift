/// A plugin's options: a struct of `@Setting` properties. Decoding, help, JSON Schema and error messages come from it.
///
/// ```swift
/// public struct Settings: Options {
///   @Setting("How often new prices appear.", in: .milliseconds(1) ... .seconds(3600)) public var interval = Duration.seconds(2)
///   @Setting("The file to read.") public var path: String          // no default: required
///   public init() {}
/// }
/// ```
///
/// Every stored property must be a setting or a `SettingGroup`; `verify()` finds those that are not.
public protocol Options: Decodable, OptionValue where OptionLeaf == Self {
  /// Sets the defaults; it must not read settings without a default.
  init()

  /// The files that a component with these options reads and writes, including those of nested options and groups. Read when a
  /// configuration is checked; no I/O.
  var files: [FileUse] { get }

  /// Checks what no single setting can check. Called once after decoding, when every setting has an allowed value.
  func validate(_ problems: inout OptionProblems)
}

extension Options {
  public var files: [FileUse] { [] }
  public func validate(_ problems: inout OptionProblems) {}

  /// The options' names in the order of their declaration. Costs far less than `describe()`.
  package static var names: [String] { Self().members().settings.map(\.name) }

  /// The options in the order of their declaration.
  package static func describe() -> [OptionInfo] { Self().describe(within: OuterTypes().adding(Self.self) ?? OuterTypes()) }

  /// Decodes the options written at `node`; missing ones are reported at `mark` if there is no node.
  ///
  /// Throws all problems at once, each at its place. Messages do not name the component.
  package static func decode(_ node: ConfigNode?, at mark: ConfigNode.Mark) throws(Problems) -> Self {
    var problems = Problems()
    let given = node.flatMap { $0.isNull ? nil : $0 } ?? ConfigNode(.map([]), at: node?.mark ?? mark)
    let value = readOption(OptionSource(given, path: ""), onto: nil, &problems)
    guard let value, problems.isEmpty else { throw problems }
    return value
  }

  /// Errors in the declaration, one sentence each; empty if there are none. For the tests of a plugin.
  ///
  /// It finds properties without `@Setting`, names that occur twice or are `reserved`, missing descriptions, and defaults that a user may
  /// not write because they are out of range or fail `validate`.
  public static func verify(reserved: [String] = []) -> [String] {
    var faults = optionFaults("", within: OuterTypes(), of: nil)
    for member in Self().members().settings where reserved.contains(member.name) {
      faults.append("'\(member.name)': this name is reserved")
    }
    return faults
  }
}

/// The options type of a component without options.
public struct NoOptions: Options, Hashable {
  public init() {}
}

/// The description of an option.
package struct OptionInfo: Sendable {
  /// The name in snake_case, as it is written in a configuration.
  package let name: String
  /// The purpose of the option.
  package let sentence: String
  /// The type in a table column: `duration`, `list of symbols`.
  package let typeName: String
  /// The type in a sentence: `a duration such as 250ms`.
  package let typePhrase: String
  /// The default as a user writes it; nil if there is none, and for a mapping, whose options have their own. A secret is `***`.
  package let defaultText: String?
  /// The allowed values: `1ms to 1h`, `ascending, descending`.
  package let rangeText: String?
  package let isRequired: Bool
  /// The JSON Schema of the value.
  package let schema: JSONValue
  let form: OptionForm

  /// True if the value must not be shown.
  package var isSecret: Bool { form.isSecret }
  /// The options of a mapping, of the mappings in a list, or of each alternative of a `OneOf`.
  package var nested: [OptionInfo] { form.nested }

  /// This option, whose value is a mapping of `infos`, which its type does not declare.
  package func holding(_ infos: [OptionInfo]) -> OptionInfo {
    OptionInfo(
      name: name, sentence: sentence, typeName: typeName, typePhrase: typePhrase, defaultText: nil, rangeText: nil,
      isRequired: infos.contains(where: \.isRequired), schema: schema, form: .mapping(infos))
  }
}

extension OptionInfo {
  /// An option that is declared outside of the program; `sample` is a value as it is written.
  package init(declared name: String, _ sentence: String, type: String, default fallback: String?, range: String?, sample: String) {
    self.init(
      name: name, sentence: sentence, typeName: type, typePhrase: type, defaultText: fallback, rangeText: range,
      isRequired: fallback == nil, schema: true, form: .word(sample))
  }
}
