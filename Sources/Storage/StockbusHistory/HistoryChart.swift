package import MarketData

/// How far back a chart of a history goes.
package enum PastSpan: String, CaseIterable, Sendable {
  case day, week, month, year, all

  /// The possible periods of its candles, the finest first.
  var periods: [BarPeriod] {
    func time(_ minutes: Int64) -> BarPeriod { .length(.time(minutes * 60_000_000_000)) }
    return switch self {
    case .day: [time(5), time(15), time(30), time(60)]
    case .week: [time(30), time(60), time(240), .length(.day)]
    case .month: [time(240), .length(.day), .length(.week)]
    case .year: [.length(.day), .length(.week), .month]
    case .all: [.length(.day), .length(.week), .month, .year]
    }
  }

  /// When the span begins if its newest bar is at `newest`; nil for the whole past.
  func begin(_ newest: Timestamp) -> Timestamp? {
    let days: Int64
    switch self {
    case .day: days = 1
    case .week: days = 7
    case .month: days = 31
    case .year: days = 366
    case .all: return nil
    }
    let (begin, overflow) = newest.ns.subtractingReportingOverflow(days * Timestamp.day)
    return overflow ? nil : Timestamp(ns: begin)
  }
}

/// The bars of a span of a symbol's past, for a chart.
package struct HistoryChart: Hashable, Sendable {
  package let symbol: Symbol
  package let span: PastSpan
  /// The period of one candle.
  package let period: BarPeriod
  /// The length of the bars; where these end, shorter ones may follow.
  package let source: BarLength
  /// Bars from the history, oldest first.
  let bars: [Bar]

  /// The length among these whose bars can best continue the chart; nil if there is none.
  package func continuing(_ lengths: [BarLength]) -> BarLength? {
    let fitting = lengths.filter { period == .length($0) || period.isMade(of: $0) }
    return fitting.first { $0 == bars.last?.length } ?? fitting.first
  }

  /// The candles, oldest first; continued by bars of one length that were not in the history yet, oldest first.
  ///
  /// Bars count where those of the history have ended; one of the same start and length replaces the last one of the history.
  package func candles(with live: some Sequence<Bar> = []) -> [Bar] {
    var parts = bars
    let end = bars.last.map(Self.end) ?? .min
    for bar in live where continuing([bar.length]) != nil {
      if bar.time.ns >= end {
        parts.append(bar)
      } else if let last = bars.last, last.time == bar.time, last.length == bar.length, parts.count == bars.count {
        parts[parts.count - 1] = bar
      }
    }
    return period.bars(of: parts)
  }

  fileprivate static func end(_ bar: Bar) -> Int64 {
    let (end, overflow) = bar.time.ns.addingReportingOverflow(bar.length.nanoseconds ?? 1)
    return overflow ? .max : end
  }
}

extension HistoryReader {
  /// The chart of a span that ends with the symbol's newest bar, with the finest candles of which there are at most `count`, or else the
  /// coarsest; nil if the history has no bars for such candles.
  ///
  /// Bars that reach back less far than others, such as minutes that are kept for some days only, do not count as the whole past.
  ///
  /// - Parameter adjusted: adjusts the bars, for splits, before candles are made of them.
  package func chart(
    of symbol: Symbol, _ span: PastSpan, atMost count: Int, adjusted: ([Bar]) -> [Bar] = { $0 }
  ) throws(HistoryError) -> HistoryChart? {
    let lengths = try lengths(of: symbol)
    var sources: [(period: BarPeriod, source: BarLength)] = []
    for period in span.periods {
      let own: BarLength? = if case .length(let length) = period, lengths.contains(length) { length } else { nil }
      if let source = own ?? lengths.last(where: period.isMade(of:)) { sources.append((period, source)) }
    }
    var newest = Int64.min
    for length in lengths { newest = max(newest, try bars(symbol, length, limit: 1).last?.time.ns ?? .min) }
    let times = HistoryTimes(from: span.begin(Timestamp(ns: newest)).map { Timestamp(ns: $0.ns + 1) })
    var read: [BarLength: [Bar]] = [:]
    for source in Set(sources.map(\.source)) { read[source] = try bars(symbol, source, in: times) }
    guard let reach = read.values.compactMap({ $0.first?.time.ns }).min() else { return nil }
    var found: HistoryChart?
    for (period, source) in sources {
      guard let bars = read[source], let first = bars.first,
        Int128(first.time.ns) - Int128(reach) <= (Int128(newest) - Int128(reach)) / 4
      else { continue }
      let chart = HistoryChart(
        symbol: symbol, span: span, period: period, source: source, bars: adjusted(try bars + tail(after: bars, symbol, period, lengths)))
      found = chart
      if chart.candles().count <= count { break }
    }
    return found
  }

  /// The shorter bars after the last one of `bars`, of the longest available length.
  private func tail(after bars: [Bar], _ symbol: Symbol, _ period: BarPeriod, _ lengths: [BarLength]) throws(HistoryError) -> [Bar] {
    guard let last = bars.last else { return [] }
    let shorter = lengths.filter { $0 < last.length && period.isMade(of: $0) }
    for length in shorter.reversed() {
      let found = try self.bars(symbol, length, in: HistoryTimes(from: Timestamp(ns: HistoryChart.end(last))))
      if !found.isEmpty { return found }
    }
    return []
  }
}
