import Foundation
import StockbusTestKit
import Testing

/// `test`: what goes wrong at its time, and what a run looks like then.
@Suite(.enabled(if: ProgramTests.program != nil, "the program was not built")) struct TestFaultTests {
  private let folder = TemporaryFolder()

  init() throws {
    folder.put(
      """
      sources:
        live: { plugin: generator, symbols: [A, B] }
      processors:
        ranked: { plugin: sorting_feed, inputs: [live], by: price }
      sinks:
        desk:
          plugin: notification_dispatcher
          inputs: [live]
          rules: [{ name: silent, symbols: [A], silent_for: 90s }]
          channels: [{ console: {} }]
        kept: { plugin: file_writer, inputs: [live], path: kept.jsonl, patience: 4s }
        screen: { plugin: console_viewer, inputs: [ranked] }

      """, in: "desk.yaml")
  }

  /// Runs one test over a price of A each minute, from 10 on.
  private func test(_ lines: String) throws -> String {
    folder.put(
      """
      configuration: desk.yaml
      tests:
        - name: it
          input: { live: { A: "10 +1x10", every: 1m } }
          \(lines.replacing("\n", with: "\n    "))

      """, in: "desk.test.yaml")
    let before = folder.names
    let result = try ProgramTests.run(["test"], in: URL(filePath: folder.path))
    #expect(result.status == (result.output.hasPrefix("ok    it (") ? 0 : 1))
    #expect(folder.names == before)
    return result.output
  }

  /// The sources go on until 20 minutes, 10 of them in silence, so the rule fires 90 s after the last price.
  @Test func `a sink is what it gets, and time goes on after the last event`() throws {
    let output = try test(
      """
      until: 20m
      expect:
        - kept: { count: 11 }
          desk: [{ at: 11m30s, rule: silent }]
          ledger: { lost: 0, kept: { delivered: 11, records: 11 } }
        - { at: 5m, ranked: { A: { rank: 1, price: 15 } }, states: { live: running, ranked: running } }
        - { at: 11m29s, desk: { count: 0 } }
        - { at: 11m30s, desk: { count: 1 } }
      """)
    #expect(output.hasPrefix("ok"), "\(output)")
  }

  @Test func `a screen is the table that it shows`() throws {
    let output = try test(
      """
      expect:
        - { at: 5m, screen: { shows: ["1 A 15 +5 +50.00%"] } }
        - { screen: { shows: [1 A 20, 2 A] } }
      """)
    let shown = "it shows: # ▲ SYMBOL PRICE CHANGE % HIGH LOW VOLUME TREND | 1 A 20 +10 +100.00% 20 10 11 "
    #expect(output.contains("desk.test.yaml:7:37: no line of screen has '2 A'; \(shown)"), "\(output)")
    #expect(!output.contains("has '1 A"))
  }

  @Test func `what has no screen shows nothing`() throws {
    let output = try test("expect: { kept: { shows: [x] } }")
    #expect(output.contains("desk.test.yaml:5:15: 'kept' shows nothing here; a console_viewer does"), "\(output)")
  }

  /// The prices of minutes 3 and 4 do not come. From 2 min on it is silent for 180 s.
  @Test func `a source is disconnected`() throws {
    let output = try test(
      """
      faults: [{ at: 3m, live: disconnect, for: 2m }]
      expect:
        - { at: 4m, states: { live: degraded } }
        - { at: 5m, states: { live: running } }
        - kept: { count: 9 }
          desk: [{ at: 3m30s, rule: silent }]
          log: [disconnected by a fault of the test]
      """)
    #expect(output.hasPrefix("ok"), "\(output)")
  }

  /// The prices of minutes 3, 4 and 5 come at 6 min, with that of minute 6.
  @Test func `a source stalls`() throws {
    let output = try test(
      """
      faults: [{ at: 3m, live: stall, for: 3m }]
      expect:
        - { at: 5m, kept: { count: 3 }, states: { live: degraded } }
        - { at: 6m, kept: { count: 7 } }
        - { desk: [{ at: 3m30s, rule: silent }], kept: { count: 11 } }
      """)
    #expect(output.hasPrefix("ok"), "\(output)")
  }

  /// Minutes 2 and 3 twice; 5 is unreadable; 7 and 8 come after each other in the wrong order, and before 9.
  @Test func `events are doubled, damaged, and in the wrong order`() throws {
    let output = try test(
      """
      faults:
        - { at: 2m, live: duplicate, for: 2m }
        - { at: 5m, live: malformed, for: 1s }
        - { at: 7m, live: reorder, for: 90s }
      expect:
        - kept: [{ price: 10 }, { price: 11 }, { price: 12 }, { price: 12 }, { price: 13 }, { price: 13 }, { price: 14 },
                 { price: 16 }, { price: 18 }, { price: 17 }, { price: 19 }, { price: 20 }]
          ledger: { dead_letters: 1 }
      """)
    #expect(output.hasPrefix("ok"), "\(output)")
  }

  /// The feed begins anew and does not know the prices from before.
  @Test func `a component crashes and goes on`() throws {
    let output = try test(
      """
      faults: [{ at: 5m, kept: crash }, { at: 6m, ranked: crash }]
      expect: { kept: { count: 11 }, ledger: { lost: 0, kept: { records: 11 } }, log: ["kept failed: it crashed", "ranked failed: it crashed"] }
      """)
    #expect(output.hasPrefix("ok"), "\(output)")
  }

  /// It holds the prices of minutes 3 and 4 back when it crashes.
  @Test func `a source crashes, and loses nothing`() throws {
    let output = try test(
      """
      faults: [{ at: 3m, live: stall, for: 3m }, { at: 5m, live: crash }, { at: 8m, live: crash }]
      expect: { kept: { count: 11 }, ledger: { lost: 0, kept: { records: 11 } }, log: ["live failed: it crashed"] }
      """)
    #expect(output.hasPrefix("ok"), "\(output)")
  }

  /// More events than a batch has; it crashes in the second or third one.
  @Test func `a source crashes after its first batch`() throws {
    let output = try rows("{ A: \"10 +1x9000\", every: 1s }", "faults: [{ at: 8500s, live: crash }]", count: 9001)
    #expect(output.hasPrefix("ok"), "\(output)")
  }

  /// The price of minute 3 can't be written in its 4 s of patience. Without more time nothing is written any more.
  @Test func `a full disk is waited for, and what is lost is counted`() throws {
    let output = try test(
      """
      faults: [{ at: 3m, disk: full, for: 3s }]
      expect: { ledger: { lost: 0, kept: { records: 11 } } }
      """)
    #expect(output.hasPrefix("ok"), "\(output)")
  }

  @Test func `a loss is found`() throws {
    let output = try test(
      """
      faults: [{ at: 3m, disk: full, for: 1h }]
      expect: { ledger: { lost: 0 } }
      """)
    #expect(output.contains("desk.test.yaml:6:25: lost is 1, not 0"), "\(output)")
  }

  @Test func `the clock is set`() throws {
    let output = try test(
      """
      faults: [{ at: 150s, clock: -1h }]
      expect: { kept: { count: 11 }, log: ["the machine's clock was set back by 1h"] }
      """)
    #expect(output.hasPrefix("ok"), "\(output)")
  }

  @Test func `a row that is no event of its source is a failure`() throws {
    let output = try rows("[{ at: 1s, symbol: A, price: many, size: 1 }, { at: 2s, symbol: A, price: 5, size: 1 }]")
    #expect(output.hasPrefix("FAIL  it\n      desk.test.yaml:4:21: this is no event of its source: 'price' is not a number"), "\(output)")
  }

  @Test func `a field that no event has is told`() throws {
    let output = try rows("[{ at: 1s, symbol: A, prcie: 5, size: 1 }]")
    #expect(output.contains("desk.test.yaml:4:42: a trade has no field 'prcie'; did you mean 'price'?"), "\(output)")
  }

  private func rows(_ input: String, _ lines: String = "until: 1s", count: Int = 1) throws -> String {
    folder.put(
      "configuration: desk.yaml\ntests:\n  - name: it\n    input: { live: \(input) }\n    \(lines)\n    expect: { kept: { count: \(count) } }\n",
      in: "desk.test.yaml")
    return try ProgramTests.run(["test"], in: URL(filePath: folder.path)).output
  }

  @Test func `what is not there is told at its place`() throws {
    let output = try test(
      """
      faults: [{ at: 1m, lives: stall, for: 1s }, { at: 1m, kpt: crash }]
      expect: { kept: { count: 11 } }
      """)
    #expect(
      output == """
        FAIL  it
              desk.test.yaml:5:24: no source 'lives' runs in the test; did you mean 'live'?
              desk.test.yaml:5:59: no component 'kpt' runs in the test; did you mean 'kept'?

        1 test, 1 failed

        """, "\(output)")
  }

  @Test func `mistakes of faults and expectations are told`() throws {
    folder.put(
      """
      configuration: desk.yaml
      tests:
        - name: it
          input: { live: { A: "10", every: 1m } }
          faults:
            - { at: 1m, live: stal, for: 1s }
            - { at: 1m, live: stall }
            - { live: crash }
            - { at: 1m, live: crash, for: 2s }
            - { at: 1m, disk: half, for: 2s }
            - { at: 1m, clock: soon }
            - crash
          expect:
            - { at: 1m, states: { live: runing }, ledger: { lost: none }, log: { a: b } }

      """, in: "desk.test.yaml")
    let result = try ProgramTests.run(["test"], in: URL(filePath: folder.path))
    #expect(
      result.errors == """
        desk.test.yaml:6:25: error: unknown fault 'stal'; did you mean 'stall'?
        desk.test.yaml:7:9: error: the fault has no 'for': how long it lasts, such as 20s
        desk.test.yaml:8:9: error: the fault has no 'at': the time since the start of the test, such as 3m
        desk.test.yaml:9:37: error: this fault has no 'for': it takes no time
        desk.test.yaml:10:25: error: 'disk' can be full, got 'half'
        desk.test.yaml:11:26: error: 'clock' must be how far it is set, such as 2h or -90s, got 'soon'
        desk.test.yaml:12:9: error: a fault is a mapping such as { at: 3m, trades: disconnect, for: 20s }, got 'crash'
        desk.test.yaml:14:35: error: there is no state 'runing'; did you mean 'running'?
        desk.test.yaml:14:61: error: 'lost' must be a whole number, got 'none'
        desk.test.yaml:14:74: error: 'log' is a list of texts that are in its lines, got a mapping
        10 problems; nothing was tested

        """, "\(result.errors)")
  }
}
