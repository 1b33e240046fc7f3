/// A type that a setting may have: how it is read, shown and described.
///
/// Do not conform to this one: take `ScalarOption` for a value of one word, `Choice` for an enum, `Options` for a mapping and
/// `OneOf` for a choice among mappings. Lists, optionals and `Mapping` are made of them.
public protocol OptionValue: Sendable {
  /// What a range of the setting applies to: the value itself, or the parts of a list, a mapping or an optional.
  associatedtype OptionLeaf: OptionValue = Self

  /// The value written at a node, or nil after adding at least one problem; what is not written there comes from `base`.
  static func readOption(_ source: OptionSource<OptionLeaf>, onto base: Self?, _ problems: inout Problems) -> Self?
  /// What can be said without a value; `base` is the default, where there is one.
  static func optionShape(_ context: OptionContext<OptionLeaf>, of base: Self?) -> OptionShape
  /// Mistakes in the declaration, see `Options.verify()`.
  static func optionFaults(_ path: String, within outer: OuterTypes, of base: Self?) -> [String]
  /// The value where nothing is written and there is no default: nil of an optional, otherwise none.
  static var optionIfAbsent: Self? { get }
  /// True where it is written as one word, so that a single one is taken for a list of them.
  static var optionIsScalar: Bool { get }

  /// As a user writes it: `2s`, `[AAPL, NVDA]`.
  var optionText: String { get }
  /// As a schema's `default` has it.
  var optionJSON: JSONValue { get }
}

extension OptionValue {
  public static func optionFaults(_ path: String, within outer: OuterTypes, of base: Self?) -> [String] { [] }
  public static var optionIfAbsent: Self? { nil }
  public static var optionIsScalar: Bool { false }
  public var optionJSON: JSONValue { .string(optionText) }
}

/// Types whose description is under way; a type inside itself is not described again.
public struct OuterTypes: Sendable {
  private var types: [ObjectIdentifier] = []

  init() {}

  /// With one more; nil where it is among them already.
  func adding(_ type: Any.Type) -> OuterTypes? {
    guard !types.contains(ObjectIdentifier(type)) else { return nil }
    var copy = self
    copy.types.append(ObjectIdentifier(type))
    return copy
  }
}

/// What a type is described with: the setting's limits, and the types around it.
public struct OptionContext<Leaf: OptionValue>: Sendable {
  let limits: OptionLimits<Leaf>
  let outer: OuterTypes

  init(_ limits: OptionLimits<Leaf> = OptionLimits(), within outer: OuterTypes = OuterTypes()) {
    self.limits = limits
    self.outer = outer
  }

  /// For the parts of a list: its count is no limit of theirs.
  var ofParts: OptionContext { OptionContext(limits.ofParts, within: outer) }
}

/// What is known of a type of option.
public struct OptionShape: Sendable {
  var type: OptionType
  /// A JSON Schema object.
  var schema: JSONValue
  /// What is allowed, for help: `1ms to 1h`.
  var range: String?
  var form: OptionForm
}

/// How a value is written, as far as an example needs to know.
indirect enum OptionForm: Sendable {
  case word(String)
  case secret
  case mapping([OptionInfo])
  case oneOf([OptionInfo])
  case list(OptionForm, count: Int)
  case entries(OptionForm)

  /// The options inside.
  var nested: [OptionInfo] {
    switch self {
    case .word, .secret: []
    case .mapping(let infos), .oneOf(let infos): infos
    case .list(let form, _), .entries(let form): form.nested
    }
  }

  /// True where the value itself, or each part of it, must not be shown.
  var isSecret: Bool {
    switch self {
    case .secret: true
    case .list(let form, _), .entries(let form): form.isSecret
    case .word, .mapping, .oneOf: false
    }
  }

  /// True where anything in it must not be shown.
  var holdsSecret: Bool { isSecret || nested.contains { $0.form.holdsSecret } }
}

/// The words for a type of option.
public struct OptionType: Sendable {
  /// For a column: `duration`.
  public let name: String
  /// `durations`.
  public let plural: String
  /// For a sentence: `a duration such as 250ms`.
  public let phrase: String
  /// For a sentence about a list: `durations`.
  let pluralPhrase: String

  public init(_ name: String, plural: String, phrase: String, pluralPhrase: String? = nil) {
    self.name = name
    self.plural = plural
    self.phrase = phrase
    self.pluralPhrase = pluralPhrase ?? plural
  }
}
