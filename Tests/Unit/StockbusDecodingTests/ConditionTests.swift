import MarketData
import StockbusPlugin
import Testing

@testable import StockbusDecoding

/// Sale conditions as feeds write them.
@Suite struct ConditionTests {
  private func condition(_ text: String, _ codes: ConditionCodes, own: Mapping<TradeCondition>? = nil) -> TradeCondition? {
    var text = text
    return text.withUTF8 { ConditionTable(codes, own: own).condition(of: $0) }
  }

  @Test func `letters of the tapes stand side by side, and the strictest one counts`() {
    let cases: [(String, TradeCondition?)] = [
      ("", .regular), ("@", .regular), ("@  ", .regular), ("F", .sweep), ("@F", .sweep), ("@O X", .opening), ("5", .opening),
      ("@6", .closing),
      ("9", .correctedClose), ("@4", .derivativelyPriced), ("P", .priorReferencePrice), ("@ Z", .outOfSequence), ("@FT", .extendedHours),
      ("U", .extendedHours), ("@FTI", .oddLot), ("I", .oddLot), ("W", .averagePrice), ("H", .priceVariation), ("C", .specialSettlement),
      ("N", .specialSettlement), ("R", .specialSettlement), ("V", .contingent), ("@7 V", .contingent), ("M", .officialPrice),
      ("Q", .officialPrice), ("\"@\",\"I\"", .oddLot), ("@J", nil), ("é", nil),
    ]
    for (text, expected) in cases {
      #expect(condition(text, .cta) == expected, "\(text)")
      #expect(condition(text, .utp) == expected, "\(text)")
    }
    // One letter means an average price on two tapes, and bunched trades on the third.
    #expect(condition("B", .cta) == .averagePrice && condition("B", .utp) == .regular)
  }

  @Test func `flags are hexadecimal digits, of which every bit counts`() {
    let cases: [(String, TradeCondition?)] = [
      ("0", .regular), ("1", .regular), ("20", .sweep), ("20000020", .sweep), ("0x20000020", .sweep), ("40", .opening), ("80", .closing),
      ("100", .opening), ("20000200", .derivativelyPriced), ("2", .specialSettlement), ("4", .specialSettlement), ("8", .specialSettlement),
      ("400", .extendedHours), ("2000", .extendedHours), ("20002020", .extendedHours), ("4800", .outOfSequence), ("20040200", .contingent),
      ("20100200", .averagePrice), ("20200040", .opening), ("400000", .priceVariation), ("2000000", .priorReferencePrice),
      ("1000000", .officialPrice), ("4000000", .officialPrice), ("80000000", .oddLot), ("A0000000", .oddLot), ("a0000020", .oddLot),
      ("100000000", nil), ("g", nil), ("0x", nil), ("-1", nil), ("11111111111111111", nil),
    ]
    for (text, expected) in cases { #expect(condition(text, .lean) == expected, "\(text)") }
  }

  @Test func `numbers and words are separated`() {
    #expect(condition("[12,37]", .massive) == .oddLot)
    #expect(condition("14 41", .massive) == .sweep)
    #expect(
      condition("2", .massive) == .averagePrice && condition("53", .massive) == .contingent && condition("16", .massive) == .officialPrice)
    #expect(condition("60", .massive) == .regular && condition("100", .massive) == nil && condition("1x", .massive) == nil)
    #expect(condition("odd_lot", .words) == .oddLot && condition("sweep|odd_lot", .words) == .oddLot)
    #expect(condition("Odd Lot", .words) == nil)
  }

  @Test func `a configuration adds codes and changes them`() {
    let own: Mapping<TradeCondition> = ["J": .cancelled, "T": .regular]
    #expect(condition("@TJ", .cta, own: own) == .cancelled && condition("@T", .cta, own: own) == .regular)
    #expect(condition("@TI", .cta, own: own) == .oddLot)
    #expect(condition("OL", .words, own: ["OL": .oddLot]) == .oddLot)
  }

  private static let spec = makeSpec { spec in
    spec.messages = [
      "trade": .event(.trade, when: ["t": ["x"]], .trade("s", time: nil, price: "p", size: "q", condition: "c")) {
        $0.conditionCodes = .cta
        $0.conditions = ["J": .cancelled]
      }
    ]
  }

  private func conditions(_ codes: String) throws -> (verdict: MessageOutcome?, conditions: [TradeCondition]) {
    var reader = try MessageReader(Self.spec, event: .trade)
    var found: [TradeCondition] = []
    var message = #"{"t":"x","s":"A","p":1,"q":2,"c":\#(codes)}"#
    let verdict = message.withUTF8 { bytes in
      reader.read(bytes, received: Timestamp(ns: 0)) { found.append(Trade($0).condition) }
    }
    return (verdict, found)
  }

  @Test func `a message has them as a text, a number, a list, or not at all`() throws {
    for (codes, expected) in [
      (#""@""#, TradeCondition.regular), (#"["@","F","I"]"#, .oddLot), (#"["@","FT"]"#, .extendedHours), ("[]", .regular),
      ("null", .regular),
      (#""""#, .regular), ("[null]", .regular), ("4", .derivativelyPriced), ("[4,6]", .derivativelyPriced), (#"["J"]"#, .cancelled),
    ] { #expect(try conditions(codes).conditions == [expected], "\(codes)") }
    var reader = try MessageReader(Self.spec, event: .trade)
    var message = #"{"t":"x","s":"A","p":1,"q":2}"#
    var found: [TradeCondition] = []
    _ = message.withUTF8 { bytes in reader.read(bytes, received: Timestamp(ns: 0)) { found.append(Trade($0).condition) } }
    #expect(found == [.regular])
  }

  @Test func `an unknown code makes its item malformed, and says what helps`() throws {
    let (verdict, found) = try conditions(#"["@","b"]"#)
    #expect(found == [])
    #expect(
      verdict == .malformed(reason: "'condition' has an unknown code: 'b' (byte 40); 'conditions' can say what it means"))
    #expect(try conditions("{}").verdict == .malformed(reason: "'condition' is an object or a list, not a value (byte 34)"))
    #expect(try conditions("[[]]").verdict == .malformed(reason: "'condition' is an object or a list, not a value (byte 35)"))
    let many = "[" + Array(repeating: #""@""#, count: 17).joined(separator: ",") + "]"
    #expect(try conditions(many).verdict == .malformed(reason: "'condition' has more than 16 items (byte 34)"))
  }

  @Test func `Alpaca's and Massive's trades have their conditions`() throws {
    func read(_ message: String, _ spec: DecodingSpec) throws -> [TradeCondition] {
      var reader = try MessageReader(spec, event: .trade)
      var (message, found) = (message, [TradeCondition]())
      _ = message.withUTF8 { bytes in reader.read(bytes, received: Timestamp(ns: 0)) { found.append(Trade($0).condition) } }
      return found
    }
    let alpaca = { (codes: String) in
      #"[{"T":"t","i":96921,"S":"AAPL","x":"D","p":126.55,"s":1,"t":"2021-02-22T15:51:44.208Z","c":\#(codes),"z":"C"}]"#
    }
    #expect(try read(alpaca(#"["@","I"]"#), VenuePreset.alpaca.spec) == [.oddLot])
    #expect(try read(alpaca(#"["@"]"#), VenuePreset.alpaca.spec) == [.regular])
    let massive = { (codes: String) in
      #"[{"ev":"T","sym":"MSFT","x":4,"i":"12345","z":3,"p":114.125,"s":100,"c":\#(codes),"t":1536036818784,"q":3681328}]"#
    }
    #expect(try read(massive("[0,12]"), VenuePreset.massive.spec) == [.extendedHours])
    #expect(try read(massive("[14,41]"), VenuePreset.massive.spec) == [.sweep])
  }
}
