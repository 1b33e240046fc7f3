internal import MarketData
internal import StockbusFiles

/// Changes the start of bars of a day or more from a midnight of the file's zone to midnight UTC of the same date, by which all readers
/// know the date of a bar, even without knowing the zone.
struct BarDates {
  private var zone: ZoneRules
  /// True if every time is written as a date.
  private let areAllDates: Bool

  init(_ zone: ZoneRules, all areAllDates: Bool) {
    self.zone = zone
    self.areAllDates = areAllDates
  }

  mutating func dated(_ bar: Bar) -> Bar {
    guard bar.length >= .day || areAllDates, let date = date(beginningAt: bar.time) else { return bar }
    let (midnight, overflow) = Int64(date).multipliedReportingOverflow(by: BarLength.day.raw)
    if overflow { return bar }
    var dated = bar
    // A row without a receipt time counts as received at its own time.
    if bar.received == bar.time { dated.received = Timestamp(ns: midnight) }
    dated.time = Timestamp(ns: midnight)
    return dated
  }

  private mutating func date(beginningAt time: Timestamp) -> Int? {
    var zone = zone
    defer { self.zone = zone }
    return BarDate.beginning(at: time, offset: { zone.offset(at: $0) }, begin: { zone.begin(ofDay: $0) })
  }
}
