import StockbusPlugin
import Testing

@Suite struct ContextTests {
  // Reference values: xoshiro256** seeded through SplitMix64, from an independent implementation.
  @Test func `a stream of random numbers is the published one`() {
    let expected: [UInt64: [UInt64]] = [
      0: [11_091_344_671_253_066_420, 13_793_997_310_169_335_082, 1_900_383_378_846_508_768],
      42: [1_546_998_764_402_558_742, 6_990_951_692_964_543_102, 12_544_586_762_248_559_009],
    ]
    for (seed, numbers) in expected {
      var stream = RandomStream(seed: seed)
      #expect([stream.next(), stream.next(), stream.next()] == numbers)
    }
  }

  @Test func `a component's seed is the run's and its name's`() {
    // 42 xor FNV-1a of "ticks".
    #expect(context("ticks").seed == 9_212_436_759_843_841_439)
    let basis: UInt64 = 14_695_981_039_346_656_037
    #expect(context("").seed == 42 ^ basis)
    var own = context("ticks").random()
    var given = context("others").random(seed: 9_212_436_759_843_841_439)
    #expect(own.next() == given.next())
  }

  @Test func `a counter is made once, and counters stand in the order of their first use`() {
    let registry = CounterRegistry()
    let context = context(counters: registry)
    context.counter("b", "B.").add(2)
    context.counter("a", "A.").add(1)
    context.counter("b", "Other.").add(3)
    #expect(registry.entries.map(\.name) == ["b", "a"])
    #expect(registry.entries.map(\.counter.total) == [5, 1])
    #expect(registry.entries.map(\.doc) == ["B.", "A."])
  }

  @Test func `input that is set aside says whose it was, where it came from and when`() {
    let office = LetterBox()
    context("in", office).reject("AAPL,x", origin: "a.csv:3", reason: "no number")
    #expect(
      office.letters == [
        DeadLetter(component: "in", origin: "a.csv:3", sequence: 0, reason: "no number", payload: "AAPL,x", time: Timestamp(ns: 7))
      ])
  }

  @Test func `a line is a verb and its arguments`() {
    #expect(Command(line: "  raise  AAPL\t10 \n") == Command(verb: "raise", arguments: ["AAPL", "10"]))
    #expect(Command(line: "help") == Command(verb: "help", arguments: []))
    #expect(Command(line: " \t") == nil)
    #expect(CommandInfo("raise SYMBOL [AMOUNT]", "Raises.").verb == "raise")
    #expect(CommandInfo("quit", "Ends.").verb == "quit")
  }
}
