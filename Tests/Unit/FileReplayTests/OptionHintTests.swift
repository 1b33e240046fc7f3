import FileReplay
import StockbusPlugin
import StockbusTestKit
import Testing

/// The errors for typical mistakes in options say what to write instead.
@Suite struct OptionHintTests {
  private func problem(_ options: String) -> String {
    do {
      _ = try PipelineHarness(
        """
        sources: { p: { plugin: file_replay, path: /dev/null, \(options) } }
        sinks: { end: { plugin: probe, inputs: [p] } }
        """, plugins: [.fileReplay, .probe])
      return "valid"
    } catch { return "\(error)" }
  }

  @Test(
    arguments: [
      ("time: epoch", "; did you mean 's'?"), ("time: Milliseconds", "; did you mean 'ms'?"), ("time: ISO", "; did you mean 'iso8601'?"),
      (
        "time: yyyy-MM-ww",
        "; 'ww' is no part of a time; there are yyyy, MM, dd, HH, mm, ss, SSS, hh with a, MMM, EEE and X, and text in single quotes"
      ), ("time: YYYY-MM-DD", "; did you mean 'yyyy-MM-dd'?"),
      ("time: '%d.%m.%Y %H:%M:%S.%f'", "; did you mean 'dd.MM.yyyy HH:mm:ss.SSSSSS'?"),
      ("time: '%c'", "; patterns are written like MM/dd/yyyy HH:mm:ss.SSS"), ("time: MM/dd/yyyy", "valid"),
      ("time: HH:mm:ss", "times in 'HH:mm:ss' need a date: set 'date', such as 'date: 2013-10-08'"),
      ("time: xyzzyx", ", got 'xyzzyx'"),
      ("time: ns since midnight", "times in 'ns since midnight' need a date: set 'date', such as 'date: 2013-10-08'"),
      ("format: CSV", "; did you mean 'csv'?"), ("event: TRADE", "; did you mean 'trade'?"),
      ("zone: new_york", "unknown time zone 'new_york'; did you mean 'America/New_York'?"),
      ("zone: EST5", "unknown time zone 'EST5'; write a zone such as America/New_York, Europe/London or UTC"),
      ("speed: 60", "; write 60x"),
      ("speed: 1X", "; write 1x"), ("speed: realtime", "; did you mean '1x'?"), ("speed: fast", "; did you mean 'max'?"),
      ("loops: forever", "; did you mean 'endless'?"),
      ("columns: { price: '' }", "'columns': the column of 'price' is empty"),
      ("columns: { price: 0 }", "'columns': columns are counted from 1"),
      ("columns: { px: Last }", "'columns': trade has no field 'px'; did you mean 'price'?"),
      ("columns: { Last: price }", "'columns': trade has no field 'Last'; write 'price: Last', the field before its column"),
      ("format: jsonl, columns: { price: 'a[' }", "'columns': 'a[' is not a path; paths are written like data.p or tick[0].px"),
      ("symbols: [AAPL]", "'symbols' is for 'format: raw'; a watchlist_filter after it passes some symbols only"),
    ])
  func `a wrong value is told with what to write`(options: String, end: String) {
    let problem = problem(options)
    #expect(problem.hasSuffix(end), "\(problem)")
  }

  @Test func `what is written in another case is read where it can mean one thing only`() {
    #expect(problem("delimiter: TAB") == "valid")
  }
}
