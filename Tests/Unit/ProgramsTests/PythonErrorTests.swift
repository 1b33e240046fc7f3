import Programs
import StockbusTestKit
import Testing

@testable import struct Programs.PythonError

/// What is logged of Python's exceptions.
@Suite(.timeLimit(.minutes(15))) struct PythonErrorTests {
  private func told(_ text: String) -> [String] {
    var error = PythonError()
    return text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { error.take(String($0)) }
  }

  private static let plain = """
    before
    Traceback (most recent call last):
      File "/desk/cheap.py", line 40, in <module>
        main()
      File "/desk/cheap.py", line 12, in main
        price = event["prize"]
                ~~~~~^^^^^^^^^
    KeyError: 'prize'
    after
    """

  @Test func `an exception is one line with its file and line`() {
    #expect(told(Self.plain) == ["before", "cheap.py:12: KeyError: 'prize'", "after"])
  }

  @Test func `the place is the author's, not Python's own`() {
    let text = """
      Traceback (most recent call last):
        File "/desk/cheap.py", line 7, in read
          json.loads(line)
        File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
          raise JSONDecodeError("Expecting value", s, err.value) from None
      json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
      """
    #expect(told(text) == ["cheap.py:7: json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"])
  }

  @Test func `a syntax error is one line too`() {
    let text = """
        File "/desk/cheap.py", line 3
          def f(:
                ^
      SyntaxError: invalid syntax
      """
    #expect(told(text) == ["cheap.py:3: SyntaxError: invalid syntax"])
  }

  @Test func `of a chain each exception is a line`() {
    let text = """
      Traceback (most recent call last):
        File "a.py", line 1, in f
          1 / 0
      ZeroDivisionError: division by zero

      During handling of the above exception, another exception occurred:

      Traceback (most recent call last):
        File "a.py", line 3, in g
          f()
      ValueError: no
      """
    #expect(told(text) == ["a.py:1: ZeroDivisionError: division by zero", "", "", "a.py:3: ValueError: no"])
  }

  @Test func `other lines stay as they are, and a traceback without an end holds nothing back for ever`() {
    #expect(told("  indented\nFile \"x\"\n") == ["  indented", "File \"x\"", ""])
    let endless = "Traceback (most recent call last):\n" + String(repeating: "  a\n", count: 500)
    #expect(told(endless).count > 200)
  }

  @Test func `a program's exception is one line of the log, and the reason of its end`() async throws {
    let (scripts, harness) = (Scripts(), PluginHarness())
    let lines = Self.plain.split(separator: "\n").dropFirst().dropLast().map { "echo '\($0.replacing("'", with: "'\\''"))' >&2" }
    let script = scripts.program(events: lines.joined(separator: "; ") + "; exit 1")
    do {
      let _: [Trade] = try await harness.output(
        of: Plugin.programProcessor, options: scripts.options(script), inputs: [trades(3)])
      Issue.record("nothing is wrong")
    } catch { #expect("\(error)" == "the program ended with status 1: cheap.py:12: KeyError: 'prize'") }
    #expect(harness.log.texts(.notice) == ["notice plugin: cheap.py:12: KeyError: 'prize'"])
  }
}
