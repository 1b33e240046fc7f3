package import StockbusPlugin

/// A distance between prices: an amount such as `2.50`, or a share such as `5%`.
package enum Move: Hashable, Sendable {
  case amount(Price)
  case percent(Percent)

  /// In units of 1e-9 of the currency's unit, or of one per cent.
  var raw: Int64 {
    switch self {
    case .amount(let price): price.raw
    case .percent(let percent): percent.raw
    }
  }

  var isPercent: Bool { if case .percent = self { true } else { false } }
}

extension Move: CustomStringConvertible {
  package var description: String {
    switch self {
    case .amount(let price): "\(price)"
    case .percent(let percent): "\(percent)%"
    }
  }
}

extension Move: ScalarOption {
  package init(option text: String) throws(OptionTextError) {
    self = text.hasSuffix("%") ? .percent(try Percent(option: text)) : .amount(try Price(option: text))
  }
  package static var optionType: OptionType {
    OptionType("amount or percentage", plural: "amounts or percentages", phrase: "an amount such as 2.50 or a percentage such as 5%")
  }
  package static var optionSample: String { "5%" }
  package static var optionSchema: JSONValue {
    ["anyOf": [Price.optionSchema, Percent.optionSchema]]
  }
  package var optionText: String { description }
}

/// Written as it is in options.
extension Move: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do { try self.init(option: try container.decode(String.self)) } catch let error as OptionTextError {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
  }

  package func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
