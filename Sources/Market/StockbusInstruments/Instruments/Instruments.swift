package import StockbusFiles
package import StockbusPlugin

/// All instruments of a run, with their calendars. It never changes during a run.
///
/// A look-up by symbol is one load from a table by the symbol's handle. A symbol may have no instrument: its prices are processed all the
/// same.
package struct Instruments: Sendable {
  /// The instruments in the order of the files and lines; each symbol once.
  package let all: [Instrument]
  /// The calendars of the instruments and of the configuration, and `24/7`, each once.
  package let calendars: [TradingCalendar]
  /// By symbol handle: the index in `all`, counted from 1; 0 for a symbol without an instrument.
  @usableFromInline let places: [Int32]
  /// The texts in the order of `all`.
  @usableFromInline let terms: [InstrumentTerms]
  let texts: SearchTexts
  /// The zone that the configuration sets for the run, in which the days of symbols without a calendar may begin. UTC if it sets none.
  package var zone: ExchangeClock?

  /// No instruments.
  package init() { self.init([]) }

  /// Instruments created in code, for example by tests. Files and configurations use an `InstrumentsBuilder`.
  ///
  /// - Parameters:
  ///   - all: each symbol once; the calendars that they name are among `calendars`, or are ignored.
  package init(_ all: [Instrument], calendars: [TradingCalendar] = []) {
    self.all = all
    self.calendars = calendars.contains { $0.name == TradingCalendar.always.name } ? calendars : calendars + [.always]
    var numbers: [String: Int32] = [:]
    for (i, calendar) in self.calendars.enumerated() { numbers[calendar.name] = Int32(clamping: i) }
    var places: [Int32] = []
    if let highest = all.map({ Int($0.symbol.id) }).max() { places = [Int32](repeating: 0, count: highest + 1) }
    for (i, instrument) in all.enumerated() { places[Int(instrument.symbol.id)] = Int32(clamping: i + 1) }
    self.places = places
    terms = all.map { InstrumentTerms($0, calendar: numbers[$0.calendar] ?? -1) }
    texts = SearchTexts(all)
  }

  package var isEmpty: Bool { all.isEmpty }

  /// The instrument of a symbol; nil if there is none. Copies the instrument with its texts; hot paths use `terms(of:)`.
  package subscript(symbol: Symbol) -> Instrument? { place(of: symbol).map { all[$0] } }

  /// The index of a symbol's instrument in `all`; nil if there is none.
  @inlinable @inline(__always)
  package func place(of symbol: Symbol) -> Int? {
    let id = Int(symbol.id)
    guard id < places.count else { return nil }
    let place = places[id]
    return place == 0 ? nil : Int(place) - 1
  }

  /// The figures of a symbol's instrument; nil if there is none.
  @inlinable @inline(__always)
  package func terms(of symbol: Symbol) -> InstrumentTerms? { place(of: symbol).map { terms[$0] } }

  /// The calendar of a symbol's instrument; nil if it has none.
  package func calendar(for symbol: Symbol) -> TradingCalendar? {
    guard let terms = terms(of: symbol), terms.calendar >= 0 else { return nil }
    return calendars[Int(terms.calendar)]
  }

  /// The calendar with this name, from the configuration or built in; nil if there is none. Throws if the system lacks the time zone of a
  /// built-in calendar.
  package func calendar(named name: String) throws(ZoneProblem) -> TradingCalendar? {
    if let known = calendars.first(where: { $0.name == name }) { return known }
    return try TradingCalendar.builtIn(name)
  }
}

extension Instruments: Service {
  /// No instruments.
  package static let fallback = Instruments()
}

extension Context {
  /// The instruments of the run; none if its configuration has none.
  package var instruments: Instruments { services[Instruments.self] }
}
