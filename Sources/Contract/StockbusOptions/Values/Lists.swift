/// A list or a mapping, whose number of items `count:` may limit.
public protocol CountedOption: OptionValue {}

extension Array: OptionValue, CountedOption where Element: OptionValue {
  public typealias OptionLeaf = Element.OptionLeaf

  /// A single word counts as a list of one.
  public static func readOption(
    _ source: OptionSource<Element.OptionLeaf>, onto base: [Element]?, _ problems: inout Problems
  ) -> [Element]? {
    if let node = several(in: source) {
      let words = node.text.split(separator: " ").joined(separator: ", ")
      problems.add(
        "\(source.subject): a symbol with blanks is written in quotation marks; write several as [\(OptionText.visible(words))]",
        at: node.mark)
      return nil
    }
    switch source.node.value {
    case .list(let nodes):
      let isAllowed = source.limits.count?.check(nodes.count, source, &problems) ?? true
      let items = nodes.enumerated().map { Element.readOption(source.item($0, $1), onto: nil, &problems) }
      return isAllowed && items.allSatisfy { $0 != nil } ? items.compactMap { $0 } : nil
    case .scalar(let text) where Element.optionIsScalar && !source.node.isNull:
      return single(text, source, &problems)
    case .scalar, .map:
      problems.add(source.mismatch(optionShape(OptionContext(), of: nil)), at: source.node.mark)
      return nil
    }
  }

  /// `AAPL MSFT`, which is probably meant as two symbols, and its node.
  private static func several(in source: OptionSource<Element.OptionLeaf>) -> (text: String, mark: ConfigNode.Mark)? {
    guard source.path == "symbols" || source.path.hasSuffix(".symbols") else { return nil }
    let nodes = if case .list(let nodes) = source.node.value { nodes } else { [source.node] }
    for node in nodes where !node.isQuoted && node.variables.isEmpty {
      if case .scalar(let text) = node.value, text.contains(" "), text.utf8.count <= 60 { return (text, node.mark) }
    }
    return nil
  }

  private static func single(
    _ text: String, _ source: OptionSource<Element.OptionLeaf>, _ problems: inout Problems
  ) -> [Element]? {
    let shape = optionShape(OptionContext(), of: nil)
    var own = Problems()
    let item = OptionSource(source.node, path: source.path, limits: source.limits.ofParts, expected: shape.type.phrase)
    let value = Element.readOption(item, onto: nil, &own)
    guard own.isEmpty, let value else {
      // `AAPL, NVDA` is probably meant as a list.
      if text.contains(","), text.count <= 60, !shape.form.holdsSecret, !item.isFromVariable, !ShownAddress.hasScheme(text) {
        problems.add("\(item.mismatch(shape)); write [\(OptionText.visible(text))]", at: source.node.mark)
      } else {
        problems.add(own)
      }
      return nil
    }
    return source.limits.count?.check(1, source, &problems) ?? true ? [value] : nil
  }

  public static func optionShape(_ context: OptionContext<Element.OptionLeaf>, of base: [Element]?) -> OptionShape {
    let item = Element.optionShape(context.ofParts, of: nil)
    let count = context.limits.count
    let list = JSONValue.object([.init("type", "array"), .init("items", item.schema)] + (count?.keywords("Items") ?? []))
    let number = count.map { "\($0.text) \($0.isOne ? "item" : "items")" }
    let range = [number, item.range.map { number == nil ? $0 : "each \($0)" }].compactMap { $0 }
    return OptionShape(
      type: OptionType(
        "list of \(item.type.plural)", plural: "lists of \(item.type.plural)", phrase: "a list of \(item.type.pluralPhrase)"),
      schema: Element.optionIsScalar ? ["anyOf": [list, item.schema]] : list,
      range: range.isEmpty ? nil : range.joined(separator: ", "),
      form: .list(item.form, count: Swift.min(5, Swift.max(1, count?.lowest ?? 1))))
  }

  public static func optionFaults(_ path: String, within outer: OuterTypes, of base: [Element]?) -> [String] {
    Element.optionFaults(path, within: outer, of: nil)
  }

  public var optionText: String { "[" + map(\.optionText).joined(separator: ", ") + "]" }
  public var optionJSON: JSONValue { .array(map(\.optionJSON)) }
}

extension Optional: OptionValue where Wrapped: OptionValue {
  public typealias OptionLeaf = Wrapped.OptionLeaf

  public static func readOption(
    _ source: OptionSource<Wrapped.OptionLeaf>, onto base: Wrapped??, _ problems: inout Problems
  ) -> Wrapped?? {
    source.node.isNull ? .some(nil) : Wrapped.readOption(source, onto: base ?? nil, &problems).map { .some($0) }
  }
  public static func optionShape(_ context: OptionContext<Wrapped.OptionLeaf>, of base: Wrapped??) -> OptionShape {
    Wrapped.optionShape(context, of: base ?? nil)
  }
  public static func optionFaults(_ path: String, within outer: OuterTypes, of base: Wrapped??) -> [String] {
    Wrapped.optionFaults(path, within: outer, of: base ?? nil)
  }
  public static var optionIfAbsent: Wrapped?? { .some(nil) }
  public static var optionIsScalar: Bool { Wrapped.optionIsScalar }
  public var optionText: String { self?.optionText ?? "null" }
  public var optionJSON: JSONValue { self?.optionJSON ?? .null }
}

extension Optional: CountedOption where Wrapped: CountedOption {}
