import Foundation
import MarketData
import TestSupport
import StockbusPlugin
import Testing

@testable import StockbusDecoding

/// A decoder against a hostile venue: no trap, no event that is not counted, no message that costs much more than its length.
@Suite(.timeLimit(.minutes(30))) struct WorkTests {
  /// The number of random messages; STOCKBUS_FUZZ_COUNT sets a larger one.
  private static let count = ProcessInfo.processInfo.environment["STOCKBUS_FUZZ_COUNT"].flatMap { Int($0) } ?? 11_000

  @Test(arguments: VenuePreset.allCases) func `random messages of every preset never trap, and their events are counted`(
    preset: VenuePreset
  )
    throws
  {
    var all = 0
    for (index, event) in preset.events.enumerated() {
      var messages = VenueMessages("\(preset)", seed: UInt64(index))
      var reader = try MessageReader(preset.spec, event: event, symbols: ["BTC-USD"])
      var events = 0
      var costs = Costs("\(preset) \(event)")
      for n in 0..<(Self.count / VenuePreset.allCases.count / preset.events.count) {
        if n % 1000 == 999 { reader.reconnected() }
        let message = messages.next()
        let verdict = costs.measure(size: message.count, String(decoding: message, as: UTF8.self), isGood: isUsual) {
          message.withUnsafeBufferPointer { reader.read($0, received: received) { _ in events += 1 } }
        }
        if case .several(let verdicts) = verdict { #expect(verdicts.count <= MessageReader.reportLimit + 3) }
      }
      #expect(reader.tally.events == events)
      all += events
      for line in costs.lines { print(line) }
    }
    #expect(all > 0)
  }

  /// True for the usual messages of a venue, which give events.
  private func isUsual(_ verdict: MessageOutcome) -> Bool {
    if case .events(let count) = verdict { return count > 0 }
    return false
  }

  #if DEBUG
  /// The cost of a message: a byte read and a node visited count one, a node made four.
  private func work(_ message: [UInt8], _ reader: inout MessageReader) -> Int {
    let before = reader.tape.work.pointee
    _ = message.withUnsafeBufferPointer { reader.read($0, received: received) { _ in } }
    return message.count + 4 * reader.tape.nodeCount + reader.tape.work.pointee - before
  }

  @Test(arguments: VenuePreset.allCases) func `no message takes more than ten times the work of a usual one of its length`(
    preset: VenuePreset
  )
    throws
  {
    for event in preset.events {
      var reader = try MessageReader(preset.spec, event: event)
      // The cost for each byte of the venue's samples.
      let usual = (VenueMessages.samples["\(preset)"] ?? []).map { text in
        Double(work(Array(text.utf8), &reader)) / Double(text.utf8.count)
      }
      let most = try #require(usual.max())
      for seed in 0..<rounds(60, cost: 100) {
        var messages = VenueMessages("\(preset)", seed: UInt64(1000 + seed))
        let message = messages.grown(to: 20_000)
        let done = work(message, &reader)
        #expect(
          Double(done) <= 10 * most * Double(message.count),
          "\(event), seed \(seed): \(String(decoding: message.prefix(150), as: UTF8.self))")
      }
    }
  }

  @Test func `the last of a list is looked up once, however many items want it`() throws {
    func work(items: Int) throws -> Int {
      var reader = try MessageReader(VenuePreset.krakenV1.spec, event: .trade)
      let item = #"["5541.2","0.1","1534614057.3","s"]"#
      let list = Array(repeating: item, count: items).joined(separator: ",")
      let filler = String(repeating: "0,", count: items)
      return self.work(Array("[0,[\(list)],\(filler)\"trade\",\"XBT/USD\"]".utf8), &reader)
    }
    #expect(try work(items: 2000) < 25 * work(items: 100))
  }

  @Test(arguments: [VenuePreset.massive, .alpaca], ["0", "{}", "[]", "[0]", "null"])
  func `items of a list of messages that are no messages are counted, and no more is done for them`(preset: VenuePreset, item: String)
    throws
  {
    var reader = try MessageReader(preset.spec, event: .trade)
    let count = 3000
    let message = Array(("[" + Array(repeating: item, count: count).joined(separator: ",") + "]").utf8)
    let done = work(message, &reader)
    #expect(done < message.count + 4 * reader.tape.nodeCount + 100 * MessageReader.reportLimit + message.count)
    #expect(reader.tally.unknown == count && reader.tally.events == 0)
    let verdict = message.withUnsafeBufferPointer { reader.read($0, received: received) { _ in } }
    guard case .several(let verdicts) = verdict else { return #expect(verdict == .several([])) }
    #expect(verdicts.count == MessageReader.reportLimit + 1)
    #expect(verdicts.last == .malformed(reason: "\(count - MessageReader.reportLimit) more messages of the list are not events"))
  }

  @Test(arguments: ["0", "{}", "[]", "null", #""""#, "[[]]", "[0]", "[0,{}]", #"{"a":0}"#])
  func `items with too little in them are counted, and no more is done for them`(
    item: String
  ) throws {
    var reader = try MessageReader(VenuePreset.krakenV1.spec, event: .trade)
    let count = 3000
    let good = #"["5541.2","0.1","1534614057.3","s"]"#
    let items = Array(repeating: item, count: count) + [good]
    let message = Array(#"[0,[\#(items.joined(separator: ","))],"trade","XBT/USD"]"#.utf8)
    let done = work(message, &reader)
    #expect(done < message.count + 4 * reader.tape.nodeCount + 200)
    #expect(reader.tally.events == 1 && reader.tally.malformed == 1)
    let verdict = message.withUnsafeBufferPointer { reader.read($0, received: received) { _ in } }
    guard case .several(let parts) = verdict, case .malformed(let reason)? = parts.last else { return #expect(verdict == .events(1)) }
    #expect(parts.count == 2 && parts.first == .events(1))
    #expect(reason.hasPrefix("'time' is missing; ") && reason.hasSuffix("; and \(count - 1) more items"), "\(reason)")
  }
  #endif

  @Test func `an event behind many items that are no messages is found`() throws {
    var reader = try MessageReader(VenuePreset.massive.spec, event: .trade)
    var text = "[" + String(repeating: "0,{},[1],\"T\",", count: 50) + #"{"ev":"T","sym":"A","p":1,"t":1,"q":1}]"#
    let verdict = text.withUTF8 { reader.read($0, received: received) { _ in } }
    guard case .several(let verdicts) = verdict else { return #expect(verdict == .several([])) }
    #expect(verdicts.first == .events(1))
    #expect(verdicts.last == .malformed(reason: "184 more messages of the list are not events"))
    #expect(reader.tally.unknown == 200)
  }

  @Test func `what is said of a list's messages does not grow with the list`() throws {
    var reader = try MessageReader(VenuePreset.massive.spec, event: .trade)
    let parts = (0..<3000).map { n in
      switch n % 4 {
      case 0: #"{"k\#(n)":1}"#
      case 1: #"{"ev":"T"}"#
      case 2: #"{"ev":"status","message":"m\#(n)"}"#
      default: #"{"ev":"LULD"}"#
      }
    }
    var text = "[" + parts.joined(separator: ",") + #",{"ev":"status","status":"auth_success"},{"ev":"T","sym":"A","p":1,"t":1,"q":1}]"#
    let verdict = text.withUTF8 { reader.read($0, received: received) { _ in } }
    guard case .several(let verdicts) = verdict else { return #expect(verdict == .several([])) }
    #expect(verdicts.count <= MessageReader.reportLimit + 3)
    #expect(verdicts.first == .events(1))
    // The feed waits for this verdict.
    #expect(verdicts.contains(.authenticated(kind: "authenticated")))
    #expect(verdicts.last == .malformed(reason: "2235 more messages of the list are not events"))
    #expect(reader.tally.unknown == 750 && reader.tally.malformed == 750)
  }

  @Test func `values that are too long are refused, and not kept`() throws {
    var spec = makeSpec { spec in
      spec.time = .ms
      spec.messages = ["t": .event(.trade, when: ["p": ["*"]], .trade("s", time: "t", price: "p", size: "q", side: "d"))]
    }
    func verdict(_ change: (String, String)) throws -> MessageOutcome {
      let message = #"{"s":"A","t":1,"p":1,"q":2,"d":"b"}"#.replacing(change.0, with: change.1)
      return try decode([message], spec, as: Trade.self)[0].verdict
    }
    let long = String(repeating: "0", count: 513)
    for (name, change) in [
      ("price", (#""p":1"#, #""p":1.\#(long)"#)), ("size", (#""q":2"#, #""q":"2.\#(long)""#)), ("time", (#""t":1"#, #""t":1.\#(long)"#)),
      ("symbol", (#""A""#, "\"\(long)\"")), ("side", (#""b""#, "\"\(long)\"")),
    ] {
      guard case .malformed(let reason) = try verdict(change) else {
        Issue.record("\(name) was taken")
        continue
      }
      #expect(reason.hasPrefix("'\(name)' is longer than 512 bytes: '"))
    }
    #expect(try verdict((#""p":1"#, #""p":1.\#(long.prefix(300))"#)) == .events(1))
    spec = VenuePreset.bitfinex.spec
    let longID = String(repeating: "9", count: 300)
    #expect(
      try decode(
        [
          #"{"event":"subscribed","channel":"trades","chanId":\#(longID),"symbol":"tA"}"#, #"[\#(longID),"te",[1,1,1,1],1]"#,
          #"{"event":"subscribed","channel":"trades","chanId":7,"symbol":"\#(long)"}"#, #"[7,"te",[1,1,1,1],1]"#,
        ], spec, as: Trade.self
      ).map(\.verdict)
        == [
          .acknowledgement(kind: "subscribed"), .malformed(reason: "'symbol' is missing"), .acknowledgement(kind: "subscribed"),
          .malformed(reason: "'symbol' is missing"),
        ])
  }

  @Test func `keys are found with escapes and without, and are told where they stand`() throws {
    var tape = JSONTape(limit: 1000)
    var text = #"{ "\u0070\u00e9\ud83d\ude00" : 1 , "a\"b\\" : 2, "\u0070":3}"#
    try text.withUTF8 { try tape.read($0) }
    #expect((0..<tape.nodeCount).filter { tape.nodes[$0].kind == .key }.map { tape.string($0) } == ["pé\u{1F600}", #"a"b\"#, "p"])
    #expect((0..<tape.nodeCount).filter { tape.nodes[$0].kind == .number }.map { Int(tape.nodes[$0].start) } == [31, 46, 58])
  }
}
