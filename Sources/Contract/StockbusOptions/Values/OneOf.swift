internal import MarketData

/// A choice among mappings, written as a mapping with one key: `webhook: { url: … }`.
///
/// ```swift
/// enum Channel: OneOf {
///   case desktop(Desktop), webhook(Webhook)
///   static let cases: [OneOfCase<Channel>] = [
///     .init("desktop", "A notification on the desktop.", Channel.desktop),
///     .init("webhook", "A POST to a web address.", Channel.webhook),
///   ]
///   var chosen: (name: String, options: any Options) {
///     switch self {
///     case .desktop(let options): ("desktop", options)
///     case .webhook(let options): ("webhook", options)
///     }
///   }
/// }
/// ```
///
/// A case without required options may also be written as its name alone: `desktop`.
public protocol OneOf: OptionValue where OptionLeaf == Self {
  /// The alternatives, in the order in which help shows them.
  static var cases: [OneOfCase<Self>] { get }
  /// The name of this case and its options.
  var chosen: (name: String, options: any Options) { get }
}

/// One of the alternatives.
public struct OneOfCase<Value: OneOf>: Sendable {
  let name: String
  let info: @Sendable (OuterTypes) -> OptionInfo
  let read: @Sendable (ConfigNode, String, inout Problems) -> Value?
  let faults: @Sendable (String, OuterTypes) -> [String]

  public init<Payload: Options>(_ name: String, _ sentence: String, _ wrap: @escaping @Sendable (Payload) -> Value) {
    self.name = name
    info = { outer in
      let shape = Payload.optionShape(OptionContext(within: outer), of: nil)
      let schema = JSONValue.object([.init("description", .string(sentence))] + shape.schema.members)
      return OptionInfo(
        name: name, sentence: sentence, typeName: shape.type.name, typePhrase: shape.type.phrase, defaultText: nil, rangeText: nil,
        isRequired: false, schema: schema, form: shape.form)
    }
    read = { node, path, problems in
      let given = node.isNull ? ConfigNode(.map([]), at: node.mark) : node
      return Payload.readOption(OptionSource(given, path: path), onto: nil, &problems).map(wrap)
    }
    faults = { path, outer in
      let isSentence = sentence.last == "." && !sentence.contains(where: \.isNewline)
      return (isSentence ? [] : ["'\(path)': its description is not a sentence: '\(sentence)'"])
        + Payload.optionFaults(path, within: outer, of: nil)
    }
  }
}

extension OneOf {
  public static func readOption(_ source: OptionSource<Self>, onto base: Self?, _ problems: inout Problems) -> Self? {
    let names = cases.map(\.name)
    var hint = ""
    switch source.node.value {
    case .scalar(let text) where !source.node.isNull:
      if let found = cases.first(where: { $0.name == text }) {
        return found.read(ConfigNode(.map([]), at: source.node.mark), source.path(of: text), &problems)
      }
      hint = suggestion(for: text, among: names).map { "; did you mean '\($0)'? write { \($0): { … } }" } ?? ""
    case .map(let entries):
      guard let entry = entries.first else { break }
      guard entries.count == 1 else {
        problems.add("\(source.subject) must be one of \(names.joined(separator: ", ")), got \(entries.count) keys", at: source.node.mark)
        return nil
      }
      if let found = cases.first(where: { $0.name == entry.key }) {
        return found.read(entry.value, source.path(of: entry.key), &problems)
      }
      let key = OptionText.visible(entry.key)
      problems.add(
        "\(source.subject) must be one of \(names.joined(separator: ", ")), got '\(key)'\(didYouMean(entry.key, among: names))",
        at: entry.mark)
      return nil
    case .scalar, .list: break
    }
    let shape = optionShape(OptionContext(), of: nil)
    problems.add(OptionSource<Self>(source.node, path: source.path).mismatch(shape) + hint, at: source.node.mark)
    return nil
  }

  public static func optionShape(_ context: OptionContext<Self>, of base: Self?) -> OptionShape {
    let names = cases.map(\.name).joined(separator: ", ")
    let type = OptionType("choice", plural: "choices", phrase: "one of \(names)", pluralPhrase: "choices among \(names)")
    guard let outer = context.outer.adding(Self.self) else {
      return OptionShape(type: type, schema: ["type": ["object", "string"]], range: names, form: .oneOf([]))
    }
    let infos = cases.map { $0.info(outer) }
    let mappings = infos.map { info -> JSONValue in
      let properties = JSONValue.object([.init(info.name, info.schema)])
      return ["type": "object", "properties": properties, "required": [.string(info.name)], "additionalProperties": false]
    }
    let alone = infos.filter { !$0.nested.contains(where: \.isRequired) }.map { JSONValue.string($0.name) }
    let words: [JSONValue] = alone.isEmpty ? [] : [["enum": .array(alone)]]
    return OptionShape(type: type, schema: ["anyOf": .array(mappings + words)], range: names, form: .oneOf(infos))
  }

  public static func optionFaults(_ path: String, within outer: OuterTypes, of base: Self?) -> [String] {
    guard let outer = outer.adding(Self.self) else { return [] }
    return cases.flatMap { $0.faults("\(path).\($0.name)", outer) }
  }

  public var optionText: String { "{\(chosen.name): \(chosen.options.optionText)}" }
  public var optionJSON: JSONValue { .object([.init(chosen.name, chosen.options.optionJSON)]) }
}
