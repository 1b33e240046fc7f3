internal import MarketData

/// An enum of words. `enum Order: String, Choice { case ascending, descending }` is all it needs.
///
/// Users write the raw value in snake_case: `case dropOldest` is `drop_oldest`.
public protocol Choice: OptionValue, CaseIterable, RawRepresentable<String> where OptionLeaf == Self {}

extension Choice {
  private static var words: [String] { allCases.map(\.word) }
  private var word: String { OptionText.snakeCase(rawValue) }

  public static var optionIsScalar: Bool { true }

  public static func readOption(_ source: OptionSource<Self>, onto base: Self?, _ problems: inout Problems) -> Self? {
    var hint = ""
    if case .scalar(let text) = source.node.value, !source.node.isNull {
      if let value = allCases.first(where: { $0.word == text }) { return value }
      hint = didYouMean(text, among: words)
    }
    // A list of the words is more useful than "a list of choices".
    let source = OptionSource<Self>(source.node, path: source.path)
    problems.add(source.mismatch(optionShape(OptionContext(), of: nil)) + hint, at: source.node.mark)
    return nil
  }

  public static func optionShape(_ context: OptionContext<Self>, of base: Self?) -> OptionShape {
    let list = words.joined(separator: ", ")
    return OptionShape(
      type: OptionType("choice", plural: "choices", phrase: "one of \(list)", pluralPhrase: "choices among \(list)"),
      schema: OptionSchema.words(words), range: list, form: .word(OptionText.scalar(words.first ?? "")))
  }

  public var optionText: String { OptionText.scalar(word) }
  public var optionJSON: JSONValue { .string(word) }
}
