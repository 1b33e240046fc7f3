import MarketData
import StockbusTestKit
import Testing

@testable import FileReplay

/// A file whose rows are malformed, all or most of the first ones, gives a warning before the run, which starts nevertheless.
@Suite struct DoubtTests {
  private let folder = TemporaryFolder()

  private func doubt(_ text: String, _ options: ReplayOptions = FileReplayTests.options(), size: Int = FileHead.size) -> String? {
    folder.put(text, in: "f")
    return FileHead.doubt(about: folder.file("f"), options, as: Trade.fields, event: "trade", size: size)
  }
  private let header = "symbol,time,price\n"
  private let wrong = "'time' is not a time in ISO-8601 or since the epoch: 'x'"

  @Test func `only where no row is an event`() {
    #expect(doubt(header + "A,x,1\nB,y,2\n") == "line 2: \(wrong); none of the 2 rows is a trade")
    #expect(doubt(header + "A,x,1\n") == "line 2: \(wrong); the only row is not a trade")
    #expect(doubt("{\"a\":1}\n[]\n")?.hasSuffix("; none of the 2 rows is a trade") == true)
    #expect(doubt(header + "A,1\n") == "line 2: 2 fields, but the header has 3; the only row is not a trade")
    for text in [
      "", "\n", header, header + "A,x,1\nB,1,2\n", header + "A,1,2\nB,x,2\n", "{\"symbol\":\"A\",\"time\":1,\"price\":1}\n", "a,b\n1,2\n",
    ] {
      #expect(doubt(text) == nil, "\(text)")
    }
    #expect(doubt("x\n", options { $0.format = .raw }) == nil)
    #expect(FileHead.doubt(about: folder.file("gone"), .init(), as: Trade.fields, event: "trade") == nil)
    #expect(FileHead.doubt(about: "/dev/zero", .init(), as: Trade.fields, event: "trade") == nil)
  }

  @Test func `also where most of the first ten rows are none`() {
    let (good, bad) = ("A,1,2\n", "B,x,2\n")
    #expect(doubt(header + good + bad + bad) == "line 3: \(wrong); 2 of the first 3 rows are no trade")
    let rows = String(repeating: good, count: 4) + String(repeating: bad, count: 6)
    #expect(doubt(header + rows + rows) == "line 6: \(wrong); 6 of the first 10 rows are no trade")
    #expect(doubt(header + good + rows) == nil)
    #expect(doubt(header + String(repeating: good, count: 10) + rows + rows) == nil)
  }

  @Test func `a zone without summer time is doubted where New York is probably meant`() {
    #expect(FileHead.doubt(aboutZone: "EST") == "whose zone EST has no summer time; where clocks change write America/New_York")
    #expect(FileHead.doubt(aboutZone: "America/New_York") == nil)
  }

  @Test func `times in another unit than the option says are doubted before the run`() {
    let rows = "symbol,time,price\nA,1723161600,1\n"
    #expect(
      doubt(rows, options { $0.time = TimeForm(.milliseconds) })
        == "in ms its times are such as 1970-01-20T22:39:21.600Z; write 'time: s' if they are in s")
    #expect(doubt(rows, options { $0.time = TimeForm(.seconds) }) == nil)
    // 1972 in milliseconds, and no time of these years in another unit.
    #expect(doubt("symbol,time,price\nA,70000000000,1\n", options { $0.time = TimeForm(.milliseconds) }) == nil)
  }

  @Test func `a row that is cut off is not judged, and what is behind the beginning is not known`() {
    let rows = header + "A,x,1\nB,y,2\n"
    // The third line is complete with its line end, or at the end of the file.
    #expect(doubt(rows, size: 29) == "line 2: \(wrong); the only row of the first 0 KiB is not a trade")
    #expect(doubt(header + "A,x,1\nB,1,2", size: 28) != nil)
    #expect(doubt(header + "A,x,1\nB,1,2") == nil)
    let long = header + String(repeating: "A,x,1\n", count: 4000)
    #expect(doubt(long)?.hasSuffix("; none of the 2727 rows of the first 16 KiB is a trade") == true)
    #expect(doubt(header + "A,x,1\nB,\"1", size: 27) != nil)
  }

  @Test func `a look makes no symbol, and any zone will do for it`() throws {
    let name = "DOUBTED-ONLY"
    let harness = try PipelineHarness(
      """
      sources: { t: { plugin: file_replay, path: \(file("\(name),2024-01-01 10:00:00,1\n")), zone: America/New_York } }
      sinks: { end: { plugin: probe, inputs: [t] } }
      """, plugins: [.fileReplay, .probe])
    #expect(harness.topology.warnings == [])
    let intake = SymbolIntake(limit: 1)
    #expect(throws: Never.self) { try Array(name.utf8).withUnsafeBufferPointer { _ = try intake.symbol(utf8: $0) } }
    // The symbol would be in the table if the check had used it.
    #expect(intake.count == 1)
    #expect(doubt(header + "A\"B,1,1\n") != nil)
  }

  private func file(_ rows: String) -> String {
    folder.put(header + rows, in: "f.csv")
    return folder.file("f.csv")
  }

  @Test func `it is a warning at the path's place`() async throws {
    let path = file("A,x,1\n")
    let harness = try PipelineHarness(
      "sources: { t: { plugin: file_replay, path: \(path) } }\nsinks: { end: { plugin: probe, inputs: [t] } }\n",
      plugins: [.fileReplay, .probe])
    #expect(
      harness.topology.warnings == [
        "plugins.yaml:1:44: warning: source 't': 'path[0]': '\(path)', line 2: \(wrong); the only row is not a trade"
      ])
    #expect(await harness.run().exitStatus == 0)
  }
}
