internal import StockbusExpressions
package import StockbusPlugin

/// What symbols are ordered by.
package enum RankingBy: ScalarOption, Hashable {
  case key(RankingKey)
  /// A number over the fields of the events and over earlier ones; its meaning depends on the event's type.
  case number(String)

  package init(option text: String) throws(OptionTextError) {
    self = RankingKey(rawValue: text).map { .key($0) } ?? .number(text)
  }

  package static var optionType: OptionType {
    OptionType("number", plural: "numbers", phrase: "price, change, percent, volume, or a number such as \(optionSample)")
  }
  package static var optionSample: String { "zscore(price, 1h)" }
  package static var optionSchema: JSONValue {
    ["anyOf": .array([["enum": .array(RankingKey.allCases.map { .string($0.rawValue) })], ["type": "string"]])]
  }
  package var optionText: String { text.optionText }
  package var optionJSON: JSONValue { .string(text) }

  var text: String {
    switch self {
    case .key(let key): key.rawValue
    case .number(let text): text
    }
  }

  /// The number in normal form; nil if it is one of the feed's own figures.
  var number: String? {
    guard case .number(let text) = self else { return nil }
    return (try? ExpressionSyntax(text))?.description ?? text
  }
}

extension SortingFeedSettings {
  /// The number that is ordered by, for events of this type; nil if it is one of the feed's own figures. It has been checked.
  func number<E: Event>(for _: E.Type, reading columns: ColumnLayout = ColumnLayout()) -> ColumnExpressions<E>? {
    if case .number(let text) = by { try? ColumnExpressions(number: text, reading: columns) } else { nil }
  }

  func textFaults<E: Event>(for _: E.Type, reading columns: ColumnLayout) -> [TextFault] {
    guard case .number(let text) = by else { return [] }
    do throws(ExpressionError) { _ = try ColumnExpressions<E>(number: text, reading: columns) } catch {
      let near = didYouMean(text, among: RankingKey.allCases.map(\.rawValue) + columns.names)
      let message = near.isEmpty ? "'by': \(error.message)" : "'by': there is no \(shown(text))\(near)"
      return [TextFault("by", message, character: error.range.lowerBound)]
    }
    return []
  }
}
