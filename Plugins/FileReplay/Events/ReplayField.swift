/// One field that a row may give to an event.
struct ReplayField: Hashable, Sendable {
  /// What its values are; the fields of a row are read in this order, so that of several problems the first is told.
  enum Kind: UInt8, Comparable, Sendable {
    case symbol, time, price, quantity
    /// A time; the event's own where the row does not say.
    case received
    case side

    static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
  }
  let name: String
  let kind: Kind
  /// Columns or keys it is looked for under where no mapping is given, best first.
  let aliases: [String]
  let isRequired: Bool

  init(_ name: String, _ kind: Kind, _ aliases: [String], isRequired: Bool = true) {
    self.name = name
    self.kind = kind
    self.aliases = aliases
    self.isRequired = isRequired
  }

  static let symbol = ReplayField("symbol", .symbol, ["symbol", "sym", "ticker", "s"])
  /// `T` before `t`: where a venue writes both, the small one is a trade's number.
  static let time = ReplayField("time", .time, ["time", "ts", "timestamp", "ts_event", "date", "T", "t"])
  /// Only under its own name, as files written by this project have it: other files' receive times need a mapping.
  static let received = ReplayField("received", .received, ["received"], isRequired: false)
}
