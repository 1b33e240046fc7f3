import MarketData
import StockbusDecoding
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import FileReplay

/// The sale conditions of rows.
@Suite struct ConditionTests {
  private func conditions(_ text: String, _ table: ConditionTable?) -> [TradeCondition] {
    run(text, options { $0.conditions = table }).events.map(\.condition)
  }

  private let rows = "symbol,price,time,condition\nA,1,1,20000020\nA,1,2,80000000\nA,1,3,\nA,1,4,20000020\nA,1,5,4000000000000000\n"

  @Test func `without codes the words of stockbus are read, and everything else is regular`() {
    let words = "symbol,price,time,condition\nA,1,1,odd_lot\nA,1,2,regular\nA,1,3,\nA,1,4,@ I\nA,1,5,out_of_sequence\nA,1,6,odd_lot\n"
    #expect(conditions(words, nil) == [.oddLot, .regular, .regular, .regular, .outOfSequence, .oddLot])
    #expect(conditions(rows, nil) == Array(repeating: .regular, count: 5))
    #expect(conditions("symbol,price,time\nA,1,1\n", nil) == [.regular])
  }

  @Test func `codes are read by their table; an unknown one makes its row malformed`() {
    let outcome = run(rows, options { $0.conditions = ConditionTable(.lean) })
    #expect(outcome.events.map(\.condition) == [.sweep, .oddLot, .regular, .sweep])
    #expect(outcome.reasons == ["6: 'condition' has an unknown code: '4000000000000000'; 'conditions' can say what it means"])
    #expect(
      run(
        "symbol,price,time,c\nA,1,1,@TI\nA,1,2,X\nA,1,3,@O\n",
        options {
          $0.columns["condition"] = "c"
          $0.conditions = ConditionTable(.cta, own: ["X": .contingent])
        }
      ).events.map(\.condition) == [.oddLot, .contingent, .opening])
  }

  @Test func `JSON rows have them as a text, a number, or a list`() {
    let rows = [#""@""#, #"["@","I"]"#, #"["@", "T"]"#, "[]", "null", "4", #""\u0040F""#, "true", #"{"a":1}"#, #"["é"]"#]
    let text = rows.enumerated().map { #"{"symbol":"A","price":1,"time":\#($0 + 1),"condition":\#($1)}"# + "\n" }.joined()
    let outcome = run(text, options { $0.conditions = ConditionTable(.utp) })
    #expect(
      outcome.events.map(\.condition) == [.regular, .oddLot, .extendedHours, .regular, .regular, .derivativelyPriced, .sweep])
    #expect(outcome.reasons.count == 3)
    #expect(outcome.reasons.first == "8: 'condition' is an object or a list, not a value")
    // Without codes nothing of this matters.
    #expect(conditions(text, nil) == Array(repeating: .regular, count: 10))
  }

  @Test func `what is written is read again`() {
    let time = Timestamp(ns: 1_381_239_000_000_000_000)
    let trades = TradeCondition.allCases.map {
      Trade(symbol: "A", price: 1, size: 2, time: time, received: time, condition: $0)
    }
    var csv = Trade.schema.csvHeader + "\n"
    var out = ByteWriter(capacity: 4096)
    for trade in trades {
      Trade.schema.encodeCSV(trade, to: &out)
      out.put(10)
    }
    csv += out.string
    #expect(run(csv).events == trades)
    #expect(run(trades.map { Trade.schema.json($0) + "\n" }.joined()).events == trades)
  }

  @Test func `options that do not fit are told`() {
    func problems(_ options: String) -> [String] {
      let folder = TemporaryFolder()
      folder.put("symbol,price,time,condition\nA,1,1,@\n", in: "x")
      do {
        _ = try PipelineHarness(
          """
          sources: { live: { plugin: file_replay, path: \(folder.file("x")), \(options) } }
          sinks: { end: { plugin: probe, inputs: [live] } }
          """, plugins: [.fileReplay, .probe])
        return []
      } catch { return error.sorted.map(\.message) }
    }
    #expect(problems("condition_codes: cta, conditions: { J: cancelled }") == [])
    #expect(
      problems("condition_codes: taq") == ["source 'live': 'condition_codes' must be one of words, cta, utp, lean, massive, got 'taq'"])
    #expect(
      problems("conditions: { J: odd_lots }").first?.hasSuffix("got 'odd_lots'; did you mean 'odd_lot'?") == true)
    #expect(problems("event: quote, condition_codes: cta").contains("source 'live': 'condition_codes' is for 'event: trade'"))
    #expect(
      problems("format: raw, preset: gemini, condition_codes: cta").contains("source 'live': 'condition_codes' is not for raw captures"))
  }
}
