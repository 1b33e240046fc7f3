internal import MarketData

/// The input for reading a value: a node, the path of its option for messages, and the setting's limits.
public struct OptionSource<Leaf: OptionValue>: Sendable {
  let node: ConfigNode
  /// The path of the option: `rules[1].name`; empty for the options as a whole.
  let path: String
  let limits: OptionLimits<Leaf>
  /// The expected value, if the type's own description is not enough.
  let expected: String?

  init(_ node: ConfigNode, path: String, limits: OptionLimits<Leaf> = OptionLimits(), expected: String? = nil) {
    self.node = node
    self.path = path
    self.limits = limits
    self.expected = expected
  }

  /// The option as messages name it: `'rules[1].name'`.
  var subject: String { path.isEmpty ? "the options" : "'\(OptionText.visible(path))'" }

  /// The source for item `index` of a list.
  func item(_ index: Int, _ node: ConfigNode) -> OptionSource {
    OptionSource(node, path: "\(path)[\(index)]", limits: limits.ofParts)
  }

  /// The source for the value of `key` in a mapping.
  func entry(_ key: String, _ node: ConfigNode) -> OptionSource {
    OptionSource(node, path: path(of: key), limits: limits.ofParts)
  }

  func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// The message for a wrong value: `'interval' must be a duration such as 250ms, got 'fast'`; it omits the text if that may hold a secret.
  func mismatch(_ shape: OptionShape, isAddress: Bool = false) -> String {
    let phrase = expected ?? shape.type.phrase
    var got = node.kind
    if case .scalar(let text) = node.value, !node.isNull {
      if shape.form.holdsSecret { got = "text" } else if isAddress, !isFromVariable { got = shown(ShownAddress.of(text)) }
    }
    return "\(subject) must be \(phrase), got \(got)"
  }

  /// True if the text must not be repeated, not even in part.
  var isFromVariable: Bool { !node.variables.isEmpty }
}

/// Why a text is not a valid value of a scalar option.
public struct OptionTextError: Error, Hashable, Sendable {
  /// The part of the message that follows `must be a …, got '…'`.
  package let suffix: String
  /// True if the suffix may contain parts of the text. The suffix is then omitted if the text came from a variable.
  package let mayRepeatText: Bool

  /// An error without a reason beyond the expected value.
  public static let mismatch = OptionTextError(suffix: "", mayRepeatText: false)
  /// The reason, without the text: `got '1.0000000001': more than nine decimals`.
  public static func because(_ reason: String) -> OptionTextError { OptionTextError(suffix: ": \(reason)", mayRepeatText: false) }
  /// The advice to begin an address with `scheme` if it has none.
  public static func unschemed(_ text: String, _ scheme: String) -> OptionTextError {
    text.contains("://") ? .mismatch : OptionTextError(suffix: "; write \(scheme):// before it", mayRepeatText: false)
  }
  /// An advice, which may repeat the text: `got '2'; write a unit, such as 2s`.
  public static func hint(_ advice: String) -> OptionTextError { OptionTextError(suffix: "; \(advice)", mayRepeatText: true) }
}
