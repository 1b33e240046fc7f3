internal import EventBus
internal import MarketData
@testable import StockbusDecoding

/// Keys and values of the venues' messages.
let venueWords = [
  "\"e\":\"trade\"", "\"e\":\"bookTicker\"", "\"e\":\"kline\"", "\"s\":\"BTCUSDT\"", "\"p\":\"61685.99\"", "\"q\":\"0.5\"",
  "\"T\":1618677544990",
  "\"t\":17", "\"m\":true", "\"stream\":", "\"data\":", "\"type\":\"match\"", "\"product_id\":\"BTC-USD\"", "\"channel\":\"trade\"",
  "\"channel\":\"ticker\"", "\"type\":\"update\"", "\"sequence\":", "\"trade_id\":", "\"hb\"", "\"tu\"", "\"te\"", "\"chanId\":17",
  "\"event\":\"subscribed\"", "\"symbol\":\"XBT/USD\"", "\"price\":", "\"size\":", "\"time\":\"2024-08-09T00:00:01.437Z\"",
  "\"side\":\"buy\"",
  "\"T\":\"t\"", "\"S\":\"AAPL\"", "\"ev\":\"T\"", "\"sym\":\"AAPL\"", "\"trade\",\"XBT/USD\"]", "\"ohlc-1\"", "null", "[[", "]]", "{", "}",
]

extension Target {
  /// Every message has a verdict; the number of events is the one in the verdict; the same messages give the same results.
  static let venues = Target(
    "venues", "messages of every venue, a line each (the first byte chooses venue and event)", limit: 8192, words: venueWords, budget: 400
  ) { bytes in
    var choices = Choices(bytes)
    let choice = choices.pick(VenuePreset.allCases.count * 3)
    let preset = VenuePreset.allCases[choice / 3]
    let kind = EventKind.allCases[choice % 3]
    guard preset.events.contains(kind) else { return }
    let messages = choices.rest.split(separator: 10).map(Array.init)
    switch kind {
    case .trade: judge(Trade.self, preset, messages)
    case .quote: judge(Quote.self, preset, messages)
    case .bar: judge(Bar.self, preset, messages)
    }
  }

  private static func judge<E: DecodedEvent & Hashable>(_: E.Type, _ preset: VenuePreset, _ messages: [[UInt8]]) {
    let received = Timestamp(ns: 1_700_000_000_000_000_000)
    var first = try! MessageDecoder<E>(preset.spec, symbols: ["AAPL", "BTC-USD"])
    var second = try! MessageDecoder<E>(preset.spec, symbols: ["AAPL", "BTC-USD"])
    var total = 0
    for message in messages {
      var events: [E] = []
      let verdict = message.withUnsafeBufferPointer { first.decode($0, received: received) { events.append($0) } }
      law(count(verdict) == events.count, "\(verdict) and \(events.count) events of '\(text(message))'")
      law(isSound(verdict), "\(verdict) of '\(text(message))'")
      if JSONModel.read(message, depthLimit: JSONTape.depthLimit) == nil, !isTaken(message) {
        switch verdict {
        case .malformed, .notJSON: break
        default: law(false, "\(verdict) of what is no JSON: '\(text(message))'")
        }
      }
      for event in events { law(reread(event), "\(E.schema.json(event)) is not read as it is written") }
      var again: [E] = []
      let other = message.withUnsafeBufferPointer { second.decode($0, received: received) { again.append($0) } }
      law(other == verdict && again == events && first.gaps == second.gaps, "'\(text(message))' gives another result the second time")
      total += events.count
    }
    law(first.tally == second.tally && first.tally.events == total, "\(total) events came, \(first.tally.events) are counted")
    law(first.tally.shapes.count <= MessageTally.shapeLimit + 1, "shapes are bounded")
  }

  /// True for what is not quite JSON, and is taken: numbers in other forms, and a byte order mark before it.
  private static func isTaken(_ message: [UInt8]) -> Bool {
    var tape = JSONTape(limit: 1 << 16, takesWords: true)
    do throws(JSONProblem) { try message.withUnsafeBufferPointer { bytes throws(JSONProblem) in try tape.read(bytes) } } catch {
      return false
    }
    return true
  }

  private static func count(_ verdict: MessageOutcome) -> Int {
    switch verdict {
    case .events(let count): count
    case .several(let parts): parts.reduce(0) { $0 + count($1) }
    default: 0
    }
  }

  private static func isSound(_ verdict: MessageOutcome) -> Bool {
    switch verdict {
    case .malformed(let reason): !reason.isEmpty && reason.utf8.count < 2000
    case .unknown(let shape): shape.utf8.count < 2000
    case .notJSON(let text): text.utf8.count < 200 && isPlain(MessageOutcome.words(ofNoJSON: text))
    case .several(let parts): parts.allSatisfy(isSound)
    default: true
    }
  }

  private static func reread<E: DecodedEvent & Hashable>(_ event: E) -> Bool {
    var out = ByteWriter()
    E.schema.encodeJSON(event, to: &out)
    return out.withBytes { bytes in
      var reader = ByteReader(bytes)
      return (try? E.schema.decodeJSON(&reader)) == event
    }
  }

  /// The JSON reader for venues accepts exactly what RFC 8259 allows, and gives the same result as the slow model.
  static let messages = Target(
    "messages", "one JSON text, as every venue's messages are read", limit: 4096,
    words: [
      "\\u0041", "\\ud83d\\ude00", "\\ud800", "1e-9", "-0", "0.5", "true", "false", "null", "[[[[[[[[", "]]]]]]]]", "{\"a\":", "\u{9b}",
      "é",
    ],
    budget: 200
  ) { bytes in
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let expected = JSONModel.read(bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes, depthLimit: JSONTape.depthLimit)
    var tape = JSONTape(limit: 1 << 16)
    do throws(JSONProblem) { try bytes.withUnsafeBufferPointer { bytes throws(JSONProblem) in try tape.read(bytes) } } catch {
      law(error.offset >= 0 && error.offset <= bytes.count, "\(error) lies outside of the text")
      law(expected == nil, "\(error), and yet JSON: '\(text(bytes))'")
      return
    }
    let found = plain(0, tape)
    law(found == expected, "'\(text(bytes))' is read as \(found), and is \(expected ?? "no JSON")")
    law(JSONGrammar.fault(in: text(bytes)) == nil, "by its grammar it is none: '\(text(bytes))'")
  }

  private static func plain(_ node: Int, _ tape: borrowing JSONTape) -> String {
    let end = Int(tape.nodes[node].next)
    law(end > node && end <= tape.nodeCount, "node \(node) ends at \(end) of \(tape.nodeCount)")
    var at = node + 1
    var parts: [String] = []
    switch tape.nodes[node].kind {
    case .object:
      while at < end {
        parts.append(JSONModel.plain(tape.string(at, limit: .max)) + ":" + plain(at + 1, tape))
        at = Int(tape.nodes[at + 1].next)
      }
      return "{" + parts.joined(separator: ",") + "}"
    case .array:
      while at < end {
        parts.append(plain(at, tape))
        at = Int(tape.nodes[at].next)
      }
      return "[" + parts.joined(separator: ",") + "]"
    case .text, .key: return JSONModel.plain(tape.string(node, limit: .max))
    case .number: return "n" + tape.string(node, limit: .max)
    case .yes: return "true"
    case .no: return "false"
    case .null: return "null"
    case .word: return "w" + tape.string(node, limit: .max)
    }
  }
}
