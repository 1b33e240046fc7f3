internal import EventBus
internal import MarketData

/// An event type with its fields, as an expression sees it.
struct EventShape {
  let name: String
  let slots: [FieldSlot]
  let places: EventPlaces
  /// The columns beside the events.
  let columns: ColumnLayout

  init<E: Event>(_: E.Type, _ columns: ColumnLayout = ColumnLayout()) {
    self.columns = columns
    name = E.schema.name
    places = EventPlaces(E.schema)
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
    case .other where type == Amount.self: .amount
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

  /// True if a word is a field or a column.
  func knows(_ word: String) -> Bool { self[word] != nil || columns.place(of: word) != nil }

  /// The names of fields and columns.
  var names: [String] { slots.map(\.name) + columns.names }
}

extension EventShape {
  init(opening type: any Event.Type, _ columns: ColumnLayout = ColumnLayout()) {
    func shape<E: Event>(_: E.Type) -> EventShape { EventShape(E.self, columns) }
    self = shape(type)
  }
}

/// Where functions with memory find in an event what it is about, when it was, and what it counts for: offsets in bytes.
struct EventPlaces: Sendable {
  /// The symbol; nil if the event is about no instrument.
  let symbol: Int?
  let owner: Int?
  /// The bar's length.
  let length: Int?
  let time: Int
  let received: Int
  /// The byte that decides what the event counts for, and `Counting` for each of its values; nil if it counts for everything.
  let counting: (offset: Int, table: [UInt8])?
  /// The number of the revision, for events of which a later one may replace an earlier one.
  let revision: Int?

  init<E: Event>(_ schema: EventSchema<E>) {
    func offset(_ type: any FieldValue.Type) -> Int? { schema.fields.first { $0.type == type }?.offset }
    symbol = schema.keyOffset
    owner = schema.ownerOffset
    length = offset(BarLength.self)
    time = schema.timeOffset
    received = schema.receivedOffset
    revision = schema.fields.first { $0.name == "revision" && $0.layout == .uint32 }?.offset
    if let condition = offset(TradeCondition.self) {
      counting = (condition, (0...255).map { Counting.of(TradeCondition(code: $0)) })
    } else if let status = offset(BarStatus.self) {
      counting = (status, (0...255).map { $0 == BarStatus.partial.rawValue ? 0 : Counting.everything })
    } else {
      counting = nil
    }
  }

  /// True if the symbol alone does not tell apart what is remembered.
  var hasWideKey: Bool { owner != nil || length != nil }
}

/// What an event counts for, in bits. A function takes the events that count for everything that its argument reads.
enum Counting {
  static let lastPrice: UInt8 = 1
  static let volume: UInt8 = 2
  static let anything: UInt8 = 4
  static let everything: UInt8 = 7

  static func of(_ condition: TradeCondition) -> UInt8 {
    (condition.countsForLast ? lastPrice : 0) | (condition.countsForVolume ? volume : 0) | anything
  }
}
