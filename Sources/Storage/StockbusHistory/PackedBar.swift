internal import MarketData

/// A bar as bytes: differences that are small for most bars, in as many bytes as they need. Every field is restored exactly.
///
/// Documentation/maintain/formats.md has the order of the fields. Symbol and length are those of the chunk.
enum PackedBar {
  /// The most bytes of a bar.
  static let most = 128

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The prices are in units of their last decimal.
    static let prices = Flags(rawValue: 1)
    /// The volume is in units of its last decimal.
    static let volume = Flags(rawValue: 2)
    /// The turnover is in units of the last decimals of price and volume.
    static let turnover = Flags(rawValue: 4)
    /// The average price is the close, and left out.
    static let vwapIsClose = Flags(rawValue: 8)
    /// The start is counted in lengths.
    static let start = Flags(rawValue: 16)
    /// Decimals, session and status take a byte each, not half of one.
    static let wide = Flags(rawValue: 32)
    /// The bar has a revision.
    static let revision = Flags(rawValue: 64)
    static let known: Flags = [.prices, .volume, .turnover, .vwapIsClose, .start, .wide, .revision]
  }

  /// Billionths in a unit of the last decimal.
  @inline(__always)
  static func unit(_ decimals: UInt8) -> Int64 {
    switch decimals {
    case 0: 1_000_000_000
    case 1: 100_000_000
    case 2: 10_000_000
    case 3: 1_000_000
    case 4: 100_000
    case 5: 10_000
    case 6: 1000
    case 7: 100
    case 8: 10
    default: 1
    }
  }
}

/// Bars as bytes, one after the other, in reused memory.
struct PackedBars: ~Copyable {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  /// With room for `capacity` bytes and one more bar.
  init(capacity: Int) { bytes = .allocate(capacity: capacity + PackedBar.most) }

  deinit { bytes.deallocate() }

  var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[..<count])) }

  /// Drops the bytes after the first `count`.
  mutating func cut(to count: Int) { self.count = count }

  /// Begins with other bytes; returns false if there is no room for them.
  mutating func begin(with other: UnsafeRawBufferPointer) -> Bool {
    guard other.count <= bytes.count - PackedBar.most else { return false }
    UnsafeMutableRawBufferPointer(bytes).copyMemory(from: other)
    count = other.count
    return true
  }

  /// Adds a bar of a chunk that begins at `origin`, which is not after the bar. At most `capacity` bytes may be there before.
  mutating func add(_ bar: Bar, from origin: Int64) {
    var flags = PackedBar.Flags()
    let first = count
    count += 1
    if bar.priceDecimals | bar.sizeDecimals | bar.session.rawValue | bar.status.rawValue < 16 {
      put(byte: bar.priceDecimals << 4 | bar.sizeDecimals)
      put(byte: bar.session.rawValue << 4 | bar.status.rawValue)
    } else {
      flags.insert(.wide)
      for field in [bar.priceDecimals, bar.sizeDecimals, bar.session.rawValue, bar.status.rawValue] { put(byte: field) }
    }
    let length = bar.length.nanoseconds ?? 0
    let offset = UInt64(bitPattern: bar.time.ns &- origin)
    if length > 0, offset % UInt64(length) == 0 {
      flags.insert(.start)
      put(offset / UInt64(length))
    } else {
      put(offset)
    }
    put(signed: bar.received.ns &- bar.time.ns &- length)

    let unit = PackedBar.unit(bar.priceDecimals)
    let size = PackedBar.unit(bar.sizeDecimals)
    let (open, high, low, close) = (
      parts(bar.open.raw, unit), parts(bar.high.raw, unit), parts(bar.low.raw, unit), parts(bar.close.raw, unit)
    )
    if open.rest | high.rest | low.rest | close.rest == 0 {
      flags.insert(.prices)
      put(open.whole, high.whole, low.whole, close.whole)
    } else {
      put(bar.open.raw, bar.high.raw, bar.low.raw, bar.close.raw)
    }
    let volume = parts(bar.volume.raw, size)
    if volume.rest == 0 { flags.insert(.volume) }
    put(signed: volume.rest == 0 ? volume.whole : bar.volume.raw)
    let turnover = bar.turnover.raw.quotientAndRemainder(dividingBy: Int128(unit) * Int128(size))
    if turnover.remainder == 0 { flags.insert(.turnover) }
    put(signed: turnover.remainder == 0 ? turnover.quotient : bar.turnover.raw)
    if bar.vwap == bar.close { flags.insert(.vwapIsClose) } else { put(signed: bar.vwap.raw &- bar.close.raw) }
    put(UInt64(bar.count))
    if bar.revision != 0 {
      flags.insert(.revision)
      put(UInt64(bar.revision))
    }
    bytes[first] = flags.rawValue
  }

  @inline(__always)
  private func parts(_ value: Int64, _ unit: Int64) -> (whole: Int64, rest: Int64) {
    let (whole, rest) = value.quotientAndRemainder(dividingBy: unit)
    return (whole, rest)
  }

  @inline(__always)
  private mutating func put(_ open: Int64, _ high: Int64, _ low: Int64, _ close: Int64) {
    put(signed: open)
    put(signed: high &- open)
    put(signed: open &- low)
    put(signed: close &- open)
  }

  @inline(__always)
  private mutating func put(byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  /// Seven bits a byte, the lowest first; the highest bit is set if more follow.
  @inline(__always)
  private mutating func put(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      put(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(byte: UInt8(truncatingIfNeeded: rest))
  }

  /// Small numbers of either sign become small ones: 0, -1, 1, -2, 2.
  @inline(__always)
  private mutating func put(signed value: Int64) { put(UInt64(bitPattern: value << 1 ^ value >> 63)) }

  private mutating func put(signed value: Int128) {
    var rest = UInt128(bitPattern: value << 1 ^ value >> 127)
    while rest >> 64 != 0 {
      put(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt64(truncatingIfNeeded: rest))
  }
}

/// Reads bars from bytes that may be damaged.
struct PackedBarReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  private let symbol: Symbol
  private let length: BarLength
  private let origin: Int64
  /// True once bytes were missing, or were none that this program writes.
  private(set) var isDamaged = false

  /// - Parameter origin: the start of the chunk.
  init(_ bytes: UnsafeRawBufferPointer, symbol: Symbol, length: BarLength, origin: Int64) {
    self.bytes = bytes
    self.symbol = symbol
    self.length = length
    self.origin = origin
  }

  /// The next bar; nil at the end, and where the bytes are damaged.
  mutating func next() -> Bar? {
    if place == bytes.count || isDamaged { return nil }
    let flags = PackedBar.Flags(rawValue: byte())
    let (first, second) = (byte(), byte())
    var (priceDecimals, sizeDecimals, session, status) = (first >> 4, first & 15, second >> 4, second & 15)
    if flags.contains(.wide) { (priceDecimals, sizeDecimals, session, status) = (first, second, byte(), byte()) }
    let span = length.nanoseconds ?? 0
    let offset = number() &* (flags.contains(.start) ? UInt64(bitPattern: span) : 1)
    let start = origin &+ Int64(bitPattern: offset)
    let received = signed() &+ start &+ span
    let unit = PackedBar.unit(priceDecimals)
    let size = PackedBar.unit(sizeDecimals)
    let price = flags.contains(.prices) ? unit : 1
    let open = signed()
    let high = open &+ signed()
    let low = open &- signed()
    let close = (open &+ signed()) &* price
    let volume = signed() &* (flags.contains(.volume) ? size : 1)
    let turnover = wideSigned() &* (flags.contains(.turnover) ? Int128(unit) * Int128(size) : 1)
    let vwap = flags.contains(.vwapIsClose) ? close : close &+ signed()
    let count = UInt32(exactly: number())
    let revision = flags.contains(.revision) ? UInt32(exactly: number()) : 0
    guard !isDamaged, flags.isSubset(of: .known), let count, let revision, let session = MarketSession(rawValue: session),
      let status = BarStatus(rawValue: status)
    else {
      isDamaged = true
      return nil
    }
    return Bar(
      symbol: symbol, open: Price(raw: open &* price), high: Price(raw: high &* price), low: Price(raw: low &* price),
      close: Price(raw: close), volume: Quantity(raw: volume), time: Timestamp(ns: start), received: Timestamp(ns: received),
      priceDecimals: priceDecimals, sizeDecimals: sizeDecimals, length: length, turnover: Amount(raw: turnover), vwap: Price(raw: vwap),
      count: count, revision: revision, session: session, status: status)
  }

  @inline(__always)
  private mutating func byte() -> UInt8 {
    if place == bytes.count {
      isDamaged = true
      return 0
    }
    place += 1
    return bytes[place - 1]
  }

  @inline(__always)
  private mutating func number() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = byte()
      value |= UInt64(next & 0x7f) << shift
      if next < 0x80 { return value }
      shift += 7
      if shift > 63 {
        isDamaged = true
        return 0
      }
    }
  }

  @inline(__always)
  private mutating func signed() -> Int64 {
    let value = number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  private mutating func wideSigned() -> Int128 {
    var value: UInt128 = 0
    var shift: UInt128 = 0
    while true {
      let next = byte()
      value |= UInt128(next & 0x7f) << shift
      if next < 0x80 { break }
      shift += 7
      if shift > 127 {
        isDamaged = true
        return 0
      }
    }
    return Int128(bitPattern: value >> 1) ^ -Int128(bitPattern: value & 1)
  }
}
