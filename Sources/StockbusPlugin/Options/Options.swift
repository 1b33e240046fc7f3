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
  /// The defaults; settings without a default must not be read in it.
  init()

  /// The files that a component with these options reads and writes, those of options inside them and of groups too. Looked at when
  /// a configuration is checked; no I/O.
  var files: [FileUse] { get }

  /// Checks what no single setting can: called once after decoding, when every setting has a value of its own that is allowed.
  func validate(_ problems: inout OptionProblems)
}

extension Options {
  public var files: [FileUse] { [] }
  public func validate(_ problems: inout OptionProblems) {}

  /// The options in the order of their declaration.
  public static func describe() -> [OptionInfo] { Self().describe(within: OuterTypes().adding(Self.self) ?? OuterTypes()) }

  /// The options written at `node`; `mark` is where missing ones are reported if there is no node.
  ///
  /// Throws every problem at once, each where it was written. Messages do not name the component.
  public static func decode(_ node: ConfigNode?, at mark: ConfigNode.Mark) throws(Problems) -> Self {
    var problems = Problems()
    let given = node.flatMap { $0.isNull ? nil : $0 } ?? ConfigNode(.map([]), at: node?.mark ?? mark)
    let value = readOption(OptionSource(given, path: ""), onto: nil, &problems)
    guard let value, problems.isEmpty else { throw problems }
    return value
  }

  /// Mistakes in the declaration, one sentence each; empty where there are none. For the tests of a plugin.
  ///
  /// Finds properties without `@Setting`, names that occur twice or are `reserved` for others, missing sentences, and defaults
  /// that no user could write, as they are out of range or do not pass `validate`.
  public static func verify(reserved: [String] = []) -> [String] {
    var faults = optionFaults("", within: OuterTypes(), of: nil)
    for member in Self().members().settings where reserved.contains(member.name) {
      faults.append("'\(member.name)': this name is reserved")
    }
    return faults
  }
}

/// The options of a component that has none.
public struct NoOptions: Options, Hashable {
  public init() {}
}

/// What is known about an option without a value.
public struct OptionInfo: Sendable {
  /// In snake_case, as it is written in a configuration.
  public let name: String
  /// What it is for.
  public let sentence: String
  /// For a column: `duration`, `list of symbols`.
  public let typeName: String
  /// For a sentence: `a duration such as 250ms`.
  public let typePhrase: String
  /// As a user would write it; nil where there is none, and for a mapping, whose options have their own. A secret is `***`.
  public let defaultText: String?
  /// What is allowed: `1ms to 1h`, `ascending, descending`.
  public let rangeText: String?
  public let isRequired: Bool
  /// JSON Schema of the value.
  public let schema: JSONValue
  let form: OptionForm

  /// True where the value must not be shown.
  public var isSecret: Bool { form.isSecret }
  /// The options of a mapping or of the mappings in a list; for a choice among mappings those of each of them, by name.
  public var nested: [OptionInfo] { form.nested }
}
