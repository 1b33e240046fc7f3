/// Settings that several plugins share. In a configuration they appear among the other options, not in a mapping of their own.
///
/// ```swift
/// public struct Settings: Options {
///   @Setting("The file.") public var path: String
///   @SettingGroup public var rotation = RotationSettings()     // append, rotate, keep: beside path
///   public init() {}
/// }
/// ```
///
/// A group's `validate` is called before that of the options that contain it.
@propertyWrapper
public struct SettingGroup<Group: Options>: Sendable {
  public var wrappedValue: Group

  public init(wrappedValue: Group) { self.wrappedValue = wrappedValue }
}

extension SettingGroup: Equatable where Group: Equatable {}

extension SettingGroup: Decodable {
  /// Always throws, because groups are only decoded as part of `Options`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a group is decoded by its Options only"))
  }
}

/// A group without its type, as a mirror finds it.
protocol AnySettingGroup: Sendable {
  var members: OptionMembers { get }
  /// A copy with `values`, which are by coding key. Throws if the group does not use the `init(from:)` that the compiler generates.
  func remade(of values: [String: Any]) throws -> any AnySettingGroup
  func check(_ problems: inout OptionProblems)
}

extension SettingGroup: AnySettingGroup {
  var members: OptionMembers { wrappedValue.members() }

  func remade(of values: [String: Any]) throws -> any AnySettingGroup {
    SettingGroup(wrappedValue: try Group(from: SettingDecoder(values: values)))
  }

  func check(_ problems: inout OptionProblems) { wrappedValue.check(&problems) }
}
