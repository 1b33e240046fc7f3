/// A piece of configuration that knows where it was written; the contract knows no YAML, only this.
public struct ConfigNode: Sendable {
  /// A place in a configuration: file, line and column, both counted from 1.
  public struct Mark: Sendable, Hashable {
    public let file: String
    public let line: Int
    public let column: Int

    public init(file: String = "plugins.yaml", line: Int, column: Int) {
      self.file = file
      self.line = line
      self.column = column
    }

    /// `plugins.yaml:9:15`, on one line whatever the file is called.
    public var place: String { "\(OptionText.visible(file, limit: .max)):\(line):\(column)" }
  }

  /// What was written there.
  public indirect enum Value: Sendable {
    /// Text without quotation marks; empty where nothing was written.
    case scalar(String)
    case list([ConfigNode])
    case map([Entry])
  }

  /// One key of a mapping with its value.
  public struct Entry: Sendable {
    public let key: String
    public let mark: Mark
    public let value: ConfigNode

    public init(key: String, mark: Mark, value: ConfigNode) {
      self.key = key
      self.mark = mark
      self.value = value
    }
  }

  public let value: Value
  public let mark: Mark
  /// False for a plain scalar (`null`, `~` or nothing may then mean "not set"), true for one in quotation marks.
  public let isQuoted: Bool

  /// True where a scalar stands in the file character by character as it is here: on one line, without escapes and variables.
  public let isVerbatim: Bool
  /// The variables whose values are in a scalar's text; messages then show these names and not the text.
  public let variables: [VariableValue]

  public init(_ value: Value, at mark: Mark, isQuoted: Bool = false, isVerbatim: Bool = false, variables: [VariableValue] = []) {
    self.value = value
    self.mark = mark
    self.isQuoted = isQuoted
    self.isVerbatim = isVerbatim
    self.variables = variables
  }

  /// The place of one character (of Unicode, counted from 0) of a scalar's text; where that is not known, the scalar's own.
  public func mark(ofCharacter offset: Int) -> Mark {
    guard isVerbatim else { return mark }
    return Mark(file: mark.file, line: mark.line, column: mark.column + (isQuoted ? 1 : 0) + offset)
  }

  /// What it is, for error messages: `'text'`, `the value of ${TOKEN}`, `a list`, `a mapping`, `nothing`; on one line, and not endless.
  public var kind: String {
    switch value {
    case .scalar: isNull ? "nothing" : shownText
    case .list: "a list"
    case .map: "a mapping"
    }
  }

  /// True where nothing, `~` or `null` was written without quotation marks.
  public var isNull: Bool {
    guard case .scalar(let text) = value, !isQuoted else { return false }
    return text.isEmpty || text == "~" || text == "null"
  }

  /// True where both say the same, wherever they are written: the values of variables are compared, a mapping's order does not matter, and
  /// quotation marks matter only where the text would mean "not set" without them.
  public func isLike(_ other: ConfigNode) -> Bool {
    switch (value, other.value) {
    case (.scalar(let a), .scalar(let b)): a == b && isNull == other.isNull
    case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isLike($1) }
    case (.map(let a), .map(let b)): a.count == b.count && a.allSatisfy { entry in other[entry.key].map(entry.value.isLike) ?? false }
    default: false
    }
  }

  /// As above; nothing is like nothing only.
  public static func isLike(_ a: ConfigNode?, _ b: ConfigNode?) -> Bool {
    if let a, let b { a.isLike(b) } else { a == nil && b == nil }
  }

  /// The value of `key` in a mapping; nil where it is no mapping or has no such key.
  public subscript(key: String) -> ConfigNode? {
    guard case .map(let entries) = value else { return nil }
    return entries.last { $0.key == key }?.value
  }
}
