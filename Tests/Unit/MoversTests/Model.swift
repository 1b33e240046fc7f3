import MarketData

@testable import Movers

/// The simplest model of movers: it keeps all events, and computes the lists anew from the events' times alone. It has no jumps and no splits.
struct PlainMovers {
  private struct Row {
    var symbol: Symbol
    var events: [Trade] = []
    /// What came first while nothing older was known.
    var first: Trade?
  }

  var settings = MoversSettings()
  /// In the order of first appearance.
  private var rows: [Row] = []
  private var open: PeriodSpan?
  private var closedUpTo = Int64.min
  private var due = Int64.max
  private var received = Int64.min

  init(_ settings: MoversSettings) { self.settings = settings }

  private var wait: Int64 { settings.wait.wholeNanoseconds }

  private var rolling: (width: Int64, count: Int64)? {
    guard case .rolling(let duration) = settings.period else { return nil }
    let count = Int64(settings.buckets)
    return ((duration.wholeNanoseconds + count - 1) / count, count)
  }

  private func period(of time: Int64) -> PeriodSpan {
    // Monday of the test's week as the origin.
    let length = settings.period == .week ? 7 * day : day
    var start = monday.ns - 1000 * 7 * day
    start += (time - start) / length * length
    return PeriodSpan(start: start, end: start + length)
  }

  mutating func advance(to time: Int64) {
    if due <= time { close() }
  }

  private mutating func close() {
    closedUpTo = open?.end ?? closedUpTo
    (open, due) = (nil, .max)
  }

  mutating func take(_ event: Trade) {
    var event = event
    received = max(received, event.received.ns)
    advance(to: received - 1)
    // More than five seconds ahead is not believed.
    if event.time.ns > event.received.ns + 5 * second { event.time = event.received }
    let time = event.time.ns
    if rolling == nil {
      if let span = open, time >= span.end { close() }
      if open == nil, time >= closedUpTo {
        let span = period(of: time)
        (open, due) = (span, max(span.end + wait, received))
      }
    }
    let row = rows.firstIndex { $0.symbol == event.symbol } ?? rows.count
    if row == rows.count { rows.append(Row(symbol: event.symbol)) }
    let begin = start(after: received - 1)
    if time >= begin, !rows[row].events.contains(where: { $0.time.ns < begin }), rows[row].first == nil { rows[row].first = event }
    rows[row].events.append(event)
  }

  /// When the period began, if everything up to `progress` has come.
  private func start(after progress: Int64) -> Int64 {
    guard let (width, count) = rolling else { return open?.start ?? .max }
    return ((progress - wait) / width - count) * width
  }

  /// The last one by time, the later one among equal times.
  private func latest(_ events: [Trade]) -> Trade? {
    events.reduce(nil) { last, event in last.map { event.time >= $0.time ? event : $0 } ?? event }
  }

  /// The lists once everything up to `progress` has come.
  func lists(after progress: Int64) -> [String] {
    let begin = start(after: progress)
    var movers: [Mover] = []
    for row in rows {
      let inside = row.events.filter { $0.time.ns >= begin }
      guard begin != .max, let last = latest(inside) else { continue }
      let before = latest(row.events.filter { $0.time.ns < begin })
      let reference = before ?? (settings.reference == .firstPrice ? row.first : nil)
      let percent = reference.flatMap { Percent.change(from: $0.price, to: last.price) } ?? Percent(raw: 0)
      movers.append(
        Mover(
          symbol: row.symbol, list: .active, period: .day, rank: 0, previousRank: 0, price: last.price, reference: reference?.price ?? 0,
          change: 0, percent: percent, volume: Quantity(raw: inside.reduce(0) { $0 + $1.size.raw }),
          turnover: Amount(raw: inside.reduce(0) { $0 + Amount($1.price, times: $1.size).raw }), time: last.time, received: last.received,
          mark: before == nil ? .new : .unmarked))
    }
    movers = movers.filter { $0.price >= (settings.minPrice ?? Price(raw: .min)) && $0.volume >= settings.minVolume }
    return top(movers.filter { $0.percent.raw > 0 }, .gainers) { Int128($0.percent.raw) }
      + top(movers.filter { $0.percent.raw < 0 }, .losers) { -Int128($0.percent.raw) }
      + top(movers.filter { $0.volume.raw > 0 }, .active) {
        settings.by.contains(.turnover) ? $0.turnover.raw : Int128($0.volume.raw)
      }
  }

  /// Swift's sort is stable, so equal keys stay in the order of appearance.
  private func top(_ movers: [Mover], _ list: MoverList, _ key: (Mover) -> Int128) -> [String] {
    let isWanted = list == .active ? settings.by != [.percent] : settings.by.contains(.percent)
    if !isWanted { return [] }
    return movers.sorted { key($0) > key($1) }.prefix(settings.top).enumerated().map { index, mover in
      var mover = mover
      (mover.list, mover.rank) = (list, UInt32(index + 1))
      return figures(mover)
    }
  }
}
