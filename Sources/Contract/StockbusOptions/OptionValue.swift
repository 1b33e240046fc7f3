/// A type that a setting may have: how it is read, shown and described.
///
/// Do not conform to this protocol itself. Use `ScalarOption` for a single word, `Choice` for an enum, `Options` for a mapping and `OneOf`
/// for a choice among mappings. Lists, optionals and `Mapping` are built from these.
public protocol OptionValue: Sendable {
  /// The type to which a range of the setting applies: the value itself, or the items of a list, a mapping or an optional.
  associatedtype OptionLeaf: OptionValue = Self

  /// The value written at a node, or nil after adding at least one problem. Parts that are not written are taken from `base`.
  static func readOption(_ source: OptionSource<OptionLeaf>, onto base: Self?, _ problems: inout Problems) -> Self?
  /// The description of the type; `base` is the default, if there is one.
  static func optionShape(_ context: OptionContext<OptionLeaf>, of base: Self?) -> OptionShape
  /// Errors in the declaration; see `Options.verify()`.
  static func optionFaults(_ path: String, within outer: OuterTypes, of base: Self?) -> [String]
  /// The value if nothing is written and there is no default: nil for an optional; other types have none.
  static var optionIfAbsent: Self? { get }
  /// True if the value is written as one word, so that a single word counts as a list of one.
  static var optionIsScalar: Bool { get }
  /// True if the value is a mapping of options, each with its own default.
  static var optionIsMapping: Bool { get }

  /// The value as a user writes it: `2s`, `[AAPL, NVDA]`.
  var optionText: String { get }
  /// The value as a schema's `default`.
  var optionJSON: JSONValue { get }
}

extension OptionValue {
  public static func optionFaults(_ path: String, within outer: OuterTypes, of base: Self?) -> [String] { [] }
  public static var optionIfAbsent: Self? { nil }
  public static var optionIsScalar: Bool { false }
  public static var optionIsMapping: Bool { false }
  public var optionJSON: JSONValue { .string(optionText) }
}

/// The enclosing types that are being described. A type nested in itself is not described again.
public struct OuterTypes: Sendable {
  private var types: [ObjectIdentifier] = []

  init() {}

  /// These types and `type`; nil if `type` is among them already.
  func adding(_ type: Any.Type) -> OuterTypes? {
    guard !types.contains(ObjectIdentifier(type)) else { return nil }
    var copy = self
    copy.types.append(ObjectIdentifier(type))
    return copy
  }
}

/// The context for describing a type: the setting's limits and the enclosing types.
public struct OptionContext<Leaf: OptionValue>: Sendable {
  let limits: OptionLimits<Leaf>
  let outer: OuterTypes

  init(_ limits: OptionLimits<Leaf> = OptionLimits(), within outer: OuterTypes = OuterTypes()) {
    self.limits = limits
    self.outer = outer
  }

  /// The context for the items of a list, to which the list's count limit does not apply.
  var ofParts: OptionContext { OptionContext(limits.ofParts, within: outer) }
}

/// The description of an option's type.
public struct OptionShape: Sendable {
  var type: OptionType
  /// A JSON Schema object.
  var schema: JSONValue
  /// The allowed values, for help: `1ms to 1h`.
  var range: String?
  var form: OptionForm
}

/// The form of a value, in the detail that an example needs.
indirect enum OptionForm: Sendable {
  case word(String)
  case secret
  case mapping([OptionInfo])
  case oneOf([OptionInfo])
  case list(OptionForm, count: Int)
  case entries(OptionForm)

  /// The options nested in this form.
  var nested: [OptionInfo] {
    switch self {
    case .word, .secret: []
    case .mapping(let infos), .oneOf(let infos): infos
    case .list(let form, _), .entries(let form): form.nested
    }
  }

  /// True if the value itself, or each item of it, must not be shown.
  var isSecret: Bool {
    switch self {
    case .secret: true
    case .list(let form, _), .entries(let form): form.isSecret
    case .word, .mapping, .oneOf: false
    }
  }

  /// True if any part of the value must not be shown.
  var holdsSecret: Bool { isSecret || nested.contains { $0.form.holdsSecret } }
}

/// The name of an option's type in several forms.
public struct OptionType: Sendable {
  /// The name in a table column: `duration`.
  public let name: String
  /// The plural in a table column: `durations`.
  public let plural: String
  /// The name in a sentence: `a duration such as 250ms`.
  public let phrase: String
  /// The name in a sentence about a list: `durations`.
  let pluralPhrase: String

  public init(_ name: String, plural: String, phrase: String, pluralPhrase: String? = nil) {
    self.name = name
    self.plural = plural
    self.phrase = phrase
    self.pluralPhrase = pluralPhrase ?? plural
  }
}
