import MarketData
import StockbusPlugin
import Testing

@testable import StockbusDecoding

@Suite struct TextualMessageTests {
  private func spec(ignoring texts: [String]? = nil) -> DecodingSpec {
    var spec = DecodingSpec()
    spec.ignore = texts
    spec.messages = ["trade": .event(.trade, when: ["s": ["*"]], .trade("s", time: nil, price: "p", size: "q"))]
    return spec
  }

  private func verdicts(_ messages: [String], ignoring texts: [String]? = nil) throws -> [MessageOutcome] {
    try decode(messages, spec(ignoring: texts), as: Trade.self).map(\.verdict)
  }

  @Test func `texts that the spec names are passed over, exactly these`() throws {
    let found = try verdicts(["pong", " pong\r\n", "\u{feff}pong", "h", "1", "\"ok\""], ignoring: ["pong", "h", "1", "\"ok\""])
    #expect(found == ["pong", "pong", "pong", "h", "1", "\"ok\""].map { .heartbeat(kind: $0) })
    #expect(
      try verdicts(["Pong", "pongs", "hb", "12"], ignoring: ["pong", "h", "1"]) == [
        .notJSON(text: "Pong"), .notJSON(text: "pongs"), .notJSON(text: "hb"), .unknown(shape: "number"),
      ])
    #expect(try verdicts(["", " \n"], ignoring: [""]) == [.heartbeat(kind: ""), .heartbeat(kind: "")])
  }

  @Test func `a text that is no JSON is named, and a damaged message is malformed`() throws {
    #expect(
      try verdicts(["pong", "", "\u{feff}", "42[\"trade\",{\"s\":\"A\",\"p\":1,\"q\":2,\"time\":1700000000000}]", "<html>"]) == [
        .notJSON(text: "pong"), .notJSON(text: ""), .notJSON(text: ""), .notJSON(text: "42[\"trade\",{…"), .notJSON(text: "<html>"),
      ])
    #expect(
      try verdicts([#" {"s":"#, "[1", #"{"s":"A",pong}"#]) == [
        .malformed(reason: "byte 7: the message ends too early"), .malformed(reason: "byte 3: the message ends too early"),
        .malformed(reason: "byte 10: a key in quotation marks is expected"),
      ])
  }

  @Test func `each is counted`() throws {
    var decoder = try MessageDecoder<Trade>(spec(ignoring: ["pong"]))
    for message in ["pong", "ping", "ping", "{", "pong", "{}"] { _ = decoder.decode(message, received: received) { _ in } }
    #expect(decoder.tally.ignored == 2 && decoder.tally.malformed == 1 && decoder.tally.unknown == 3)
    #expect(decoder.tally.shapes.map { "\($0.count) \($0.shape)" } == ["2 ping", "1 {}"])
  }

  @Test func `the words say what to write`() {
    #expect(MessageOutcome.words(ofNoJSON: "pong") == "'pong' is not JSON; if it is a heartbeat, write ignore: [pong] in 'decoding'")
    #expect(MessageOutcome.words(ofNoJSON: "h, b") == "'h, b' is not JSON; if it is a heartbeat, write ignore: [\"h, b\"] in 'decoding'")
    #expect(MessageOutcome.words(ofNoJSON: "") == "an empty message is not JSON; if it is a heartbeat, write ignore: [''] in 'decoding'")
    #expect(MessageOutcome.words(ofNoJSON: "42[\"trade\",{…") == "'42[\"trade\",{…' is not JSON")
  }

  @Test func `a byte order mark costs nothing`() throws {
    #expect(try verdicts(["\u{feff}{\"s\":\"A\",\"p\":1}"]) == [.events(1)])
  }

  @Test(arguments: ["NaN", "Infinity", "-Infinity", "nan", "None", "undefined", ".5", "+1", "007"])
  func `what JSON has no form for costs only the item that needs it`(word: String) throws {
    var spec = spec()
    var rule = MessageRule.event(.trade, when: ["d": ["[]"]], .trade("s", time: nil, price: "p", size: "q"))
    rule.each = ["d"]
    spec.messages = ["trades": rule]
    func found(_ items: String) throws -> Result { try decode([#"{"d":[\#(items)]}"#], spec, as: Trade.self)[0] }
    // Where nobody needs it.
    #expect(
      try found(#"{"s":"A","p":1,"q":2,"x":\#(word)},{"s":"B","p":3}"#) == Result(.events(2), ["A 1 x2 unknown @-", "B 3 x0 unknown @-"]))
    for field in ["p", "q"] {
      let name = field == "p" ? "price" : "size"
      let values = field == "p" ? #""p":\#(word)"# : #""p":1,"q":\#(word)"#
      let place = field == "p" ? 20 : 26
      #expect(
        try found(#"{"s":"A",\#(values)},{"s":"B","p":3}"#)
          == Result(
            .several([.events(1), .malformed(reason: "'\(name)' is not a number: '\(word)' (byte \(place))")]), ["B 3 x0 unknown @-"]))
    }
    // A name without quotation marks is no name: programs write NaN for one that is missing.
    #expect(try found(#"{"s":\#(word),"p":1}"#) == Result(.malformed(reason: "'symbol' is not a text: '\(word)' (byte 12)")))
  }
}
