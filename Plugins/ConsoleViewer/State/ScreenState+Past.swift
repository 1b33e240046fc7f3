internal import StockbusHistory
internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

/// A request to the history: the candles of a span, at most `count`.
struct PastRequest: Hashable, Sendable {
  var symbol: Symbol
  var span: PastSpan
  var count: Int
}

/// The data read from the history for the shown page.
struct PastPage {
  /// The last request.
  var request: PastRequest?
  /// True until the answer arrives; there is no other request meanwhile.
  var isReading = false
  var chart: HistoryChart?
  /// Why there is no chart, in one line.
  var fault: String?
  /// When the request was made, and how many events had arrived by then.
  var askedAt = Int64.min
  var total = 0

  /// How long a chart is shown before it is read again, because new data has arrived.
  static let patience: Int64 = 5_000_000_000
}

extension ScreenState {
  /// The chart of the past on a symbol's page; nil if there is none yet, or none is chosen.
  func pastChart(of symbol: Symbol) -> HistoryChart? {
    guard let read = past.chart, read.symbol == symbol, read.span == chart.past else { return nil }
    return read
  }

  /// The bars of that chart, continued by the bars that have arrived.
  func pastBars(of symbol: Symbol) -> [Bar]? {
    guard let chart = pastChart(of: symbol) else { return nil }
    guard let row = shown.place(of: symbol), let length = chart.continuing(shown.bars.lengths(of: row)) else { return chart.candles() }
    return chart.candles(with: shown.bars.last(length, of: row))
  }

  /// Requests the chart that the page shows, if it has not been read, or not for some time.
  mutating func askPast() -> [ScreenEffect] {
    guard settings.hasHistory, let span = chart.past, case .detail(let symbol) = page, !past.isReading else { return [] }
    // The chart's columns without the labels of prices.
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

  /// Takes the answer; an answer to an older request is ignored.
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

  /// When the chart must be read again; nil if that is not necessary.
  var pastDue: Int64? {
    guard settings.hasHistory, chart.past != nil, case .detail = page, !past.isReading, market.total != past.total else { return nil }
    return past.askedAt &+ PastPage.patience
  }
}

/// An answer of the history.
enum PastAnswer: Sendable {
  /// The chart; nil if the history has no bars for it.
  case chart(HistoryChart?)
  case fault(String)
}
