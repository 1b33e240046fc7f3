internal import MarketData
internal import StockbusHistory
internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

/// A question to the history: the candles of a span, at most so many.
struct PastRequest: Hashable, Sendable {
  var symbol: Symbol
  var span: PastSpan
  var count: Int
}

/// What was read of the history for the page that is shown.
struct PastPage {
  /// What was asked last.
  var request: PastRequest?
  /// True until the answer comes; nothing else is asked meanwhile.
  var isReading = false
  var chart: HistoryChart?
  /// Why there is no chart, in one line.
  var fault: String?
  /// When it was asked, and how many events had come by then.
  var askedAt = Int64.min
  var total = 0

  /// How long a chart is shown before it is read again, because more has come.
  static let patience: Int64 = 5_000_000_000
}

extension ScreenState {
  /// The chart of the past on a symbol's page; nil if there is none yet, or none is chosen.
  func pastChart(of symbol: Symbol) -> HistoryChart? {
    guard let pastSpan, let chart = past.chart, chart.symbol == symbol, chart.span == pastSpan else { return nil }
    return chart
  }

  /// The bars of that chart, continued by the bars that have come.
  func pastBars(of symbol: Symbol) -> [Bar]? {
    guard let chart = pastChart(of: symbol) else { return nil }
    guard let row = shown.place(of: symbol), let length = chart.continuing(shown.bars.lengths(of: row)) else { return chart.candles() }
    return chart.candles(with: shown.bars.last(length, of: row))
  }

  /// Asks for the chart that the page shows, if it has not been read, or not for some time.
  mutating func askPast() -> [ScreenEffect] {
    guard settings.hasHistory, let span = pastSpan, case .detail(let symbol) = page, !past.isReading else { return [] }
    // What is left of the chart's columns beside the labels of prices.
    let request = PastRequest(symbol: symbol, span: span, count: max(4, ScreenGeometry(self).chart.columns - 13))
    if past.request == request {
      if market.total == past.total || now < past.askedAt &+ PastPage.patience { return [] }
    } else {
      past = PastPage()
    }
    past.request = request
    past.isReading = true
    past.askedAt = now
    past.total = market.total
    return [.readPast(request)]
  }

  /// Takes the answer; one to an older question is left aside.
  mutating func answerPast(_ request: PastRequest, _ answer: PastAnswer) {
    past.isReading = false
    guard past.request == request else { return }
    switch answer {
    case .chart(let chart):
      past.chart = chart
      past.fault =
        chart == nil ? "the history has no bars of \(request.symbol) for \(request.span == .all ? "this" : "a \(request.span)")" : nil
    case .fault(let text): past.fault = text
    }
  }

  /// When the chart has to be read again; nil if it need not be.
  var pastDue: Int64? {
    guard settings.hasHistory, pastSpan != nil, case .detail = page, !past.isReading, market.total != past.total else { return nil }
    return past.askedAt &+ PastPage.patience
  }

  /// Goes to a longer (`step` 1) or shorter span from the end of those of the run; returns false if that is no span of the past.
  mutating func stepPast(_ step: Int, atEnd: Bool) -> Bool {
    guard settings.hasHistory else { return false }
    let all = PastSpan.allCases
    if let span = pastSpan, let at = all.firstIndex(of: span) {
      pastSpan = at + step < 0 ? nil : all[min(at + step, all.count - 1)]
    } else if step > 0, atEnd {
      pastSpan = all.first
    } else {
      return false
    }
    crosshair = nil
    return true
  }
}

/// An answer of the history.
enum PastAnswer: Sendable {
  /// Nil if it has no such bars.
  case chart(HistoryChart?)
  case fault(String)
}
