import StockbusPlugin
import Testing

@testable import StockbusProgram
@testable import StockbusRuntime

/// The report at the end of a run.
@Suite struct ReportTests {
  private func report(
    _ outcomes: KeyValuePairs<String, RunReport.Fate.Outcome> = ["ticks": .completed, "end": .completed], events: Int = 10,
    seconds: Double = 0.5, late: [String] = [], delivered: Int = 10, lost: Int = 0
  ) -> RunReport {
    var counts = EdgeCounts()
    counts.published = 10
    counts.delivered = delivered
    let ledger = Ledger(
      edges: [.init(from: "ticks", to: "end", counts: counts)],
      counters: lost == 0 ? [] : [.init(component: "end", name: Ledger.lost, total: lost)])
    return RunReport(
      fates: outcomes.map { .init(id: $0, lives: 6, outcome: $1) }, ledger: ledger, late: late, events: events,
      duration: .milliseconds(Int(seconds * 1000)))
  }

  @Test func `a run that went well ends with its events, its time and its rate`() {
    #expect(
      report().text(isQuiet: false, isLenient: false) == """
        edge         in  delivered
        ticks → end  10         10
        total        10         10
        balanced: every event is accounted for
        10 events in 0.50 s: 20/s
        """)
    #expect(report().text(isQuiet: true, isLenient: false) == "")
  }

  @Test(
    arguments: [
      (10_400_000, 0.32, "10,400,000 events in 0.32 s: 32.5 M/s"), (1, 0.004, "1 event in 0.00 s: 250/s"), (0, 1, "0 events in 1.00 s"),
      (7, 0, "7 events in 0.00 s"), (999_950, 1, "999,950 events in 1.00 s: 1.0 M/s"), (1_500, 1, "1,500 events in 1.00 s: 1.5 k/s"),
      (100, 59.96, "100 events in 60.0 s: 1.7/s"), (100, 125, "100 events in 2 min 5 s: 0.8/s"),
      (5_000_000_000, 1, "5,000,000,000 events in 1.00 s: 5.0 G/s"), (60, 7_380, "60 events in 2 h 3 min: 0.0/s"),
    ] as [(Int, Double, String)])
  func `time and rate`(events: Int, seconds: Double, line: String) { #expect(report(events: events, seconds: seconds).speed == line) }

  @Test func `the last line of a run that failed says so, and why`() {
    let one = report(["ticks": .completed, "end": .failed("out.csv: no such folder")])
    #expect(
      one.text(isQuiet: false, isLenient: false) == """
        edge         in  delivered
        ticks → end  10         10
        total        10         10
        10 events in 0.50 s: 20/s
        FAILED: end failed for good after 6 attempts: out.csv: no such folder
        """)
    #expect(one.text(isQuiet: true, isLenient: false) == "FAILED: end failed for good after 6 attempts: out.csv: no such folder")
    #expect(
      report(["a": .failed("x"), "b": .failed("y\u{1b}[2J"), "c": .cancelled], late: ["c"], delivered: 9, lost: 2).text(
        isQuiet: true, isLenient: false)
          == """
          a failed for good after 6 attempts: x
          b failed for good after 6 attempts: y\\u{1b}[2J
          c was cut off
          not drained in time: c
          events lost: 2, counted as LOST in the ledger
          NOT BALANCED: events are unaccounted for
          FAILED: 2 of 3 components failed for good, 1 of 3 components was cut off, 1 not drained in time, 2 events lost, events are \
          unaccounted for
          """)
    let changed = RunReport(
      fates: [
        .init(id: "a", lives: 12, outcome: .failed("x"), components: 2), .init(id: "a", lives: 4, outcome: .cancelled, components: 3),
        .init(id: "b", lives: 1, outcome: .completed),
      ], ledger: report().ledger, late: [])
    #expect(
      changed.text(isQuiet: true, isLenient: false) == """
        a failed for good 2 times after 12 attempts: x
        a was cut off 3 times
        FAILED: 2 of 6 components failed for good, 3 of 6 components were cut off
        """, "changes of the run have put others in their places")
    #expect(report(lost: 1).text(isQuiet: true, isLenient: false) == "FAILED: events lost: 1, counted as LOST in the ledger")
  }
}
