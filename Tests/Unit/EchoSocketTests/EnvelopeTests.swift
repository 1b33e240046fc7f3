import MarketData
import StockbusPlugin
import Testing

@testable import EchoSocket

@Suite(.timeLimit(.minutes(15))) struct EnvelopeTests {
  private let event =
    #"{"symbol":"AAPL","price":189.25,"size":100,"side":"buy","time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#

  /// Describes a text: `17 same`, `17: ` and the difference, or `malformed: ` and the reason.
  private func read(_ text: String, sent: Trade = .schema.example) -> String {
    var text = text
    return text.withUTF8 { bytes in
      switch EchoEnvelope.read(bytes) {
      case .answer(let number, let event): "\(number) " + (EchoEnvelope.difference(bytes, at: event, from: sent) ?? "same")
      case .malformed(let reason): "malformed: \(reason)"
      }
    }
  }

  @Test func `an event is wrapped with its number`() {
    var out = ByteWriter()
    EchoEnvelope.write(17, Trade.schema.example, to: &out)
    #expect(out.string == #"{"seq":17,"event":\#(event)}"#)
    #expect(read(out.string) == "17 same")
    #expect(out.withBytes { EchoEnvelope.number($0) } == 17)
  }

  @Test func `the members may come in either order, with blanks`() {
    #expect(read(#" { "seq" : 3 , "event" : \#(event) } "#) == "3 same")
    #expect(read(#"{"event":\#(event),"seq":-4}"#) == "-4 same")
  }

  @Test func `an event is the same however it is written`() {
    #expect(
      read(
        #"""
        {"event": { "received":1381239000012345678, "time":"2013-10-08T15:30:00.012000+02:00", "si\u0064e":"\u0062uy",
          "size" : 1e2, "price": 189.250000, "symbol" : "A\u0041PL" } , "seq" : 9}
        """#) == "9 same")
    let note = Note(text: "a \"line\"\n\u{1F600}", time: Timestamp(ns: 0))
    var text = #"{"seq":1,"event":{"text":"a \u0022line\u0022\u000a\ud83d\ude00","time":0}}"#
    #expect(
      text.withUTF8 { bytes in
        guard case .answer(1, let event) = EchoEnvelope.read(bytes) else { return "malformed" }
        return EchoEnvelope.difference(bytes, at: event, from: note)
      } == nil)
  }

  @Test(arguments: [
    (#""symbol":"AAPL""#, #""symbol":"EVIL""#, "'event.symbol' differs"), (#""AAPL""#, #""AAPL ""#, "'event.symbol' differs"),
    ("189.25", "189.26", "'event.price' differs"), ("189.25", "0.01", "'event.price' differs"),
    ("100", "-100", "'event.size' differs"),
    ("buy", "sell", "'event.side' differs"), ("buy", "BUY", "'event.side' differs"),
    ("00.012Z", "00.013Z", "'event.time' differs"), ("345678Z", "345679Z", "'event.received' differs"),
    ("100", "99999999999999999999", "'event.size': number out of range at byte 57"),
    (#""side":"buy","#, "", "'event.side': missing at byte 138"),
    (#""side":"buy""#, #""side":"buy","side":"buy""#, "'event.side': there twice at byte 74"),
    (#""side":"buy""#, #""side":"buy","\u001bmore":1"#, "'event.\\u{1b}more': no such field at byte 74"),
  ]) func `an event that is another is told by its field`(was: String, becomes: String, reason: String) {
    #expect(read(#"{"seq":5,"event":\#(event)}"#.replacing(was, with: becomes)) == "5 " + reason)
  }

  @Test func `an event that was altered beyond use is told with its number, whichever comes first`() {
    #expect(read(#"{"seq":5,"event":{"symbol":"AAPL","price":"a lot"}}"#) == "5 'event.price': unexpected text at byte 43")
    #expect(read(#"{"seq":5,"event":{"symbol":"AAPL"}}"#) == "5 'event.price': missing at byte 34")
    #expect(read(#"{"seq":5,"event":null}"#) == "5 'event': unexpected text at byte 18")
    #expect(read(#"{"event":[{"symbol":"]"}],"seq":5}"#) == "5 'event': unexpected text at byte 10")
  }

  @Test func `no name in an answer becomes a symbol`() {
    let before: Symbol = "ENVELOPE-BEFORE"
    for n in 0..<100 {
      _ = read(#"{"seq":1,"event":\#(event.replacing("AAPL", with: "ENVELOPE-\(n)"))}"#)
      _ = read(#"{"event":\#(event.replacing("AAPL", with: "ENVELOPE\\u002d\(n)")),"seq":1}"#)
    }
    // Other suites of this process may make symbols at the same time, but not these.
    let after: Symbol = "ENVELOPE-AFTER"
    let made = (before.id...after.id).map { Symbol(id: $0).description }.filter { $0.hasPrefix("ENVELOPE-") }
    #expect(made == ["ENVELOPE-BEFORE", "ENVELOPE-AFTER"])
  }

  @Test(arguments: [
    "", "hello", "{}", "[]", "{", #"{"seq":1}"#, #"{"seq":1,"seq":2}"#, #"{"seq":1.5,"event":{}}"#, #"{"seq":"1","event":{}}"#,
    #"{"seq":99999999999999999999,"event":{}}"#, #"{"seq":1,"more":2}"#, #"{"seq":1,"event":}"#, #"{"seq":1,"event":{"a":"}"#,
    #"{"seq":1,"event":"\"#, #"{"seq":1,"event":{}}}"#,
  ])
  func `what is no answer is malformed`(text: String) { #expect(read(text).hasPrefix("malformed: ")) }

  @Test func `nothing may follow`() { #expect(read(#"{"seq":3,"event":\#(event)} x"#).hasPrefix("malformed: ")) }

  @Test func `no text makes it trap, and what is the same says so`() {
    let whole = Array(#"{"seq":3,"event":\#(event)}"#.utf8)
    for seed in 0..<3000 {
      var random = RandomStream(seed: UInt64(seed))
      var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
      for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let words = bytes.withUnsafeBufferPointer { bytes in
        _ = EchoEnvelope.number(bytes)
        guard case .answer(_, let event) = EchoEnvelope.read(bytes) else { return "malformed" }
        return EchoEnvelope.difference(bytes, at: event, from: Trade.schema.example) ?? "same"
      }
      // If the result is "same", decoding the text must give the same event.
      guard words == "same" else { continue }
      let decoded = bytes.withUnsafeBufferPointer { bytes -> Trade? in
        guard case .answer(_, let event) = EchoEnvelope.read(bytes) else { return nil }
        var reader = ByteReader(UnsafeBufferPointer(rebasing: bytes[event]))
        return try? Trade.schema.decodeJSON(&reader)
      }
      let example = Trade.schema.example
      #expect(decoded?.symbol == example.symbol && decoded?.price == example.price && decoded?.size == example.size)
      #expect(decoded?.time == example.time && decoded?.received == example.received && decoded?.side == example.side)
    }
  }
}

@Suite struct RoundTripTests {
  @Test func `quantiles are at most 3_2 per cent too large, and never too small`() {
    for seed in 0..<50 {
      var random = RandomStream(seed: UInt64(seed))
      var trips = RoundTrips()
      var all: [Int64] = []
      for _ in 0..<Int.random(in: 1...2000, using: &random) {
        let ns = Int64.random(in: 0...(1 << Int64.random(in: 1...40, using: &random)), using: &random)
        trips.add(.nanoseconds(ns))
        all.append(ns)
      }
      all.sort()
      for share in [0.0, 0.01, 0.5, 0.9, 0.99, 1.0] {
        let exact = Double(all[max(1, Int((Double(all.count) * share).rounded(.up))) - 1])
        let told = Double(trips.quantile(share).wholeNanoseconds)
        #expect(told >= exact)
        #expect(told <= exact * 1.032 + 1)
      }
      #expect(trips.count == all.count)
      #expect(trips.most == .nanoseconds(all[all.count - 1]))
    }
  }

  @Test func `of nothing it tells nothing, and what cannot be is held`() {
    var trips = RoundTrips()
    #expect(trips.quantile(0.5) == .zero)
    trips.add(.seconds(-5))
    trips.add(.seconds(Int64.max))
    #expect(trips.quantile(0.5) == .zero)
    #expect(trips.count == 2)
  }

  @Test func `every bucket begins behind the one before`() {
    for bucket in 0..<1800 {
      #expect(RoundTrips.bucket(RoundTrips.highest(in: bucket)) == bucket)
      #expect(RoundTrips.bucket(RoundTrips.highest(in: bucket) + 1) == bucket + 1)
    }
  }
}
