internal import MarketData
internal import StockbusFiles

/// Gives bars of a day or more that begin at a midnight of the file's zone the midnight UTC of the same date, by which all readers know the
/// date of a bar, whether or not they know the zone.
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
    // A row without a receipt is received when it is dated.
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
