import StockbusPlugin
import StockbusViewing
import Testing

@Suite struct RateTests {
  @Test func `a rate after a long time without counts is the average of that time, and then anew`() {
    var meter = RateMeter()
    #expect(meter.count(0, at: 0) == nil)
    // A hundred a second, and nobody counts for a minute.
    #expect(meter.count(6000, at: 60 * second) == 100)
    #expect(meter.count(6050, at: 60 * second + second / 2) == 100)
    #expect(meter.count(6100, at: 61 * second) == 100)
  }

  @Test func `the rates of a run are not known before they are measured`() {
    func sample(_ count: Int, at time: Int64, after previous: RunSample) -> RunSample {
      RunSample([RunComponent(id: "ticks", kind: .source, plugin: "generator", published: count)], [], at: time, after: previous)
    }
    let first = sample(7500, at: 0, after: RunSample())
    #expect(first.published["ticks"] == nil)
    #expect(sample(7510, at: second / 2, after: first).published["ticks"] == 20)
  }

  @Test func `a burst is not taken for the rate`() {
    var meter = RateMeter()
    _ = meter.count(0, at: 0)
    #expect(meter.count(50, at: second / 100) == nil)
    #expect(meter.count(50, at: second / 2) == 100)
  }
}
