/// A setting without its type, as a mirror finds it.
protocol AnySetting: Sendable {
  var isRequired: Bool { get }
  /// The value as text and as JSON; nil if there is none.
  var shown: (text: String, json: JSONValue)? { get }
  func info(_ name: String, within outer: OuterTypes) -> OptionInfo
  /// A copy with the value of `node`, or with the default if no value is written. Adds problems.
  func reading(_ node: ConfigNode?, path: String, else missing: ConfigNode.Mark, _ problems: inout Problems) -> any AnySetting
  func faults(_ path: String, within outer: OuterTypes) -> [String]
}

extension Setting: AnySetting {
  var isRequired: Bool { value == nil }
  var shown: (text: String, json: JSONValue)? { value.map { ($0.optionText, $0.optionJSON) } }

  func info(_ name: String, within outer: OuterTypes) -> OptionInfo {
    let shape = Value.optionShape(OptionContext(limits, within: outer), of: value)
    // The defaults of a nested mapping are shown at its own options.
    let isMapping = if case .mapping = shape.form { true } else { false }
    let lacks = Value.optionIsMapping && shape.form.nested.contains(where: \.isRequired)
    let fallback = isMapping ? nil : shown.flatMap { $0.json == .null ? nil : $0 }
    var sentence = sentence
    if let range = limits.leaf?.text, limits.leaf?.keywords.isEmpty == true { sentence += " Range: \(range)." }
    var schema = JSONValue.object([.init("description", .string(sentence))] + shape.schema.members)
    // A masked secret is not a default that an editor could insert.
    if let fallback, !(shape.form.holdsSecret && fallback.text.contains("***")) { schema = schema.with([.init("default", fallback.json)]) }
    return OptionInfo(
      name: name, sentence: self.sentence, typeName: shape.type.name, typePhrase: shape.type.phrase, defaultText: fallback?.text,
      rangeText: shape.range, isRequired: isRequired || lacks, schema: schema, form: shape.form)
  }

  func reading(_ node: ConfigNode?, path: String, else missing: ConfigNode.Mark, _ problems: inout Problems) -> any AnySetting {
    guard let node, !node.isNull else {
      // The default of a mapping may still lack required options.
      if let value, Value.optionIsMapping {
        let empty = ConfigNode(.map([]), at: node?.mark ?? missing)
        var copy = self
        copy.value = Value.readOption(OptionSource(empty, path: path, limits: limits), onto: value, &problems)
        return copy
      }
      if isRequired {
        let phrase = Value.optionShape(OptionContext(limits), of: nil).type.phrase
        problems.add("'\(OptionText.visible(path))' is required: \(phrase) (\(sentence))", at: node?.mark ?? missing)
      }
      return self
    }
    var copy = self
    copy.value = Value.readOption(OptionSource(node, path: path, limits: limits), onto: value, &problems)
    return copy
  }

  func faults(_ path: String, within outer: OuterTypes) -> [String] {
    var faults: [String] = []
    if sentence.isEmpty || sentence.last != "." { faults.append("'\(path)': its description is not a sentence: '\(sentence)'") }
    if sentence.contains(where: \.isNewline) { faults.append("'\(path)': its description has several lines") }
    // A user must be able to write any default.
    if let value, value.optionJSON != .null, !Value.optionIsMapping {
      var problems = Problems()
      let node = ConfigNode(value.optionJSON)
      let again = Value.readOption(OptionSource(node, path: path, limits: limits), onto: nil, &problems)
      faults += problems.list.map { "its default cannot be written: \($0.message)" }
      if let again, again.optionText != value.optionText {
        faults.append("'\(path)': its default \(value.optionText) is read as \(again.optionText)")
      }
    }
    return faults + Value.optionFaults(path, within: outer, of: value)
  }
}

extension ConfigNode {
  /// The node that reads as `json`; all its parts have the same place.
  package init(_ json: JSONValue, at mark: Mark = Mark(file: "default", line: 1, column: 1)) {
    switch json {
    case .null: self.init(.scalar("null"), at: mark)
    case .bool(let value): self.init(.scalar(value ? "true" : "false"), at: mark)
    case .number(let text): self.init(.scalar(text), at: mark)
    case .string(let text): self.init(.scalar(text), at: mark, isQuoted: true)
    case .array(let items): self.init(.list(items.map { ConfigNode($0, at: mark) }), at: mark)
    case .object(let members):
      self.init(.map(members.map { Entry(key: $0.name, mark: mark, value: ConfigNode($0.value, at: mark)) }), at: mark)
    }
  }
}
