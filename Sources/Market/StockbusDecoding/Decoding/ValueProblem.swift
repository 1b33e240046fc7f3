internal import StockbusPlugin

/// Why a value in a message is not valid.
struct ValueProblem: Error, Hashable {
  enum Reason: Hashable {
    case missing, null, notAValue, notAText, notANumber, tooManyDecimals, outOfRange, negative, notASide, notATime, tooFine, noList
    case tooLong, notExact, notACondition
    /// The number means "undefined".
    case undefined
    /// The time is out of range in units of so many nanoseconds; 0 for texts.
    case beyondTime(unit: UInt64)
    /// There are more items than this number.
    case tooMany(Int)
    case symbol(TextError.Code)
  }
  /// The field, or the path of a list.
  var field: String
  var reason: Reason
  /// The node in the tape; for a missing value, the one in which it was searched. -1 if there is none.
  var node = -1

  func description(in tape: borrowing JSONTape) -> String {
    let name = "'\(visible(field))'"
    let hasText = node >= 0 && !tape.nodes[node].isContainer
    let text = hasText ? ": \(shown(tape.string(node, limit: 60)))" : ""
    let place = node >= 0 ? " (byte \(tape.nodes[node].start + 1))" : ""
    // A size is cut, and is here only for the remark about an event that is kept.
    let isPrice = EventKind.allCases.contains { EventFields.prices($0).contains(field) }
    let rounding = isPrice ? "; 'finer_prices: round' in the decoding rounds prices to nine, unless that gives 0" : ""
    switch reason {
    case .missing: return "\(name) is missing\(node < 0 ? "" : MessageShape.contents(of: node, in: tape))"
    case .null: return "\(name) is null\(place)"
    case .notAValue: return "\(name) is an object or a list, not a value\(place)"
    case .notAText: return "\(name) is not a text\(text)\(place)"
    case .notANumber: return "\(name) is not a number\(text)\(place)"
    case .tooManyDecimals: return "\(name) has more than nine decimals\(text)\(place)\(rounding)"
    case .undefined: return "\(name) is undefined\(text) stands for no number\(place)"
    case .outOfRange: return "\(name) is out of range\(text)\(place)"
    case .beyondTime(let unit):
      let meant = hasText ? EpochTime.unit(meantBy: tape.string(node, limit: 60), insteadOf: unit) : nil
      return "\(name) is out of range\(text)\(place)\(meant.map { "; write 'time: \($0)' in the decoding" } ?? "")"
    case .negative: return "\(name) is negative\(text)\(place)"
    case .notASide: return "\(name) is neither buy nor sell\(text)\(place)"
    case .notACondition: return "\(name) has an unknown code\(text)\(place); 'conditions' can say what it means"
    case .tooMany(let limit): return "\(name) has more than \(limit) items\(place)"
    case .notATime: return "\(name) is not a time\(text)\(place)"
    case .tooFine: return "\(name) is finer than a nanosecond\(text)\(place)"
    case .noList: return "\(name) is not a list\(place)"
    case .tooLong: return "\(name) is longer than \(MessageReader.valueLimit) bytes\(text)\(place)"
    case .notExact: return "\(name) divided by its scale is out of range or has more than nine decimals\(text)\(place)\(rounding)"
    case .symbol(let code): return "\(name): \(TextError(code, at: 0).reason)\(text)\(place)"
    }
  }
}
