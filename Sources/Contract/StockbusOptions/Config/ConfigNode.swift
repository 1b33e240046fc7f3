/// A value of a configuration with its place in the file. The contract depends only on this type, not on YAML.
public struct ConfigNode: Sendable {
  /// A place in a configuration: file, line and column, both counted from 1; or a file as a whole.
  package struct Mark: Sendable, Hashable {
    package let file: String
    package let line: Int
    package let column: Int

    package init(file: String = "plugins.yaml", line: Int, column: Int) {
      self.file = file
      self.line = line
      self.column = column
    }

    /// A file that has no lines to point at, as it does not exist or cannot be read.
    package init(wholeFile file: String) { self.init(file: file, line: 0, column: 0) }

    /// `plugins.yaml:9:15`, or the name of a whole file; on one line whatever the file's name contains.
    package var place: String { OptionText.visible(file, limit: .max) + (line == 0 ? "" : ":\(line):\(column)") }
  }

  /// The kinds of values.
  package indirect enum Value: Sendable {
    /// Text without quotation marks; empty if nothing was written.
    case scalar(String)
    case list([ConfigNode])
    case map([Entry])
  }

  /// One key of a mapping with its value.
  package struct Entry: Sendable {
    package let key: String
    package let mark: Mark
    package let value: ConfigNode

    package init(key: String, mark: Mark, value: ConfigNode) {
      self.key = key
      self.mark = mark
      self.value = value
    }
  }

  package let value: Value
  package let mark: Mark
  /// True for a scalar in quotation marks; false for a plain one, for which `null`, `~` or nothing may mean "not set".
  package let isQuoted: Bool

  /// True if a scalar is in the file exactly as it is here: on one line, without escapes and variables.
  package let isVerbatim: Bool
  /// The variables whose values are part of a scalar's text. Messages then show their names instead of the text.
  package let variables: [VariableValue]

  package init(_ value: Value, at mark: Mark, isQuoted: Bool = false, isVerbatim: Bool = false, variables: [VariableValue] = []) {
    self.value = value
    self.mark = mark
    self.isQuoted = isQuoted
    self.isVerbatim = isVerbatim
    self.variables = variables
  }

  /// The place of one Unicode scalar, counted from 0, in a scalar's text; if unknown, the place of the whole scalar.
  package func mark(ofCharacter offset: Int) -> Mark {
    guard isVerbatim else { return mark }
    return Mark(file: mark.file, line: mark.line, column: mark.column + (isQuoted ? 1 : 0) + offset)
  }

  /// A description for error messages, on one line and of limited length: `'text'`, `the value of ${TOKEN}`, `a list`, `a mapping`,
  /// `nothing`.
  package var kind: String {
    switch value {
    case .scalar: isNull ? "nothing" : shownText
    case .list: "a list"
    case .map: "a mapping"
    }
  }

  /// True if nothing, `~` or `null` was written without quotation marks.
  package var isNull: Bool {
    guard case .scalar(let text) = value, !isQuoted else { return false }
    return text.isEmpty || text == "~" || text == "null"
  }

  /// The text of a scalar; nil if nothing is set, and for other values.
  package var word: String? { if case .scalar(let text) = value, !isNull { text } else { nil } }

  /// The text at `key` of a mapping; nil if there is none.
  package func word(_ key: String) -> String? { self[key]?.word }

  /// True if both have the same meaning, wherever they are written. Values of variables are compared; a mapping's order does not matter;
  /// quotation marks matter only for a text that would mean "not set" without them.
  package func isLike(_ other: ConfigNode) -> Bool {
    switch (value, other.value) {
    case (.scalar(let a), .scalar(let b)): a == b && isNull == other.isNull
    case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isLike($1) }
    case (.map(let a), .map(let b)): a.count == b.count && a.allSatisfy { entry in other[entry.key].map(entry.value.isLike) ?? false }
    default: false
    }
  }

  /// The keys whose values differ, or that only one of two mappings has; the keys of this mapping come first. Empty for other values.
  package func differingKeys(_ other: ConfigNode) -> [String] {
    guard case .map(let mine) = value, case .map(let others) = other.value else { return [] }
    let changed = mine.filter { !Self.isLike($0.value, other[$0.key]) }
    return changed.map(\.key) + others.filter { self[$0.key] == nil }.map(\.key)
  }

  /// Like `isLike`; nil equals only nil.
  package static func isLike(_ a: ConfigNode?, _ b: ConfigNode?) -> Bool {
    if let a, let b { a.isLike(b) } else { a == nil && b == nil }
  }

  /// The value of `key` in a mapping; nil if this is not a mapping or has no such key.
  package subscript(key: String) -> ConfigNode? {
    guard case .map(let entries) = value else { return nil }
    return entries.last { $0.key == key }?.value
  }

  /// The value on a dotted path such as `decoding.messages.print`, or the last one on the way that is written; nil if none is.
  package func deepest(on path: String) -> ConfigNode? {
    guard case .map(let entries) = value, let entry = entries.last(where: { path == $0.key || path.hasPrefix($0.key + ".") }) else {
      return nil
    }
    return entry.value.deepest(on: String(path.dropFirst(entry.key.count + 1))) ?? entry.value
  }
}
