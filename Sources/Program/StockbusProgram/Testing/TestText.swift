import StockbusConfig
import StockbusPlugin

/// The results of tests as text.
enum TestText {
  /// `ok    golden cross fires once (12 ms)`, or `FAIL` with what is wrong below.
  static func lines(_ run: TestRun) -> [String] {
    let name = visible(run.test.name, limit: 200)
    let trace = run.trace.map { "      \(visible($0, limit: 1000))" }
    if run.faults.isEmpty { return ["ok    \(name) (\(run.time.roughText))"] + trace }
    return ["FAIL  \(name)"] + trace + run.faults.map { "      \($0.mark.place): \(visible($0.message, limit: 2000))" }
  }

  /// `3 tests, 1 failed`.
  static func summary(_ runs: [TestRun]) -> String {
    let failed = runs.count { !$0.faults.isEmpty }
    return "\(runs.count) \(runs.count == 1 ? "test" : "tests"), \(failed == 0 ? "all passed" : "\(failed) failed")"
  }

  /// XML as CI systems read it (the format of JUnit's Ant task).
  static func junit(_ files: [(path: String, runs: [TestRun])]) -> String {
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>"]
    for (path, runs) in files {
      let failed = runs.count { !$0.faults.isEmpty }
      lines.append("  <testsuite name=\"\(escaped(path))\" tests=\"\(runs.count)\" failures=\"\(failed)\">")
      for run in runs {
        let seconds = Double(run.time.wholeNanoseconds) / 1e9
        let head = "    <testcase classname=\"\(escaped(path))\" name=\"\(escaped(run.test.name))\" time=\"\(seconds)\""
        if run.faults.isEmpty {
          lines.append(head + "/>")
        } else {
          let text = run.faults.map { "\($0.mark.place): \($0.message)" }.joined(separator: "\n")
          lines += [
            head + ">", "      <failure message=\"\(escaped(run.faults[0].message))\">\(escaped(text))</failure>", "    </testcase>",
          ]
        }
      }
      lines.append("  </testsuite>")
    }
    return (lines + ["</testsuites>"]).joined(separator: "\n")
  }

  private static func escaped(_ text: String) -> String {
    let plain = text.split(separator: "\n", omittingEmptySubsequences: false).map { visible(String($0), limit: 4000) }.joined(
      separator: "\n")
    return plain.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }
}
