import MarketData

@testable import StockbusExpressions

/// A slow and obvious model of functions with memory: every result is computed from all events of the key.
struct Past {
  struct Entry {
    var time: Int64
    var value: Int64
    var volume: Int64
    var high: Int64
    var low: Int64
    /// The newest time of the key when it came.
    var now: Int64
  }

  /// Those that count for the last price, for the volume, and what recursions have taken.
  var prices: [Entry] = []
  var volumes: [Entry] = []
  var taken: [Entry] = []
  var now = Int64.min
  var first: Int64?

  // MARK: Windows of events

  func last(_ count: Int, _ value: (Entry) -> Int64 = { $0.value }) -> [Int64]? {
    prices.count >= count ? prices.suffix(count).map(value) : nil
  }

  func previous(_ events: Int) -> Int64? { prices.count > events ? prices[prices.count - 1 - events].value : nil }

  // MARK: Windows of time

  /// The entries after now minus the span; nil if the first event is later than that. Late entries that came behind the window are not in it.
  func within(_ span: Int64, _ entries: [Entry]) -> [Entry]? {
    guard let first, first <= now - span else { return nil }
    return entries.filter { $0.time > now - span && $0.time > $0.now - span }
  }

  /// The entries of the session of now.
  func session(_ begin: Int64, until end: Int64 = .max, _ entries: [Entry]) -> [Entry]? {
    let inside = entries.filter { $0.time >= begin && $0.time < end }
    return inside.isEmpty || (end < .max && now < end) ? nil : inside
  }

  // MARK: Statistics

  static func sum(_ values: [Int64]) -> Int64? { Int64(exactly: values.reduce(Int128(0)) { $0 + Int128($1) }) }

  static func mean(_ values: [Int64]) -> Int64? {
    values.isEmpty ? nil : quotient(values.reduce(Int128(0)) { $0 + Int128($1) }, Int128(values.count))
  }

  /// Half away from zero.
  static func quotient(_ a: Int128, _ b: Int128) -> Int64? {
    if b == 0 { return nil }
    let twice = 2 * a.magnitude / b.magnitude
    let magnitude = (twice + 1) / 2
    return Int64((a < 0) != (b < 0) ? -Int128(magnitude) : Int128(magnitude))
  }

  static func weighted(_ values: [Int64]) -> Int64? {
    let sum = values.enumerated().reduce(Int128(0)) { $0 + Int128($1.element) * Int128($1.offset + 1) }
    return quotient(sum, Int128(values.count * (values.count + 1) / 2))
  }

  static func vwap(_ entries: [Entry]) -> Int64? {
    let turnover = entries.reduce(Int128(0)) { $0 + Int128($1.value) * Int128($1.volume) }
    return quotient(turnover, entries.reduce(Int128(0)) { $0 + Int128($1.volume) })
  }

  /// The square of the deviation times the square of the count.
  static func variance(_ values: [Int64]) -> Int128 {
    let sum = values.reduce(Int128(0)) { $0 + Int128($1) }
    return values.reduce(Int128(0)) { $0 + Int128($1) * Int128($1) } * Int128(values.count) - sum * sum
  }

  /// True if `result` is the deviation, rounded to the nearest.
  static func isDeviation(_ result: Int64?, _ values: [Int64]?) -> Bool {
    guard let values, !values.isEmpty else { return result == nil }
    guard let result else { return false }
    let (n, square) = (Int128(values.count), variance(values))
    let (low, high) = ((2 * Int128(result) - 1) * n, (2 * Int128(result) + 1) * n)
    return (result == 0 || low * low <= 4 * square) && high * high >= 4 * square
  }

  static func isScore(_ result: Int64?, _ newest: Int64?, _ values: [Int64]?) -> Bool {
    guard let values, let newest, !values.isEmpty, variance(values) > 0 else { return result == nil }
    guard let result else { return false }
    let mean = values.map(Double.init).reduce(0, +) / Double(values.count)
    let deviation = (values.map { (Double($0) - mean) * (Double($0) - mean) }.reduce(0, +) / Double(values.count)).squareRoot()
    return abs((Double(newest) - mean) / deviation * 1e9 - Double(result)) < 2 + 1e-6 * abs(Double(result))
  }

  // MARK: Recursions, from the beginning

  func average(_ events: Int, _ weight: Double) -> Double? { Self.average(taken.map { Double($0.value) }, events, weight) }

  static func average(_ values: [Double], _ events: Int, _ weight: Double) -> Double? {
    if values.count < events { return nil }
    return values.dropFirst(events).reduce(values.prefix(events).reduce(0, +) / Double(events)) { $0 + ($1 - $0) * weight }
  }

  func strength(_ events: Int) -> Double? {
    let values = taken.map { Double($0.value) }
    let moves = zip(values, values.dropFirst()).map { $1 - $0 }
    guard let gain = Self.average(moves.map { max($0, 0) }, events, 1 / Double(events)),
      let loss = Self.average(moves.map { max(-$0, 0) }, events, 1 / Double(events)), gain + loss > 1e-6
    else { return nil }
    return 100e9 * gain / (gain + loss)
  }

  func convergences(_ fast: Int, _ slow: Int) -> [Double] {
    let values = taken.map { Double($0.value) }
    if values.count < slow { return [] }
    return (slow...values.count).compactMap { count in
      // The fast average is seeded with the values before the first slow one.
      guard let quick = Self.average(Array(values.prefix(count).dropFirst(slow - fast)), fast, 2 / Double(fast + 1)),
        let calm = Self.average(Array(values.prefix(count)), slow, 2 / Double(slow + 1))
      else { return nil }
      return quick - calm
    }
  }

  func range(_ events: Int) -> Double? {
    let ranges = zip(taken, taken.dropFirst()).map { before, bar in
      Double(max(bar.high - bar.low, abs(bar.high - before.value), abs(bar.low - before.value)))
    }
    return Self.average(ranges, events, 1 / Double(events))
  }

  /// The band of the trend, bar by bar.
  func trend(_ events: Int, _ factor: Double) -> Double? {
    var (upper, lower, isUp, hasBegun) = (0.0, 0.0, false, false)
    for count in taken.indices.map({ $0 + 1 }) {
      var past = self
      past.taken = Array(taken.prefix(count))
      guard let range = past.range(events), let bar = past.taken.last else { continue }
      let middle = (Double(bar.high) + Double(bar.low)) / 2
      let close = Double(past.taken[count - 2].value)
      if !hasBegun || middle + factor * range < upper || close > upper { upper = middle + factor * range }
      if !hasBegun || middle - factor * range > lower || close < lower { lower = middle - factor * range }
      if hasBegun { isUp = isUp ? Double(bar.value) >= lower : Double(bar.value) > upper }
      hasBegun = true
    }
    return hasBegun ? isUp ? lower : upper : nil
  }

  /// True if both are nearly the same; the model adds in another order.
  static func isNear(_ result: Int64?, _ value: Double?) -> Bool {
    guard let result, let value else { return result == nil && value == nil }
    return abs(Double(result) - value) <= 1 + 1e-12 * abs(value)
  }
}
