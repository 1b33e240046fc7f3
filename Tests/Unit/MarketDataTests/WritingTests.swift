import TestSupport
import Testing

@testable import MarketData

/// Values in files: exact, and without anything that differs from run to run.
@Suite struct WritingTests {
  @Test func `numbers and times are their raw values, and symbols their names`() throws {
    #expect(try encoded(Price(raw: .max)) == "9223372036854775807")
    #expect(try encoded([Quantity(raw: -1)]) == "[-1]")
    #expect(try encoded(Timestamp(ns: .min)) == "-9223372036854775808")
    #expect(try encoded(BarLength.day) == "86400000000000")
    #expect(try encoded(Amount(raw: .max)) == "170141183460469231731687303715884105727")
    #expect(try encoded("W1" as Symbol) == #""W1""#)
    #expect(try encoded(["W2": 2, "W1": 1] as [Symbol: Int]) == #"{"W1":1,"W2":2}"#)
    #expect(try written(Amount(raw: .min)).raw == .min)
    #expect(try written(["W3": Price(raw: 3)] as [Symbol: Price]) == ["W3": Price(raw: 3)])
  }

  @Test(arguments: [#""""#, #""A,B""#, "1", "null"]) func `what is no symbol is refused`(text: String) {
    #expect(read(Symbol.self, text) == nil)
    #expect(read([Symbol: Int].self, #"{"A,B":1}"#) == nil)
  }

  @Test func `a clock that no run has is refused`() throws {
    var clock = EventClock()
    _ = clock.take(Timestamp(ns: 5), received: Timestamp(ns: 6))
    #expect(try written(clock) == clock)
    #expect(read(EventClock.self, #"{"newest":1,"contradictions":3,"latest":1}"#) == nil)
  }
}
