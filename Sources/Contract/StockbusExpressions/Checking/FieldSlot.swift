internal import EventBus
internal import MarketData

/// A field as an expression reads it: its name, its offset in the event, and its form.
struct FieldSlot {
  enum Form {
    /// 64 bits: billionths, nanoseconds or a whole number.
    case value(Dimension, isInteger: Bool)
    /// 32 bits, a whole number.
    case count
    case symbol
    case text
    /// 128 bits, for functions only.
    case amount
    case choice(Choices)
    /// A type that only its plugin can read.
    case foreign
  }

  let name: String
  let offset: Int
  let form: Form
}

/// The cases of an enum, with the byte that represents each in memory.
struct Choices {
  let type: ObjectIdentifier
  let names: [String]
  /// The same representations as numbers; nil if the type is not one byte in size and so cannot be read in place.
  let bytes: [UInt8]?
}

/// The dimension of a number.
enum Dimension: String {
  case number
  case percent = "percentage"
  case duration
  case time
}

extension ColumnKind {
  init(_ dimension: Dimension) {
    self =
      switch dimension {
      case .number: .number
      case .percent: .percent
      case .duration: .duration
      case .time: .time
      }
  }

  /// The dimension of its numbers; nil for what is true or false.
  var dimension: Dimension? {
    switch self {
    case .number: .number
    case .percent: .percent
    case .duration: .duration
    case .time: .time
    case .flag: nil
    }
  }
}
