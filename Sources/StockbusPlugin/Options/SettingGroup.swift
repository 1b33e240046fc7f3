/// Settings that several plugins have, written among the others: in a configuration they stand beside them, not in a mapping.
///
/// ```swift
/// public struct Settings: Options {
///   @Setting("The file.") public var path: String
///   @SettingGroup public var rotation = RotationSettings()     // append, rotate, keep: beside path
///   public init() {}
/// }
/// ```
///
/// A group's `validate` is called before that of the options it stands in.
@propertyWrapper
public struct SettingGroup<Group: Options>: Sendable {
  public var wrappedValue: Group

  public init(wrappedValue: Group) { self.wrappedValue = wrappedValue }
}

extension SettingGroup: Equatable where Group: Equatable {}

extension SettingGroup: Decodable {
  /// Groups are only ever decoded as a part of `Options`.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a group is decoded by its Options only"))
  }
}

/// A group of any type, as a mirror finds it.
protocol AnySettingGroup: Sendable {
  var members: OptionMembers { get }
  /// A copy made of `values`, by coding key; throws where the compiler's own way of making it is not the one that is used.
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
