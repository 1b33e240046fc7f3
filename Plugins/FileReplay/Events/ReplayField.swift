internal import EventBus
internal import MarketData

/// One field of an event that a row may contain.
struct ReplayField: Hashable, Sendable {
  /// The type of its values. The fields of a row are read in this order, so of several problems the first is reported.
  enum Kind: UInt8, Comparable, Sendable {
    case symbol, time, price
    /// The price of one side of a quote; 0 for a side without a quote.
    case quoted
    case quantity
    /// The time of receipt; if the row has none, the event's own time.
    case received
    case side
    /// The side in the words that the options name.
    case ownSide
    /// A trade's sale conditions.
    case condition
    /// Further fields of bars, as in files that stockbus writes. A missing average price becomes the close.
    case average, amount, count, length, session, status
    /// A column beside the event, which may have no value.
    case column

    static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
  }
  let name: String
  var kind: Kind
  /// The names of columns or keys under which it is searched if no mapping is given, best first. None is that of a column beside the event.
  private(set) var aliases: [String]
  let isRequired: Bool
  /// False for numbers that have to be converted, which no quick function can do.
  var isQuick = true

  init(_ name: String, _ kind: Kind, _ aliases: [String], isRequired: Bool = true) {
    self.name = name
    self.kind = kind
    self.aliases = aliases
    self.isRequired = isRequired
  }

  /// A column of the options. A file has to name it, but an object may lack it.
  init(_ column: ColumnInfo, isJSON: Bool) { self.init(column.name, .column, [column.name], isRequired: !isJSON) }

  /// The field, adapted to these options.
  func adapted(to options: ReplayOptions) -> ReplayField {
    var field = self
    if kind != .column { field.aliases.removeAll { options.extraColumns.place(of: $0) != nil } }
    switch kind {
    case .price, .quoted: field.isQuick = options.numbers != .comma && options.priceScale == 1 && options.priceFactor == 1
    case .quantity: field.isQuick = options.numbers != .comma && options.sizeScale == 1 && options.sizeFactor == 1
    case .side: if options.sides != nil { field.kind = .ownSide }
    default: break
    }
    return field
  }

  static let symbol = ReplayField("symbol", .symbol, ["symbol", "sym", "ticker", "s"])
  /// `T` before `t`: if a venue has both, the small letter is a trade's number.
  static let time = ReplayField("time", .time, ["time", "ts", "timestamp", "ts_event", "date", "T", "t"])
  /// Only by its own name, as in files written by stockbus; receive times in other files need a mapping.
  static let received = ReplayField("received", .received, ["received"], isRequired: false)
}
