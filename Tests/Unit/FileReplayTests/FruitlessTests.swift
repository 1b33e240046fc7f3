import MarketData
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Testing

@testable import FileReplay

/// For a file that gives no event, a note says why.
@Suite struct FruitlessTests {
  private let folder = TemporaryFolder()

  private func report(_ text: String, _ options: String = "", name: String = "f.csv") async throws -> RunReport {
    folder.put(text, in: name)
    let harness = try PipelineHarness(
      """
      sources: { t: { plugin: file_replay, path: \(folder.file(name)), \(options) } }
      sinks: { end: { plugin: probe, inputs: [t] } }
      """, plugins: [.fileReplay, .probe])
    return await harness.run()
  }

  /// The notes of a run; the file has the name `f.csv`.
  private func notes(_ text: String, _ options: String = "") async throws -> [String] {
    try await report(text, options).ledger.notes.map { $0.text.replacing(folder.file("f.csv"), with: "f.csv") }
  }
  private let header = "symbol,time,price,size\n"

  @Test func `a file without rows is told`() async throws {
    #expect(try await notes("") == ["f.csv is empty"])
    #expect(try await notes(header) == ["f.csv has a header and no rows"])
    #expect(try await notes("\n\n") == ["f.csv has no rows"])
    #expect(try await notes("", "format: jsonl") == ["f.csv is empty"])
    #expect(try await notes("", "preset: binance") == ["f.csv is empty"])
    #expect(try await notes("wss://stream.binance.com <-> 1\n", "preset: binance") == ["f.csv has no message that becomes a trade"])
    #expect(
      try await notes("17 {\"news\":1}\n", "preset: binance")
        == ["f.csv has no trade: 1 message of an unknown kind, which no 'when' in the decoding fits"])
    #expect(try await notes(header + "A,1381239000,1,1\n") == [])
    #expect(try await notes("17 {}\n", "event: raw") == [])
  }

  @Test func `rows outside of from and until are counted, and where all are it is told where the file ends`() async throws {
    let rows = header + "A,2024-01-01,1,1\nA,2024-01-02,1,1\nA,2024-01-03,1,1\n"
    #expect(
      try await notes(rows, "from: '2025-01-01'") == [
        "f.csv sent no event: 3 rows, all before 'from' (2025-01-01T00:00:00Z), the last at 2024-01-03T00:00:00Z"
      ])
    #expect(
      try await notes(rows, "until: '2023-01-01'") == [
        "f.csv sent no event: 3 rows, all not before 'until' (2023-01-01T00:00:00Z), the last at 2024-01-03T00:00:00Z"
      ])
    #expect(try await notes(rows, "from: '2023-01-01', until: '2023-01-02'").first?.contains("3 rows, all outside of 'from'") == true)
    #expect(try await notes(rows, "from: '2024-01-02'") == [])
    func counter(_ options: String, _ text: String) async throws -> Int? {
      try await report(text, options).ledger.counters.first { $0.component == "t" && $0.name == "outside" }?.total
    }
    #expect(try await counter("from: '2024-01-02'", rows) == 1)
    #expect(try await counter("from: '2024-01-02', until: '2024-01-03', loops: 3", rows) == 6)
    #expect(try await counter("", rows) == nil)
    let capture = "10 {\"e\":\"trade\",\"s\":\"A\",\"t\":1,\"p\":\"1\",\"q\":\"1\",\"T\":99000,\"m\":true}\n"
    #expect(try await counter("preset: binance, from: '2024-01-02'", capture) == 1)
    #expect(
      try await notes(capture, "preset: binance, from: '2024-01-02'") == [
        "f.csv sent no event: 1 message, before 'from' (2024-01-02T00:00:00Z), the last at 1970-01-01T00:00:10Z"
      ])
    // A large file, read by several parsers.
    let many = header + String(repeating: "A,2024-01-01,1,100000000\n", count: 200_000)
    #expect(try await counter("from: '2024-01-02', parsers: 2", many) == 200_000)
    #expect(
      try await notes(many, "from: '2024-01-02', parsers: 2") == [
        "f.csv sent no event: 200000 rows, all before 'from' (2024-01-02T00:00:00Z), the last at 2024-01-01T00:00:00Z"
      ])
  }

  @Test func `a file of malformed rows is told with the first`() async throws {
    let wrong = "'time' is not a time in ISO-8601 or since the epoch: 'x'"
    #expect(
      try await notes(header + "A,x,1,1\nB,y,1,1\n") == ["f.csv has no valid trade: 2 malformed rows, the first on line 2: \(wrong)"])
    #expect(
      try await notes(header + "A,1381239000,1,1\nA,x,1,1\n", "from: '2025-01-01'") == [
        "f.csv has no valid trade: 1 row outside of 'from' and 'until', 1 malformed row, the first on line 3: \(wrong)"
      ])
    #expect(try await notes(header + "A,x,1,1\nB,1381239000,1,1\n") == [])
    let many = header + String(repeating: "A,x,1,\(String(repeating: "1", count: 400))\n", count: 12_000)
    #expect(
      try await notes(many, "parsers: 2") == ["f.csv has no valid trade: 12000 malformed rows, the first on line 2: \(wrong)"])
  }

  @Test func `each of several files is told`() async throws {
    for (name, text) in [("a", header), ("b", header + "A,1381239000,1,1\n"), ("c", "")] { folder.put(text, in: name) }
    let harness = try PipelineHarness(
      """
      sources: { t: { plugin: file_replay, format: csv, path: [\(["a", "b", "c"].map(folder.file).joined(separator: ", "))] } }
      sinks: { end: { plugin: probe, inputs: [t] } }
      """, plugins: [.fileReplay, .probe])
    let notes = await harness.run().ledger.notes.map(\.text)
    #expect(notes == ["\(folder.file("a")) has a header and no rows", "\(folder.file("c")) is empty"])
  }

  @Test func `a file without sizes is told once`() async throws {
    let looked = "looked for 'size', 'qty', 'quantity', 'volume', 'q', 'v'"
    let note = "f.csv has no size (\(looked)): it is 0 in every event; if the file has one, set 'columns: { size: ITS-NAME }'"
    #expect(try await notes("symbol,time,price,lots\nA,1381239000,1,1\nA,1381239001,1,1\n") == [note])
    #expect(try await notes("symbol,time,price,lots\nA,1381239000,1,1\n", "columns: { size: lots }") == [])
    #expect(try await notes("symbol,time,price,size\nA,1381239000,1,\n") == [])
    let row = "{\"symbol\":\"A\",\"time\":1381239000,\"price\":1}\n"
    #expect(try await notes(row + row + row) == [note])
    #expect(try await notes(row + row + "{\"symbol\":\"A\",\"time\":1381239000,\"price\":1,\"size\":1}\n" + row) == [])
    #expect(
      try await notes("symbol,time,bid,ask,bid_size\nA,1381239000,1,1,1\n", "event: quote") == [
        "f.csv has no ask_size (looked for 'ask_size', 'ask_qty', 'askSize', 'ask_sz', 'A'): it is 0 in every event; if the file has one, "
          + "set 'columns: { ask_size: ITS-NAME }'"
      ])
    let many = String(repeating: row, count: 120_000)
    #expect(try await notes(many, "parsers: 2") == [note])
    #expect(
      try await notes("symbol,time,price,lots\n" + String(repeating: "A,1381239000,1,1000000000\n", count: 200_000), "parsers: 2") == [note]
    )
    #expect(try await notes(many + "{\"symbol\":\"A\",\"time\":1381239000,\"price\":1,\"size\":1}\n", "parsers: 2") == [])
  }
}
