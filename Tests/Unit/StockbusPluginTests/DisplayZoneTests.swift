import MarketData
import StockbusPlugin
import Testing

@Suite struct DisplayZoneTests {
  /// New York in 2013: summer time ends on 3 November at 06:00 UTC.
  private let newYork = DisplayZone(name: "America/New_York") { $0 < 1_383_458_400 ? -14_400 : -18_000 }

  @Test func `a time is shown with the offset of its own date, and says which`() {
    let october = Timestamp(ns: 1_381_239_421_401_000_000)  // 2013-10-08T13:37:01.401Z
    #expect(newYork.timeOfDay(october) == "09:37:01.401")
    #expect(newYork.stamp(october) == "09:37:01.401-04:00")
    #expect(newYork.stamp(Timestamp(ns: 1_384_000_000_000_000_000), seconds: true) == "07:26:40-05:00")
    #expect(DisplayZone.utc.stamp(october) == "13:37:01.401Z")
    #expect(newYork.shortName == "New York")
    #expect(DisplayZone.utc.shortName == "UTC")
  }

  @Test func `offsets are written as ISO 8601 has them`() {
    let texts = [0, 20_700, -12_600, 3_600, -1_172].map { DisplayZone.text(ofOffset: $0) }
    #expect(texts == ["Z", "+05:45", "-03:30", "+01:00", "-00:19:32"])
  }

  @Test func `the ends of time are shown in UTC rather than not at all`() {
    let east = DisplayZone(name: "East") { _ in 50_400 }
    for ns in [Int64.min, .max] { #expect(east.timeOfDay(Timestamp(ns: ns)).count == 12) }
    #expect(newYork.offset(at: Timestamp(ns: -1)) == -14_400)
  }
}
