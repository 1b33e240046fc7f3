import MarketData
import TestSupport
import Testing

@testable import Movers

/// Random streams with late, unordered and misdated trades, against the model; and the law of time.
@Suite(.timeLimit(.minutes(15))) struct RandomTests {
  static let periods: [MoverSpan] = [.day, .week, .rolling(.seconds(86_400)), .rolling(.seconds(100))]

  private func settings(_ period: MoverSpan, _ random: inout SplitMix) -> MoversSettings {
    var settings = MoversSettings()
    settings.period = period
    settings.top = 1 + random.upTo(6)
    settings.buckets = 1 + random.upTo(6)
    settings.jumpLimit = 9_000_000_000
    settings.reference = random.oneIn(2) ? .firstPrice : .close
    settings.by = [[.percent, .volume], [.percent], [.turnover], [.percent, .turnover]][random.upTo(3)]
    if random.oneIn(3) { settings.minPrice = 10 }
    if random.oneIn(3) { settings.minVolume = 4 }
    return settings
  }

  /// Receipts never decrease; they pause for up to some periods.
  private func trades(_ count: Int, _ period: MoverSpan, _ random: inout SplitMix) throws -> [Trade] {
    let names = try (0..<(2 + random.upTo(10))).map { try Symbol("M\($0)") }
    let span = if case .rolling(let length) = period { length.wholeNanoseconds } else { period == .week ? 7 * day : day }
    var received = monday.ns + Int64(random.upTo(1000)) * second
    return (0..<count).map { _ in
      switch random.upTo(19) {
      case 0: received += span * Int64(1 + random.upTo(2)) + Int64(random.upTo(99)) * second
      case 1...3: break
      case 4...10: received += span / 40 * Int64(random.upTo(6))
      default: received += Int64(random.upTo(400)) * second / 1000
      }
      var time = received - Int64(random.upTo(1000))
      if random.oneIn(4) { time -= span / 64 * Int64(random.upTo(99)) }
      if random.oneIn(9) { time = received + Int64(random.upTo(9)) * second }
      return Trade(
        symbol: names[random.upTo(names.count - 1)], price: Price(raw: Int64(1 + random.upTo(24)) * second),
        size: Quantity(raw: Int64(random.upTo(3)) * second), time: Timestamp(ns: time), received: Timestamp(ns: received))
    }
  }

  @Test(arguments: periods) func `agrees with computing the lists anew from all events`(period: MoverSpan) throws {
    for seed in 0..<rounds(40, cost: 200) {
      var random = SplitMix(seed * 7919 + 1)
      let settings = settings(period, &random)
      let trades = try trades(120, period, &random)
      var feed = MoverFeed(MoverBoard(settings))
      var model = PlainMovers(settings)
      var reader = LastWords()
      var wrong: [String] = []
      for (index, trade) in trades.enumerated() {
        for event in feed.take([trade]) { reader.apply(event) }
        model.take(trade)
        let expected = model.lists(after: trade.received.ns - 1)
        if reader.text != expected { wrong.append("\(index): \(reader.text)\nexpected \(expected)") }
        // Now and then time goes on a part of the way to the next trade.
        if random.oneIn(3), index + 1 < trades.count, trades[index + 1].received > trade.received {
          let time = Int64.random(in: trade.received.ns..<trades[index + 1].received.ns, using: &random)
          var output = Collected()
          feed.advance(to: Timestamp(ns: time), into: &output)
          for event in output.events { reader.apply(event) }
          model.advance(to: time)
          let expected = model.lists(after: time)
          if reader.text != expected { wrong.append("\(index), after a pause: \(reader.text)\nexpected \(expected)") }
        }
        if !wrong.isEmpty { break }
      }
      #expect(wrong == [], "seed \(seed), \(settings.period), \(settings.reference), top \(settings.top), \(settings.buckets) buckets")
      if !wrong.isEmpty { return }
    }
  }

  @Test(arguments: periods) func `a feed that is written and read now and then sends what one feed sends`(period: MoverSpan) throws {
    for seed in 0..<rounds(40, cost: 200) {
      var random = SplitMix(seed * 6_700_417 + 11)
      let settings = settings(period, &random)
      let trades = try trades(120, period, &random)
      var (whole, parts) = (MoverFeed(MoverBoard(settings)), MoverFeed(MoverBoard(settings)))
      for (place, trade) in trades.enumerated() {
        if random.oneIn(5) {
          let saved = try written(parts.saved)
          parts = MoverFeed(MoverBoard(settings))
          parts.restore(saved)
          #expect(parts.due == whole.due)
        }
        #expect(parts.take([trade]).map(figures) == whole.take([trade]).map(figures), "seed \(seed), \(settings.period)")
        // Time may go on without events, so that something is due between two of them.
        if let due = whole.due, place + 1 < trades.count, due < trades[place + 1].received, random.oneIn(2) {
          var (one, other) = (Collected(), Collected())
          parts.advance(to: due, into: &one)
          whole.advance(to: due, into: &other)
          #expect(one.events.map(figures) == other.events.map(figures), "seed \(seed), \(settings.period)")
        }
      }
    }
  }

  /// Whatever a file says, nothing traps and nothing loops.
  @Test(arguments: periods) func `what no feed has left does not end the process`(period: MoverSpan) throws {
    for seed in 0..<rounds(60, cost: 200) {
      var random = SplitMix(seed * 31 + 5)
      let settings = settings(period, &random)
      let trades = try trades(60, period, &random)
      var feed = MoverFeed(MoverBoard(settings))
      _ = feed.take(Array(trades.prefix(40)))
      guard let saved = try damaged(feed.saved, &random) else { continue }
      var next = MoverFeed(MoverBoard(settings))
      next.restore(saved)
      _ = next.take(Array(trades.dropFirst(40)))
    }
  }

  @Test(arguments: periods) func `any division into batches and any advance gives the same`(period: MoverSpan) throws {
    for seed in 0..<rounds(60, cost: 200) {
      var random = SplitMix(seed * 104_729 + 3)
      var settings = settings(period, &random)
      // Jumps and returns happen here.
      settings.jumpLimit = Percent(raw: Int64(20 + random.upTo(300)) * second)
      settings.reusedAfter = .seconds(86_400)
      let trades = try trades(150, period, &random)
      var whole = MoverFeed(MoverBoard(settings))
      let expected = whole.take(trades)
      #expect(zip(expected, expected.dropFirst()).allSatisfy { $0.received <= $1.received })
      var parts = MoverFeed(MoverBoard(settings))
      var output = Collected()
      var next = 0
      while next < trades.count {
        let end = min(trades.count, next + 1 + random.upTo(5))
        parts.process(trades.span.extracting(next..<end), into: &output)
        next = end
        var time = trades[end - 1].received.ns
        while next < trades.count, time < trades[next].received.ns - 1, random.oneIn(2) {
          time = Int64.random(in: time..<trades[next].received.ns, using: &random)
          parts.advance(to: Timestamp(ns: time), into: &output)
        }
      }
      let isSame = output.events == expected
      let at = zip(output.events, expected).enumerated().first { $0.element.0 != $0.element.1 }
      #expect(isSame, "seed \(seed), of \(expected.count): \(at.map { "\($0.offset): \($0.element.0), expected \($0.element.1)" } ?? "")")
      if !isSame { return }
    }
  }
}
