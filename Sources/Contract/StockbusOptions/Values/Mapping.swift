/// Values by names that the user chooses, in the order written: `headers: { Accept: text/csv, X-Feed: a }`.
public struct Mapping<Value: OptionValue>: Sendable {
  /// Every name occurs once.
  public let entries: [(name: String, value: Value)]

  /// The value of `name`; nil if it is not written.
  public subscript(name: String) -> Value? { entries.first { $0.name == name }?.value }
}

extension Mapping: ExpressibleByDictionaryLiteral {
  /// A mapping written in source code. Traps if a name occurs twice.
  public init(dictionaryLiteral elements: (String, Value)...) {
    precondition(Set(elements.map(\.0)).count == elements.count, "a name occurs twice")
    entries = elements.map { (name: $0, value: $1) }
  }
}

extension Mapping {
  /// A mapping of these values. If a name occurs twice, the first value is used.
  public init(unique entries: [(name: String, value: Value)]) {
    var seen: Set<String> = []
    self.entries = entries.filter { seen.insert($0.name).inserted }
  }
}

extension Mapping: Equatable where Value: Equatable {
  public static func == (a: Mapping, b: Mapping) -> Bool { a.entries.elementsEqual(b.entries) { $0 == $1 } }
}

extension Mapping: OptionValue, CountedOption {
  public typealias OptionLeaf = Value.OptionLeaf

  public static func readOption(
    _ source: OptionSource<Value.OptionLeaf>, onto base: Mapping?, _ problems: inout Problems
  ) -> Mapping? {
    guard case .map(let written) = source.node.value else {
      problems.add(source.mismatch(optionShape(OptionContext(), of: nil)), at: source.node.mark)
      return nil
    }
    var isGood = source.limits.count?.check(written.count, source, &problems) ?? true
    var seen: Set<String> = []
    var entries: [(name: String, value: Value)] = []
    for entry in written {
      let part = source.entry(entry.key, entry.value)
      if !seen.insert(entry.key).inserted {
        problems.add("\(part.subject) is written twice", at: entry.mark)
        isGood = false
      }
      if let value = Value.readOption(part, onto: nil, &problems) { entries.append((entry.key, value)) } else { isGood = false }
    }
    return isGood ? Mapping(entries: entries) : nil
  }

  public static func optionShape(_ context: OptionContext<Value.OptionLeaf>, of base: Mapping?) -> OptionShape {
    let value = Value.optionShape(context.ofParts, of: nil)
    let count = context.limits.count
    let number = count.map { "\($0.text) \($0.isOne ? "item" : "items")" }
    let range = [number, value.range.map { number == nil ? $0 : "each \($0)" }].compactMap { $0 }
    return OptionShape(
      type: OptionType(
        "mapping of \(value.type.plural)", plural: "mappings of \(value.type.plural)",
        phrase: "a mapping of names to \(value.type.pluralPhrase)"),
      schema: .object(
        [.init("type", "object"), .init("additionalProperties", value.schema)] + (count?.keywords("Properties") ?? [])),
      range: range.isEmpty ? nil : range.joined(separator: ", "), form: .entries(value.form))
  }

  public static func optionFaults(_ path: String, within outer: OuterTypes, of base: Mapping?) -> [String] {
    Value.optionFaults(path, within: outer, of: nil)
  }

  public var optionText: String {
    "{" + entries.map { "\(OptionText.scalar($0.name)): \($0.value.optionText)" }.joined(separator: ", ") + "}"
  }
  public var optionJSON: JSONValue { .object(entries.map { .init($0.name, $0.value.optionJSON) }) }
}
