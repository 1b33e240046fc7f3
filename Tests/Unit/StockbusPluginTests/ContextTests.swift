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

  @Test func `notes are kept once each, cut, and no more than sixteen`() {
    let registry = CounterRegistry()
    let context = context(counters: registry)
    for i in 0..<20 {
      context.note("note \(i)")
      context.note("note 0")
    }
    #expect(registry.notes == (0..<16).map { "note \($0)" })
    let long = CounterRegistry()
    StockbusPluginTests.context(counters: long).note(String(repeating: "x", count: 600))
    #expect(long.notes == [String(repeating: "x", count: 512) + "…"])
  }

  @Test func `a symbol that never came is told with the one that was meant`() {
    func sentences(_ named: String..., came: [String] = ["AAPL", "NVDA", "BRK.B", "GE", "btcusdt"]) -> [String] {
      MissingSymbols.sentences(named, cameInstead: came)
    }
    #expect(sentences("AAPL", "NV*", "BRK.?") == [])
    #expect(sentences("aapl") == ["'aapl' never came; did you mean 'AAPL'?"])
    #expect(sentences("APPL") == ["'APPL' never came; did you mean 'AAPL'?"])
    #expect(sentences("BTCUSTD") == ["'BTCUSTD' never came; did you mean 'btcusdt'?"])
    // Messages with a suggestion come first.
    #expect(sentences("ZZZZZ", "ge") == ["'ge' never came; did you mean 'GE'?", "'ZZZZZ' never came"])
    #expect(
      sentences("A1", "A2", "X*", "A3", "APPL", "A4", "ge") == [
        "'APPL' never came; did you mean 'AAPL'?", "'ge' never came; did you mean 'GE'?", "'A1' never came",
        "4 more of the named symbols never came, such as 'A2'",
      ])
    #expect(
      sentences("A1", "aapl", "nvda", "brk.b", "ge", "A2") == [
        "'aapl' never came; did you mean 'AAPL'?", "'nvda' never came; did you mean 'NVDA'?", "'brk.b' never came; did you mean 'BRK.B'?",
        "3 more of the named symbols never came, such as 'A1'",
      ])
    // Two letters are too few: many other symbols differ by one letter.
    #expect(sentences("GM", "F") == ["'GM' never came", "'F' never came"])
    #expect(sentences("MS*") == ["no symbol that came matches 'MS*'"])
    #expect(sentences("AAPL", came: []) == ["'AAPL' never came"])
    #expect(
      sentences("A1", "A1", "A2", "A3", "A4", "A5") == [
        "'A1' never came", "'A2' never came", "'A3' never came", "2 more of the named symbols never came, such as 'A4'",
      ])
  }

  @Test func `a symbol that came only in what was set aside is told so, and may have been meant`() {
    func sentences(_ named: String..., came: [String] = ["NVDA"]) -> [String] {
      MissingSymbols.sentences(named, cameInstead: came, rejected: ["AAPL", "MSFT"])
    }
    #expect(sentences("AAPL") == ["'AAPL' came only in dead letters"])
    #expect(sentences("APPL") == ["'APPL' never came; did you mean 'AAPL', which came only in dead letters?"])
    // A symbol that came is a more likely suggestion, and symbols that came are not reported.
    #expect(sentences("APPL", came: ["APL"]) == ["'APPL' never came; did you mean 'APL'?"])
    #expect(sentences("AAPL", came: ["AAPL"]) == [])
    let aside = RejectedSymbols()
    #expect(aside.names == [])
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
    // A blank with a combining mark is still a blank.
    #expect(Command(line: "is\u{2028}\u{316}x") == Command(verb: "is", arguments: ["\u{316}x"]))
    #expect(CommandInfo("raise SYMBOL [AMOUNT]", "Raises.").verb == "raise")
    #expect(CommandInfo("quit", "Ends.").verb == "quit")
  }
}
