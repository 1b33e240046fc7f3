import StockbusPlugin
import Testing

@testable import EchoSocket

@Suite(.timeLimit(.minutes(15))) struct EnvelopeTests {
  private let event =
    #"{"symbol":"AAPL","price":189.25,"size":100,"side":"buy","time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#

  private func read(_ text: String) -> String {
    var text = text
    let reading = text.withUTF8 { EchoEnvelope<Trade>.read($0) }
    switch reading {
    case .answer(let number, let event): return "\(number) \(Trade.schema.json(event))"
    case .altered(let number, let reason): return "\(number) altered: \(reason)"
    case .malformed(let reason): return "malformed: \(reason)"
    }
  }

  @Test func `an event is wrapped with its number`() {
    var out = ByteWriter()
    EchoEnvelope.write(17, Trade.schema.example, to: &out)
    #expect(out.string == #"{"seq":17,"event":\#(event)}"#)
    #expect(read(out.string) == "17 \(event)")
  }

  @Test func `the members may come in either order, with blanks`() {
    #expect(read(#" { "seq" : 3 , "event" : \#(event) } "#) == "3 \(event)")
    #expect(read(#"{"event":\#(event),"seq":-4}"#) == "-4 \(event)")
  }

  @Test func `an event that was altered beyond use is told with its number`() {
    #expect(
      read(#"{"seq":5,"event":{"symbol":"AAPL","price":"a lot"}}"#) == "5 altered: 'event.price': unexpected text at byte 43")
    #expect(read(#"{"seq":5,"event":{"symbol":"AAPL"}}"#) == "5 altered: 'event.price': missing at byte 34")
    #expect(read(#"{"seq":5,"event":null}"#) == "5 altered: 'event': unexpected text at byte 18")
  }

  @Test(arguments: [
    "", "hello", "{}", "[]", "{", #"{"seq":1}"#, #"{"seq":1,"seq":2}"#, #"{"seq":1.5,"event":{}}"#, #"{"seq":"1","event":{}}"#,
    #"{"seq":99999999999999999999,"event":{}}"#, #"{"seq":1,"more":2}"#,
  ])
  func `what is no answer is malformed`(text: String) { #expect(read(text).hasPrefix("malformed: ")) }

  @Test func `nothing may follow`() { #expect(read(#"{"seq":3,"event":\#(event)} x"#).hasPrefix("malformed: ")) }

  @Test func `no text makes it trap`() {
    let whole = Array(#"{"seq":3,"event":\#(event)}"#.utf8)
    for seed in 0..<3000 {
      var random = RandomStream(seed: UInt64(seed))
      var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
      for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      bytes.withUnsafeBufferPointer { _ = EchoEnvelope<Trade>.read($0) }
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
        let told = Double(
          trips.quantile(share).components.attoseconds / 1_000_000_000 + trips.quantile(share).components.seconds * 1_000_000_000)
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
