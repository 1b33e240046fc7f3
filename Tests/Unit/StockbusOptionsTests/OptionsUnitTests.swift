import MarketData
import TestSupport
import StockbusPlugin
import Testing

@Suite struct OptionsUnitTests {
  @Test(arguments: [
    ("250ms", Duration.milliseconds(250), "250ms"),
    ("1.5s", .milliseconds(1500), "1.5s"),
    ("1500ms", .milliseconds(1500), "1.5s"),
    ("2m", .seconds(120), "2m"),
    ("90s", .seconds(90), "1m30s"),
    ("1h30m", .seconds(5400), "1h30m"),
    ("1.5h", .seconds(5400), "1h30m"),
    ("1d", .seconds(86_400), "1d"),
    ("36h", .seconds(129_600), "1d12h"),
    ("1d1h1m1s1ms1us1ns", .seconds(90_061) + .nanoseconds(1_001_001), "1d1h1m1.001001001s"),
    ("7us", .microseconds(7), "7us"),
    ("7\u{b5}s", .microseconds(7), "7us"),
    ("7\u{3bc}s", .microseconds(7), "7us"),
    ("1500ns", .nanoseconds(1500), "1.5us"),
    ("0.5ns", Duration(secondsComponent: 0, attosecondsComponent: 500_000_000), "0.5ns"),
    ("0.000000001ns", Duration(secondsComponent: 0, attosecondsComponent: 1), "0.000000001ns"),
    ("0.000000000000000001s", Duration(secondsComponent: 0, attosecondsComponent: 1), "0.000000001ns"),
    ("1.5000000000000000000000s", .milliseconds(1500), "1.5s"),
    ("0s", .zero, "0s"),
    ("0d", .zero, "0s"),
    ("-5m", .seconds(-300), "-5m"),
    ("-1.5s", .milliseconds(-1500), "-1.5s"),
    ("0.1s", .milliseconds(100), "100ms"),  // no Double has this value
    ("106751991167300d", .seconds(9_223_372_036_854_720_000), "106751991167300d"),
  ])
  func `durations are exact`(text: String, duration: Duration, shown: String) throws {
    #expect(try value(Duration.self, text) == duration)
    #expect(duration.optionText == shown)
  }

  @Test(arguments: [
    ("2", "; write a unit, such as 2s"), ("0", "; write a unit, such as 0s"), ("-2.5", "; write a unit, such as -2.5s"),
    ("fast", ""), ("s", ""), ("-", ""), ("1.s", ""), (".5s", ""), ("1s ", "; write 1s"), ("1 s", "; write 1s"), ("1,5s", ""), ("--1s", ""),
    ("+1s", ""),
    ("1s5", ""), ("1e3s", "; units are d, h, m, s, ms, us and ns"), ("5 minutes", "; write 5m"),
    ("1 h 30min", "; write 1h30m"), ("1h 30m", "; write 1h30m"), ("0.5 Sec", "; write 0.5s"), ("1 hour 2 hours", ""),
    ("5 fortnights", ""), ("1S", "; write 1s"), ("1m1h", "; write each unit once, the larger ones first"),
    ("1s1s", "; write each unit once, the larger ones first"), ("0.0000000001ns", ": finer than an attosecond"),
    ("106751991167301d", ": too long"), ("99999999999999999999999999999999999999999s", ": too long"),
  ])
  func `what is no duration says why`(text: String, suffix: String) {
    #expect(throws: OptionTextError.self) { try Duration(option: text) }
    let quoted = "\"\(text)\""
    #expect(complaint(Duration.self, quoted) == "a duration such as 250ms, got '\(text)'\(suffix)")
  }

  @Test(arguments: [
    ("64KiB", 65_536, "64KiB"), ("10MB", 10_000_000, "10MB"), ("512B", 512, "512B"), ("1024B", 1024, "1KiB"), ("0B", 0, "0B"),
    ("1.5MiB", 1_572_864, "1536KiB"), ("1KB", 1000, "1KB"), ("1kB", 1000, "1KB"), ("1500B", 1500, "1500B"), ("2GiB", 2_147_483_648, "2GiB"),
    ("3GB", 3_000_000_000, "3GB"), ("1TB", 1_000_000_000_000, "1TB"), ("4TiB", 4_398_046_511_104, "4TiB"), ("0.5KiB", 512, "512B"),
    ("64 KiB", 65_536, "64KiB"), ("0.001KB", 1, "1B"), ("9223372036854775807B", Int.max, "9223372036854775807B"),
  ])
  func `sizes are exact`(text: String, bytes: Int, shown: String) throws {
    #expect(try value(ByteSize.self, text).bytes == bytes)
    #expect(ByteSize(bytes: bytes).optionText == shown)
  }

  @Test(arguments: [
    ("64", "; write a unit, such as 64KiB or 64B"), ("64K", "; write 64KiB or 64KB"), ("10mb", "; write 10MiB or 10MB"),
    ("1 gib", "; write 1GiB or 1GB"), ("5bits", "; units are B, KiB, MiB, GiB, TiB, KB, MB, GB and TB"), ("big", ""), ("-1B", ""),
    ("0.5B", ": not a whole number of bytes"), ("0.0001KB", ": not a whole number of bytes"), ("9000000TiB", ": too large"),
    ("9223372036854775808B", ": too large"),
  ])
  func `what is no size says why`(text: String, suffix: String) {
    #expect(complaint(ByteSize.self, "\"\(text)\"") == "a size such as 64KiB, got '\(text)'\(suffix)")
  }

  @Test(arguments: [
    ("1000/s", 1000, Duration.seconds(1), "1000/s"), ("60/m", 60, .seconds(60), "60/m"), ("5/h", 5, .seconds(3600), "5/h"),
    ("1/d", 1, .seconds(86_400), "1/d"), ("10/100ms", 10, .milliseconds(100), "10/100ms"), ("7/1s", 7, .seconds(1), "7/s"),
    ("3/1.5s", 3, .milliseconds(1500), "3/1.5s"), ("2/1h30m", 2, .seconds(5400), "2/1h30m"), ("1/ns", 1, .nanoseconds(1), "1/ns"),
  ])
  func `rates are counts in a time`(text: String, count: Int, period: Duration, shown: String) throws {
    let rate = try value(Rate.self, text)
    #expect(rate.count == count)
    #expect(rate.period == period)
    #expect(rate.optionText == shown)
    #expect(!rate.isUnlimited)
  }

  @Test func `rates compare by speed`() throws {
    #expect(try value(Rate.self, "max") == .max)
    #expect(Rate.max.optionText == "max")
    #expect(Rate.max.interval == .zero)
    #expect(Rate.perSecond(4).interval == .milliseconds(250))
    #expect(try value(Rate.self, "60/m") == .perSecond(1))
    #expect(try value(Rate.self, "60/m").hashValue == Rate.perSecond(1).hashValue)
    #expect(try value(Rate.self, "61/m") > .perSecond(1))
    #expect(try value(Rate.self, "9223372036854775807/ns") < .max)
    #expect(try value(Rate.self, "9223372036854775807/366d") < value(Rate.self, "9223372036854775807/ns"))
    #expect(Rate(0, per: .seconds(1)) == nil)
    #expect(Rate(1, per: .seconds(367 * 86_400)) == nil)
    #expect(Rate(1, per: .seconds(Int64.max)) == nil)
    #expect(Rate(1, per: Duration(secondsComponent: 1, attosecondsComponent: 1)) == nil)
  }

  @Test(arguments: [
    ("1000", "; write a unit, such as 1000/s"), ("Max", "; write max"), ("fast", ""), ("/s", ""), ("-5/s", ""), ("1.5/s", ""),
    ("0/s", ": the least is one event"), ("5/", "; units are d, h, m, s, ms, us and ns"),
    ("5/sec", "; units are d, h, m, s, ms, us and ns"),
    ("5/5", "; units are d, h, m, s, ms, us and ns"), ("5/0s", ": its period must be 1ns to 366d, in whole nanoseconds"),
    ("5/0.5ns", ": its period must be 1ns to 366d, in whole nanoseconds"), ("99999999999999999999/s", ": too many"),
  ])
  func `what is no rate says why`(text: String, suffix: String) {
    #expect(complaint(Rate.self, "\"\(text)\"") == "a rate such as 1000/s, or max, got '\(text)'\(suffix)")
  }

  @Test func `what is shown reads as the same value`() throws {
    var random = SplitMix(2026)
    for _ in 0..<1000 {
      let seconds = Int64.random(in: -(Int64.max / 2)...(Int64.max / 2), using: &random) >> Int64.random(in: 0...62, using: &random)
      let attoseconds = Int64.random(in: 0..<1_000_000_000_000_000_000, using: &random)
      let coarse = attoseconds - attoseconds % [1, 1_000_000_000, 1_000_000_000_000_000_000].randomElement(using: &random)!
      try roundTrip(Duration(secondsComponent: seconds, attosecondsComponent: seconds < 0 ? -coarse : coarse))
      let fine = attoseconds >> Int64.random(in: 0...59, using: &random)
      try roundTrip(Duration(secondsComponent: 0, attosecondsComponent: fine))
      let bytes = Int.random(in: 0...Int.max, using: &random) >> Int.random(in: 0...62, using: &random)
      try roundTrip(ByteSize(bytes: bytes))
      try roundTrip(ByteSize(bytes: (bytes % 5000) * [1000, 1024, 1_000_000, 1 << 20].randomElement(using: &random)!))
      let period = Int64.random(in: 1...31_622_400_000_000_000, using: &random) >> Int64.random(in: 0...54, using: &random)
      if let rate = Rate(Swift.max(1, bytes), per: .nanoseconds(Swift.max(1, period))) { try roundTrip(rate) }
      let raw = Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...63, using: &random)
      if raw != .min {
        try roundTrip(Price(raw: raw))
        try roundTrip(Percent(raw: raw))
        try roundTrip(Timestamp(ns: raw))
        try roundTrip(raw)
        try roundTrip(UInt64(bitPattern: raw))
      }
    }
    try roundTrip([Overflow.dropOldest, .block])
    try roundTrip([Duration.seconds(1), .milliseconds(5)])
  }

  @Test func `texts are quoted where YAML would read them otherwise`() throws {
    #expect("data/a b.csv".optionText == "data/a b.csv")
    #expect("https://a/b?c=d#e".optionText == "https://a/b?c=d#e")
    for text in ["", "~", "null", "a: b", "a #b", "- a", " a", "a ", "[a", "a, b", "@a", "\"", "a\nb", "\u{85}", "a:", "*"] {
      #expect(text.optionText.hasPrefix("\""), "\(text)")
    }
    #expect("${A} $B $$".optionText == "\"$${A} $B $$$\"")
    var random = SplitMix(7)
    let alphabet = Array("ab ~-:#,[]{}\"'\\$\n\t\u{1}\u{85}é%@&*!|>?\u{2028}")
    for _ in 0..<1000 {
      let text = String((0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
      try roundTrip(text)
      try roundTrip([text, "x"])
    }
  }

  private func roundTrip<Value: OptionValue & Equatable>(_ original: Value) throws {
    let text = original.optionText
    #expect(try value(Value.self, text) == original, "\(text)")
  }
}
