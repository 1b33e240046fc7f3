import Foundation
import StockbusTestKit
import Testing

/// `test`: what a configuration makes of inputs.
@Suite(.enabled(if: ProgramTests.program != nil, "the program was not built")) struct TestCommandTests {
  private let folder = TemporaryFolder()

  init() throws {
    folder.put(
      """
      sources:
        live: { plugin: generator, symbols: [A, B] }
      processors:
        minutes: { plugin: bars, inputs: [live], lengths: [1m] }
      sinks:
        desk:
          plugin: notification_dispatcher
          inputs: [live]
          rules: [{ name: high, above: 100 }, { name: silent, symbols: [A], silent_for: 30s }]
          channels: [{ file: { path: alerts.log } }]
        ends: { plugin: file_writer, inputs: [minutes], path: minutes.csv }

      """, in: "desk.yaml")
  }

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try ProgramTests.run(["test"] + arguments, in: URL(filePath: folder.path))
  }

  @Test func `what components give is compared with what is expected, and nothing is written`() throws {
    folder.put(
      """
      configuration: desk.yaml
      tests:
        - name: above 100
          start: 2026-03-02T14:30:00Z
          # 99, 100, 101, 102: above 100 from the third on.
          input: { live: { A: "99 +1x3", every: 10s } }
          expect:
            desk: [{ at: 20s, rule: high, symbol: A, price: 101.00 }]
            minutes: { count: 1 }
        - name: silent
          input: { live: [{ at: 0s, symbol: A, price: 1, size: 2 }, { at: 5s, symbol: A, price: 3, size: 4 }, { at: 1m, symbol: B, price: 1, size: 1 }] }
          expect:
            desk: [{ at: 35s, rule: silent }]
            minutes: { contains: [{ at: 0s, symbol: A, open: 1, high: 3, volume: 6 }] }

      """, in: "desk.test.yaml")
    let before = folder.names
    let result = try run()
    #expect(result.status == 0 && result.errors == "", "\(result)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("ok    above 100 (") && lines[1].hasPrefix("ok    silent ("))
    #expect(lines[2] == "2 tests, all passed")
    #expect(folder.names == before)
    #expect(try run("--only", "sil", "desk.test.yaml").output.hasSuffix("1 test, all passed\n"))
    #expect(try run("--only", "none").status == 64)
    let xml = try run("--format", "junit").output
    #expect(
      xml.contains("<testsuite name=\"desk.test.yaml\" tests=\"2\" failures=\"0\">") && xml.contains("name=\"above 100\""), "\(xml)")
  }

  @Test func `what did not come is told beside what is most like it`() throws {
    folder.put(
      """
      configuration: desk.yaml
      tests:
        - name: near
          input: { live: { A: "99 +1x3", every: 10s } }
          expect: { desk: [{ at: 1h, rule: low }, { at: 10s, rule: high }] }

      """, in: "near.test.yaml")
    let near = try run("near.test.yaml").output
    #expect(near.contains("near.test.yaml:5:22: desk did not give { at: 1h, rule: low }"), "\(near)")
    #expect(near.contains("near.test.yaml:5:45: desk gave { at: 20s, rule: high }, not { at: 10s, rule: high }"), "\(near)")
    folder.put("configuration: none.yaml\ntests: []\n", in: "none.test.yaml")
    let none = try run("none.test.yaml")
    #expect(none.errors.hasPrefix("none.test.yaml:1:16: error: 'configuration': there is no file 'none.yaml' beside this one\n"), "\(none)")
  }

  @Test func `a failure says at its line what came`() throws {
    folder.put(
      """
      configuration: desk.yaml
      tests:
        - name: wrong
          input: { live: { A: "99 +1x3", every: 10s } }
          expect:
            desk: [{ at: 10s, rule: high }, { at: 1h, rule: low }]
            minutes: { count: 2 }
        - name: more
          input: { live: { A: "99 101", every: 10s } }
          expect: { desk: [] }
        - name: unknown
          input: { live: { A: "99 101", every: 10s } }
          expect: { dsk: [] }
        - name: no input
          input: { lives: { A: "99 101", every: 10s } }
          expect: { desk: [] }

      """, in: "desk.test.yaml")
    let result = try run("desk.test.yaml")
    #expect(result.status == 1 && result.errors == "")
    #expect(
      result.output == """
        FAIL  wrong
              desk.test.yaml:6:14: desk gave { at: 20s, rule: high }, not { at: 10s, rule: high }
              desk.test.yaml:6:39: desk did not give { at: 1h, rule: low }
              desk.test.yaml:7:7: minutes gave 1 event, not 2; it gave { at: 0s, symbol: A, length: 1m, open: 99, high: 102, low: 99, close: 102, \
        volume: 4, vwap: 100.5, turnover: 402, count: 4, session: unknown, status: partial, revision: 0 }
        FAIL  more
              desk.test.yaml:10:15: desk also gave { at: 10s, symbol: A, price: 101, rule: high, message: "A is above 100: 101", status: firing }
        FAIL  unknown
              desk.test.yaml:13:15: the configuration has no component 'dsk'; did you mean 'desk'?
        FAIL  no input
              desk.test.yaml:14:5: there is no source 'lives'; did you mean 'live'?

        4 tests, 4 failed

        """)
  }

  @Test func `what came is written, and then all is well`() throws {
    folder.put(
      """
      configuration: desk.yaml
      tests:
        - name: wrong # as yet
          input: { live: { A: "99 +1x3", every: 10s } }
          expect:
            desk: [{ at: 10s, rule: low }]
            minutes: { count: 2 }
            ledger: { dead_letters: 7 }

      """, in: "desk.test.yaml")
    let updated = try run("--update")
    #expect(updated.status == 1 && updated.errors == "wrote 'desk.test.yaml': what came, in 3 places\n", "\(updated.errors)")
    #expect(
      folder.content("desk.test.yaml") == """
        configuration: desk.yaml
        tests:
          - name: wrong # as yet
            input: { live: { A: "99 +1x3", every: 10s } }
            expect:
              desk: [{ at: 20s, rule: high }]
              minutes: { count: 1 }
              ledger: { dead_letters: 0 }

        """)
    #expect(try run("--update").status == 0)
  }

  @Test func `what is wrong with a file of tests is told at once`() throws {
    folder.put(
      """
      configuratoin: desk.yaml
      tests:
        - name: a
          inputs: { live: { A: "100", every: 1m } }
          expect: { desk: [{ at: soon, rule: high }], minutes: { count: some } }
        - name: a
          start: yesterday
          input: { live: { A: "100 up", every: 1m } }
          expect: { desk: [high] }

      """, in: "desk.test.yaml")
    let result = try run("desk.test.yaml")
    #expect(result.status == 78 && result.output == "")
    #expect(
      result.errors == """
        desk.test.yaml:1:1: error: unknown key 'configuratoin'; did you mean 'configuration'?
        desk.test.yaml:1:1: error: 'configuration' is missing: the file that is tested
        desk.test.yaml:3:5: error: 'input' must be a mapping: the sources, each with what it gives
        desk.test.yaml:4:5: error: unknown key 'inputs'; did you mean 'input'?
        desk.test.yaml:5:28: error: 'at' must be the time since the start of the test, such as 5m or 1.5s, got 'soon'
        desk.test.yaml:5:67: error: 'count' must be a whole number, got 'some'
        desk.test.yaml:6:5: error: two tests have the name 'a'
        desk.test.yaml:7:12: error: 'start' must be a time such as 2026-03-02T14:30:00Z, got 'yesterday'
        desk.test.yaml:8:25: error: 'A': prices are written as numbers, and steps that are repeated, such as "100 -0.10x60 +0.30x40"
        desk.test.yaml:9:22: error: an event is a mapping such as { at: 5m, symbol: AAPL }, got 'high'
        10 problems; nothing was tested

        """)
  }

  @Test func `a symbol that the source does not have is a mistake of the test`() throws {
    folder.put(
      """
      configuration: desk.yaml
      tests:
        - name: rows
          input: { live: [{ at: 0s, symbol: XYZ, price: 1, size: 2 }, { at: 1s, symbol: XYZ, price: 1, size: 2 }] }
          expect: { desk: [] }
        - name: prices
          input: { live: { AB: "99", every: 10s } }
          expect: { desk: [] }
        - name: a file
          input: { live: rows.csv }
          expect: { minutes: { count: 1 } }

      """, in: "desk.test.yaml")
    folder.put("time,symbol,price,size\n2024-01-02T14:30:00Z,A,100,10\n2024-01-02T14:30:01Z,C,100,10\n", in: "rows.csv")
    let output = try run().output
    #expect(output.contains("desk.test.yaml:4:39: source 'live' has no symbol 'XYZ'; it has A and B\n"), "\(output)")
    #expect(output.contains("desk.test.yaml:7:22: source 'live' has no symbol 'AB'; did you mean 'A'?\n"), "\(output)")
    #expect(output.contains("ok    a file") && output.contains("3 tests, 2 failed"), "\(output)")
  }
}
