internal import MarketData
internal import StockbusViewing

/// The numbers of a row as they are sent to a client.
struct RowNumbers: Hashable {
  var updates: UInt64 = 0
  var price: Int64 = 0
  var reference: Int64 = 0
  var volume: Int64 = 0
  var bid: Int64 = 0
  var ask: Int64 = 0
  var low: Int64 = 0
  var high: Int64 = 0
  /// Nanoseconds since 1970.
  var time: Int64 = 0
  var rank: Int32 = 0
  /// Decimals with which all prices of the row are whole numbers.
  var priceDecimals: UInt8 = 0
  var sizeDecimals: UInt8 = 0
  var marks: RowMarks = []

  init() {}

  init(_ row: Row) {
    updates = UInt64(row.updates)
    price = row.price.raw
    reference = row.reference.raw
    volume = row.volume.raw
    bid = row.bid.raw
    ask = row.ask.raw
    low = row.low.raw
    high = row.high.raw
    time = row.time.ns
    priceDecimals = row.decimals
    sizeDecimals = row.sizeDecimals
    if row.isStale { marks.insert(.stale) }
  }

  /// Takes at least as many decimals as were sent before, more if a number needs them, and never fewer, so a symbol keeps its scale.
  mutating func keepDecimals(of old: RowNumbers) {
    priceDecimals = min(9, max(priceDecimals, old.priceDecimals))
    sizeDecimals = min(9, max(sizeDecimals, old.sizeDecimals))
    for number in [price, reference, bid, ask, low, high] {
      while priceDecimals < 9, number % Self.units[Int(priceDecimals)] != 0 { priceDecimals += 1 }
    }
    while sizeDecimals < 9, volume % Self.units[Int(sizeDecimals)] != 0 { sizeDecimals += 1 }
  }

  /// The raw value of one unit in the last place, by decimals.
  static let units: InlineArray<10, Int64> = [
    1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1,
  ]
}

/// Special states of a row's price.
struct RowMarks: OptionSet, Hashable {
  let rawValue: UInt8
  /// The price is from before this run.
  static let stale = RowMarks(rawValue: 1)
  /// The venue has halted trading in the symbol.
  static let halted = RowMarks(rawValue: 2)
}

/// The frames in which the numbers of a row last changed; 0 if they were never sent.
struct RowStamps: Hashable {
  /// Any change of the row, including an update without a new number.
  var any: UInt32 = 0
  /// Decimals and marks. New decimals concern all numbers.
  var shape: UInt32 = 0
  var price: UInt32 = 0
  var reference: UInt32 = 0
  var volume: UInt32 = 0
  var quote: UInt32 = 0
  var range: UInt32 = 0
  var rank: UInt32 = 0

  mutating func note(_ old: RowNumbers, _ new: RowNumbers, _ frame: UInt32) {
    any = frame
    if old.priceDecimals != new.priceDecimals || old.sizeDecimals != new.sizeDecimals {
      (shape, price, reference, volume, quote, range) = (frame, frame, frame, frame, frame, frame)
      return
    }
    if old.marks != new.marks { shape = frame }
    if old.price != new.price { price = frame }
    if old.reference != new.reference { reference = frame }
    if old.volume != new.volume { volume = frame }
    if old.bid != new.bid || old.ask != new.ask { quote = frame }
    if old.low != new.low || old.high != new.high { range = frame }
  }
}
