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

/// An event type with its fields, as an expression sees it.
struct EventShape {
  let name: String
  let slots: [FieldSlot]

  init<E: Event>(_: E.Type) {
    name = E.schema.name
    slots = E.schema.fields.map { field in
      FieldSlot(name: field.name, offset: field.offset, form: Self.form(field.type, field.layout))
    }
  }

  private static func form(_ type: any FieldValue.Type, _ layout: FieldLayout) -> FieldSlot.Form {
    switch layout {
    case .symbol: .symbol
    case .fixedPoint: .value(type == Percent.self ? .percent : .number, isInteger: false)
    case .time: .value(.time, isInteger: false)
    case .int64: .value(.number, isInteger: true)
    case .uint32: .count
    case .text: .text
    case .other where type == BarLength.self: .value(.duration, isInteger: false)
    case .other: (type as? any FieldChoice.Type).map { .choice(choices($0)) } ?? .foreign
    }
  }

  private static func choices<C: FieldChoice>(_: C.Type) -> Choices {
    let cases = Array(C.allCases)
    var bytes: [UInt8]?
    // An enum with one case has size 0: its byte in memory is undefined.
    if MemoryLayout<C>.size == 1, _isPOD(C.self) { bytes = cases.map { value in withUnsafeBytes(of: value) { $0[0] } } }
    return Choices(type: ObjectIdentifier(C.self), names: cases.map(\.fieldName), bytes: bytes)
  }

  subscript(name: String) -> FieldSlot? { slots.first { $0.name == name } }
}

extension EventShape {
  init(opening type: any Event.Type) {
    func shape<E: Event>(_: E.Type) -> EventShape { EventShape(E.self) }
    self = shape(type)
  }
}
