import EventBus
import MarketData
import TestSupport
import Testing

/// Properties on seeded random input: what is encoded is decoded to the same value, and no input traps.
@Suite struct SchemaLawTests {
  private func text(_ random: inout SplitMix) -> String {
    let pieces = ["a", "Z", "\"", ",", "\\", "\n", "\r", "\t", "\0", "\u{1f}", "é", "𝄞", " ", "{", "}", "\u{2028}", "7"]
    return (0..<random.upTo(12)).map { _ in pieces.randomElement(using: &random)! }.joined()
  }

  private func number(_ random: inout SplitMix) -> Int64 {
    let number = Int64(truncatingIfNeeded: random.next()) >> Int64(random.upTo(63))
    return number == .min ? .max : number  // a number's sign and its magnitude must both fit
  }

  private func time(_ random: inout SplitMix) -> Timestamp { Timestamp(ns: number(&random) / 2) }

  private func roundTrips<E: Event & Equatable>(_ event: E) {
    do {
      #expect(try decodeJSON(E.self, json(event)) == event)
      #expect(try decodeCSV(E.self, csv(event)) == event)
      #expect(try decodeJSON(E.self, json(event, times: .epoch(.nanoseconds))) == event)
      #expect(try decodeCSV(E.self, csv(event, times: .epoch(.nanoseconds))) == event)
    } catch { Issue.record("\(error): \(json(event))") }
  }

  /// The decimals that the decoder will find: at least as many as each number needs.
  private func decimals(_ values: Int64...) -> UInt8 {
    UInt8(
      values.map { raw in
        var (rest, n) = (raw.magnitude % 1_000_000_000, 9)
        while n > 0, rest % 10 == 0 { (rest, n) = (rest / 10, n - 1) }
        return n
      }.max() ?? 0)
  }

  @Test func `random events of every kind survive both forms`() throws {
    var random = SplitMix(42)
    for _ in 0..<rounds(400) {
      let (a, b, c, d, e) = (number(&random), number(&random), number(&random), number(&random), number(&random))
      let symbol = five[random.upTo(4)]
      roundTrips(
        Trade(
          symbol: symbol, price: Price(raw: a), size: Quantity(raw: b), time: time(&random), received: time(&random),
          side: Side.allCases.randomElement(using: &random)!, priceDecimals: max(decimals(a), 3), sizeDecimals: decimals(b),
          condition: TradeCondition.allCases.randomElement(using: &random)!))
      roundTrips(
        Quote(
          symbol: symbol, bid: Price(raw: a), ask: Price(raw: b), bidSize: Quantity(raw: c), askSize: Quantity(raw: d), time: time(&random),
          received: time(&random), priceDecimals: decimals(a, b), sizeDecimals: max(1, decimals(c, d))))
      roundTrips(
        Bar(
          symbol: symbol, open: Price(raw: a), high: Price(raw: b), low: Price(raw: c), close: Price(raw: d), volume: Quantity(raw: e),
          time: time(&random), received: time(&random), priceDecimals: decimals(a, b, c, d), sizeDecimals: decimals(e),
          length: BarLength("\(random.upTo(999) + 1)\(["ns", "s", "m", "d", "t", "v"].randomElement(using: &random)!)")!,
          turnover: Amount(raw: Int128(a) * Int128(b)), vwap: Price(raw: c), count: UInt32(truncatingIfNeeded: random.next()),
          revision: UInt32(truncatingIfNeeded: random.next()), session: MarketSession.allCases.randomElement(using: &random)!,
          status: BarStatus.allCases.randomElement(using: &random)!))
      roundTrips(
        Ranked(
          symbol: symbol, rank: UInt32(truncatingIfNeeded: random.next()), previousRank: UInt32.max, price: Price(raw: a),
          change: Price(raw: b), percent: Percent(raw: c), volume: Quantity(raw: d), time: time(&random), received: time(&random),
          priceDecimals: decimals(a, b), sizeDecimals: decimals(d)))
      roundTrips(
        Mover(
          symbol: symbol, list: MoverList.allCases.randomElement(using: &random)!,
          period: MoverPeriod.allCases.randomElement(using: &random)!,
          rank: UInt32(truncatingIfNeeded: random.next()), previousRank: UInt32.max, price: Price(raw: a), reference: Price(raw: b),
          change: Price(raw: c), percent: Percent(raw: d), volume: Quantity(raw: e), turnover: Amount(raw: Int128(a) * Int128(b)),
          time: time(&random), received: time(&random), mark: MoverMark.allCases.randomElement(using: &random)!,
          priceDecimals: decimals(a, b, c), sizeDecimals: decimals(e)))
      roundTrips(
        Alert(
          symbol: symbol, rule: text(&random), message: text(&random), price: Price(raw: a), time: time(&random),
          priceDecimals: decimals(a), status: AlertStatus.allCases.randomElement(using: &random)!))
      roundTrips(
        ConnectionStatus(
          component: text(&random), state: ConnectionStatus.State.allCases.randomElement(using: &random)!, reason: text(&random),
          time: time(&random)))
      roundTrips(
        DeadLetter(
          component: text(&random), origin: text(&random), sequence: b, reason: text(&random), payload: text(&random), time: time(&random)))
    }
  }

  private func mutate(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    var bytes = bytes
    let interesting: [UInt8] = [0, 9, 10, 13, 32, 34, 44, 45, 46, 48, 57, 58, 69, 92, 101, 117, 123, 125, 127, 128, 0xc3, 0xff]
    for _ in 0...random.upTo(4) {
      let at = random.upTo(max(0, bytes.count - 1))
      switch random.upTo(4) {
      case 0: if !bytes.isEmpty { bytes[at] = interesting.randomElement(using: &random)! }
      case 1: bytes.insert(interesting.randomElement(using: &random)!, at: min(at, bytes.count))
      case 2: if !bytes.isEmpty { bytes.remove(at: at) }
      case 3: bytes.removeLast(min(bytes.count, random.upTo(9)))
      default:
        let end = min(bytes.count, at + random.upTo(30))
        if at < end { bytes.insert(contentsOf: bytes[at..<end], at: random.upTo(bytes.count)) }
      }
    }
    return bytes
  }

  /// Decodes exactly these bytes, from a heap block of their length, so that a sanitizer sees a read past them.
  private func tryBoth<E: Event & Equatable>(_: E.Type, _ bytes: [UInt8]) {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    defer { copy.deallocate() }
    var reader = ByteReader(UnsafeBufferPointer(copy))
    do throws(TextError) {
      let event = try E.schema.decodeJSON(&reader)
      // What was decoded is encoded so that it can be decoded again.
      #expect(jsonProblem(E.self, json(event)) == nil)
    } catch {
      if error.offset < 0 || error.offset > bytes.count { Issue.record("\(error) in \(bytes)") }
    }
    var line = ByteReader(UnsafeBufferPointer(copy))
    do throws(TextError) { _ = try E.schema.decodeCSV(&line) } catch {
      if error.offset < 0 || error.offset > bytes.count { Issue.record("\(error) in \(bytes)") }
    }
  }

  private func fuzz<E: Event & Equatable>(_ event: E, seed: Int) {
    var random = SplitMix(seed)
    let seeds = [Array(json(event).utf8), Array(csv(event).utf8)]
    for i in 0..<rounds(1500) { tryBoth(E.self, mutate(seeds[i % 2], &random)) }
  }

  @Test func `mutated text never traps, and errors stay within it`() {
    fuzz(Trade.schema.example, seed: 1)
    fuzz(Quote.schema.example, seed: 2)
    fuzz(Ranked.schema.example, seed: 3)
    fuzz(Mover.schema.example, seed: 7)
    fuzz(Alert.schema.example, seed: 4)
    fuzz(ConnectionStatus.schema.example, seed: 5)
    fuzz(
      DeadLetter(component: "\"\\\u{1}", origin: "𝄞", sequence: .min, reason: "a,b", payload: "\n", time: Timestamp(ns: 0)), seed: 6)
  }

  // MARK: Event types of users

  /// A text of a type of its own.
  private struct Code: FieldValue {
    var text: String
    static var kind: FieldKind { .text }
    static var fixedWidth: Int? { nil }
    var width: Int { text.utf8.count }
    func write(to out: inout ByteWriter) { text.write(to: &out) }
    init(_ text: String) { self.text = text }
    init(from text: inout ByteReader) throws(TextError) { self.text = try String(from: &text) }
    static func < (a: Code, b: Code) -> Bool { a.text < b.text }
  }

  private struct Coded: Event, Equatable {
    var code: Code
    var number: Int64
    var time: Timestamp
    static let schema = EventSchema<Coded>(
      "coded", "A code.", time: \.time, example: Coded(code: Code("c"), number: 1, time: Timestamp(ns: 1)),
      fields: [.init("code", \.code, "The code."), .init("number", \.number, "A number."), .init("time", \.time, "The time.")])
  }

  @Test func `a text of a type of its own is escaped like any other`() throws {
    var random = SplitMix(3)
    let event = Coded(code: Code("a\"b,\n\\"), number: -5, time: Timestamp(ns: 0))
    #expect(json(event) == #"{"code":"a\"b,\n\\","number":-5,"time":"1970-01-01T00:00:00Z"}"#)
    #expect(csv(event) == "\"a\"\"b,\n\\\",-5,1970-01-01T00:00:00Z")
    for _ in 0..<200 { roundTrips(Coded(code: Code(text(&random)), number: number(&random), time: time(&random))) }
  }

  private struct Forgetful: Event {
    var number: Int64
    var forgotten: Int64 = 0
    var price: Price = 1
    var priceDecimals: UInt8 = 2
    var time: Timestamp
    static let schema = EventSchema<Forgetful>(
      "forgetful", "Forgets.", time: \.time, example: Forgetful(number: 1, time: Timestamp(ns: 1)),
      fields: [
        .init("number", \.number, "A number."), .init("price", \.price, "A price.", decimals: \.priceDecimals),
        .init("time", \.time, "The time."),
      ])
  }

  private struct Doubled: Event {
    var number: Int64
    var forgotten: Int64 = 0
    var time: Timestamp
    static let schema = EventSchema<Doubled>(
      "doubled", "Declares one property twice.", time: \.time, example: Doubled(number: 1, time: Timestamp(ns: 1)),
      fields: [.init("number", \.number, "A number."), .init("again", \.number, "It again."), .init("time", \.time, "The time.")])
  }

  private struct Rough: Event {
    var price: Price = 1
    var priceDecimals: UInt8 = 2
    var time: Timestamp
    static let schema = EventSchema<Rough>(
      "rough", "Forgets the decimals.", time: \.time, example: Rough(time: Timestamp(ns: 1)),
      fields: [.init("price", \.price, "A price."), .init("time", \.time, "The time.")])
  }

  @Test func `a property that the declaration forgets is named`() {
    #expect(Forgetful.schema.undeclaredProperties() == ["forgotten"])
    #expect(Doubled.schema.undeclaredProperties() == ["forgotten"])
    #expect(Rough.schema.undeclaredProperties() == ["priceDecimals"])
    #expect(Parcel.schema.undeclaredProperties() == ["content"])
  }
}
