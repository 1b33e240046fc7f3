internal import StockbusInstruments
internal import StockbusPlugin

/// Makes bars from the events of one type.
protocol BarReader: Sendable {
  associatedtype Input: PricedEvent
  /// True if events may be replaced by later ones.
  static var isReplaceable: Bool { get }
  /// The faults of these settings for this type of event.
  static func faults(in settings: BarsSettings) -> [(option: String, message: String)]
  init(_ settings: BarsSettings, _ instruments: Instruments)
  func take(_ events: Span<Input>, into book: inout BarBook, _ output: inout Outlet<Bar>)
}

extension BarReader {
  static func priceFault(_ settings: BarsSettings) -> [(option: String, message: String)] {
    settings.price == nil ? [] : [("price", "'price' is for quotes, and \(Input.eventName) has one price only")]
  }
}

/// Reads trades, and events of other types with a price.
struct PriceOf<Input: PricedEvent>: BarReader, PriceReader {
  static var isReplaceable: Bool { false }
  static func faults(in settings: BarsSettings) -> [(option: String, message: String)] { priceFault(settings) }

  init(_ settings: BarsSettings, _ instruments: Instruments) {}

  /// A symbol that has left a ranking has its last price, which is not a new one.
  @inline(__always)
  func price(of event: Input) -> Price? { event.hasLeft ? nil : event.lastPrice }

  func take(_ events: Span<Input>, into book: inout BarBook, _ output: inout Outlet<Bar>) { book.take(events, by: self, into: &output) }
}

/// Reads quotes.
struct PriceOfQuote: BarReader, PriceReader {
  static var isReplaceable: Bool { false }
  static func faults(in settings: BarsSettings) -> [(option: String, message: String)] {
    settings.lengths.compactMap { length in
      guard case .volume = length.kind else { return nil }
      return ("lengths", "'lengths': quotes have no volume, so a bar of \(length) would never end")
    }
  }

  private let choice: QuotePrice

  init(_ settings: BarsSettings, _ instruments: Instruments) { choice = settings.price ?? .mid }

  /// Nil if that side has no quote: its price and its size are 0.
  @inline(__always)
  func price(of quote: Quote) -> Price? {
    let hasBid = quote.bid.raw | quote.bidSize.raw != 0
    let hasAsk = quote.ask.raw | quote.askSize.raw != 0
    switch choice {
    case .mid: return hasBid && hasAsk ? quote.lastPrice : nil
    case .bid: return hasBid ? quote.bid : nil
    case .ask: return hasAsk ? quote.ask : nil
    }
  }

  func take(_ quotes: Span<Quote>, into book: inout BarBook, _ output: inout Outlet<Bar>) { book.take(quotes, by: self, into: &output) }
}

/// Reads bars of shorter lengths.
struct BarsOfBars: BarReader {
  static var isReplaceable: Bool { true }
  static func faults(in settings: BarsSettings) -> [(option: String, message: String)] {
    priceFault(settings)
      + settings.lengths.compactMap { length in
        length.raw > 0 ? nil : ("lengths", "'lengths': bars can be made into bars of a time only, not of \(length)")
      }
  }

  private let instruments: Instruments

  init(_ settings: BarsSettings, _ instruments: Instruments) { self.instruments = instruments }

  func take(_ bars: Span<Bar>, into book: inout BarBook, _ output: inout Outlet<Bar>) {
    if instruments.zone == nil { return book.take(bars, into: &output) }
    var dated: [Bar] = []
    for i in bars.indices { dated.append(instruments.dated(bars[i])) }
    book.take(dated.span, into: &output)
  }
}
