import Stockbus
import StockbusConfig
import StockbusTestKit
import Testing

@testable import StockbusProgram

/// Columns beside events in whole configurations.
@Suite(.timeLimit(.minutes(15))) struct ColumnTests {
  private func topology(_ processors: String, _ sinks: String) throws(Problems) -> Topology {
    let text = """
      sources: { ticks: { plugin: generator, count: 1 }, more: { plugin: generator, count: 1 } }
      processors:
        marked: { plugin: derive, inputs: [ticks], columns: { vwap: vwap(session), off: price - vwap } }
      \(processors)
      sinks:
      \(sinks)
      """
    return try Topology.check(ConfigLoader().load(text: text), catalogue: Catalogue(.builtIn), mayBeUnread: true)
  }

  private func problems(_ processors: String, _ sinks: String) -> [String] {
    do throws(Problems) {
      _ = try topology(processors, sinks)
      return []
    } catch { return error.list.map { "\($0.mark.line):\($0.mark.column): \($0.message)" } }
  }

  @Test func `a misspelt column is an error at its character`() {
    let sink = "  none: { plugin: null_sink, inputs: [it] }"
    #expect(
      problems("  it: { plugin: filter, inputs: [marked], where: price > 1 and of > 2 }", sink) == [
        "4:64: processor 'it': 'where': trade has no field 'of'; did you mean 'off'?"
      ])
    #expect(
      problems("  it: { plugin: sorting_feed, inputs: [marked], by: vwpa }", sink) == [
        "4:53: processor 'it': 'by': there is no 'vwpa'; did you mean 'vwap'?"
      ])
    #expect(
      problems("  it: { plugin: derive, inputs: [marked], columns: { far: abs(of) } }", sink).first?.contains("did you mean 'off'?") == true
    )
    #expect(
      problems("", "  kept: { plugin: file_writer, inputs: [marked], path: x.csv, fields: [symbol, vwpa] }").first?.contains(
        "trade has no field 'vwpa'; did you mean 'vwap'?") == true)
    #expect(
      problems("", "  rung: { plugin: notification_dispatcher, inputs: [marked], rules: [{ name: far, when: offf > 1 }] }").first?.contains(
        "did you mean 'off'?") == true)
  }

  @Test func `columns end where events are made anew, and a name of theirs is an error behind that`() throws {
    let bars = "  bars: { plugin: bars, inputs: [marked] }\n  it: { plugin: filter, inputs: [bars], where: vwap > 1 and off > 1 }"
    #expect(problems(bars, "  none: { plugin: null_sink, inputs: [it] }").first?.contains("bar has no field 'off'") == true)
    let good = try topology(
      """
        bars: { plugin: bars, inputs: [marked] }
        few: { plugin: filter, inputs: [marked, more], where: off > 1 }
      """, "  none: { plugin: null_sink, inputs: [bars] }\n  other: { plugin: null_sink, inputs: [few] }")
    #expect(
      good.columnLines() == [
        "columns: 'marked' adds vwap and off", "columns: those of 'marked' end at 'bars', which makes bar events of its own",
      ])
    #expect(good.nodes.first { $0.id == "few" }?.topic.columns.names == ["vwap", "off"])
  }

  @Test func `a file's columns are known, and a mistake beside them is the only error`() {
    func problems(_ options: String) -> [String] {
      let text = """
        sources: { it: { plugin: file_replay, path: /dev/null, \(options) } }
        processors: { far: { plugin: filter, inputs: [it], where: away > 1% and vwap > 0 } }
        sinks: { none: { plugin: null_sink, inputs: [far] } }
        """
      do throws(Problems) {
        _ = try Topology.check(ConfigLoader().load(text: text), catalogue: Catalogue(.builtIn))
        return []
      } catch { return error.list.map { "\($0.mark.line): \($0.message)" } }
    }
    #expect(problems("extra_columns: { vwap: number, away: percent }") == [])
    #expect(
      problems("extra_columns: { vwap: number }") == [
        "2: processor 'far': 'where': trade has no field 'away'; its fields are symbol, price, size, side, time, received, condition, and its columns vwap"
      ])
    #expect(problems("extra_columns: { vwap: number, away: percent }, speed: fast").map { $0.prefix(1) } == ["1"])
  }

  @Test func `two inputs may not have a column of one name and two kinds`() {
    let found = problems(
      "  other: { plugin: derive, inputs: [more], columns: { off: price > 1 } }\n  it: { plugin: filter, inputs: [marked, other], where: true }",
      "  none: { plugin: null_sink, inputs: [it] }")
    #expect(
      found == ["5:42: processor 'it': the column 'off' of 'other' is a flag, and that of an input before it a number"])
  }

  @Test func `a mistake in derive is told once, and not by those behind it`() {
    let found = problems(
      "  it: { plugin: derive, inputs: [ticks], columns: { a: smaa(price) } }\n  few: { plugin: filter, inputs: [it], where: a > 1 }",
      "  none: { plugin: null_sink, inputs: [few] }\n  other: { plugin: null_sink, inputs: [marked] }")
    #expect(found.count == 1 && found[0].hasPrefix("4:56: processor 'it': 'columns': 'a': unknown function 'smaa'"))
  }

  @Test func `a change of what is computed makes another output, and a change of its text does not`() throws {
    func difference(_ before: String, _ after: String) throws -> [String] {
      func make(_ columns: String) throws -> Topology {
        try topology(
          "  it: { plugin: derive, inputs: [ticks], columns: \(columns) }",
          "  none: { plugin: null_sink, inputs: [it] }\n  m: { plugin: null_sink, inputs: [marked] }")
      }
      return try make(before).difference(to: make(after)).entries.filter { $0.step != .kept }.map { "\($0.id) \($0.step)" }
    }
    #expect(try difference("{ a: 2 * price }", "{ a: 3 * price }") == ["it replaced"])
    // Its reader goes over to another topic.
    #expect(try difference("{ a: 2 * price }", "{ a: 2 * price, b: 3 * price }") == ["it replaced", "none replaced"])
  }
}
