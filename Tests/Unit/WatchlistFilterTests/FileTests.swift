import Glibc
import StockbusTestKit
import Testing
import WatchlistFilter

@Suite(.timeLimit(.minutes(15))) struct FileTests {
  let folder = TemporaryFolder()

  private func pass(_ text: String, _ symbols: [Symbol], more: String = "") async throws -> [String] {
    folder.put(text, in: "list.txt")
    return try await WatchlistFilterTests.pass("file: \(folder.file("list.txt"))\(more)", symbols)
  }

  @Test func `a file lists symbols, with comments, blank lines and any line ends`() async throws {
    let text = "\u{feff}# mine\nAAPL\r\n\r\n  NVDA  # chips\n#TSLA\nBRK.*"
    #expect(try await pass(text, ["AAPL", "TSLA", "NVDA", "BRK.B", "MSFT"]) == ["AAPL", "NVDA", "BRK.B"])
  }

  @Test func `symbols and file add up`() async throws {
    #expect(try await pass("NVDA\n", ["AAPL", "TSLA", "NVDA"], more: "\nsymbols: [TSLA]") == ["TSLA", "NVDA"])
  }

  @Test func `mistakes are located`() async throws {
    func message(_ text: String) async -> String {
      do { _ = try await pass(text, []) } catch { return "\(error)".replacingPath(folder.path) }
      return "none"
    }
    #expect(
      await message("AAPL\n\nB,C # two\n")
        == "F/list.txt:3: 'B,C': a symbol cannot contain control characters, quotation marks, backslashes or commas")
    #expect(await message("# long\n" + String(repeating: "A", count: 65)).hasPrefix("F/list.txt:2: 'AAAA"))
    folder.remove("list.txt")
    await #expect {
      _ = try await WatchlistFilterTests.pass("file: \(folder.file("none.txt"))", [])
    } throws: { "\($0)" == "\(folder.path)/none.txt: No such file or directory" }
    await #expect {
      _ = try await WatchlistFilterTests.pass("file: \(folder.path)", [])
    } throws: { "\($0)" == "\(folder.path): Is a directory" }
  }

  @Test func `bytes that are no text are refused`() async throws {
    folder.put("AAPL\n", in: "list.txt")
    folder.put([65, 0xff, 10], in: "bad.txt")
    await #expect {
      _ = try await WatchlistFilterTests.pass("file: \(folder.file("bad.txt"))", [])
    } throws: { "\($0)" == "\(folder.file("bad.txt")): not UTF-8" }
  }

  @Test func `a list may come through a pipe`() async throws {
    let path = folder.file("pipe")
    mkfifo(path, 0o600)
    // The writer waits in its own process until the pipe is opened for reading.
    #expect(system("(printf 'AAPL\\nNVDA\\n' > '\(path)') &") == 0)
    let harness = PluginHarness()
    let running = try harness.start(Plugin.watchlistFilter, options: "file: \(path)", taking: Trade.self, emitting: Trade.self)
    try await running.send([trade("AAPL"), trade("MSFT"), trade("NVDA")])
    #expect(await running.output(count: 2).map(\.symbol) == ["AAPL", "NVDA"])
    try await running.stop()
  }

  @Test func `a run that waits for a list from a pipe can be cut off`() async throws {
    let path = folder.file("pipe")
    mkfifo(path, 0o600)
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: five } }
      processors: { mine: { plugin: watchlist_filter, inputs: [ticks], file: \(path) } }
      sinks: { end: { plugin: forget, inputs: [mine] } }
      """, plugins: [.watchlistFilter, .five, .forget])
    async let report = harness.run()
    harness.pipeline.abort()
    #expect(await report.exitStatus == 1)
  }

  @Test func `the file is followed; one that is gone or wrong leaves the list as it was`() async throws {
    folder.put("AAPL\n", in: "list.txt")
    let harness = PluginHarness()
    let running = try harness.start(
      Plugin.watchlistFilter, options: "{ file: \(folder.file("list.txt")), check: 5s }", taking: Trade.self, emitting: Trade.self)
    let clock = harness.clock
    /// Lets the filter read the file; returns what passes then. TSLA comes last and always passes one of the filters.
    func look() async throws {
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(5))
      // When it sleeps again, it has checked the file.
      await clock.waitForSleepers(1)
    }
    try await running.send([trade("AAPL"), trade("NVDA")])
    #expect(await running.output(count: 1).map(\.symbol) == ["AAPL"])

    folder.put("NVDA\n", in: "list.txt")
    // The file has not been checked yet.
    try await running.send([trade("NVDA"), trade("AAPL")])
    #expect(await running.output(count: 2).map(\.symbol) == ["AAPL", "AAPL"])
    try await look()
    try await running.send([trade("AAPL"), trade("NVDA")])
    #expect(await running.output(count: 3).map(\.symbol) == ["AAPL", "AAPL", "NVDA"])

    folder.remove("list.txt")
    try await look()
    try await running.send([trade("AAPL"), trade("NVDA")])
    #expect(await running.output(count: 4).last?.symbol == "NVDA")

    folder.put("MSFT\nA,B\n", in: "list.txt")
    try await look()
    try await running.send([trade("MSFT"), trade("NVDA")])
    #expect(await running.output(count: 5).last?.symbol == "NVDA")

    folder.put("MSFT\n", in: "list.txt")
    try await look()
    // Unchanged: not read again.
    try await look()
    try await running.send([trade("NVDA"), trade("MSFT")])
    #expect(await running.output(count: 6).last?.symbol == "MSFT")
    try await running.stop()
    #expect(running.output.count == 6)
    #expect(harness.counter("reloads") == 3)
    #expect(
      harness.log.texts(.warning).map { $0.replacingPath(folder.path) } == [
        "warning plugin: F/list.txt: No such file or directory; the watchlist is unchanged",
        "warning plugin: F/list.txt:2: 'A,B': a symbol cannot contain control characters, quotation marks, backslashes or commas; "
          + "the watchlist is unchanged",
      ])
  }
}

extension String {
  /// Without the folder of this run.
  func replacingPath(_ path: String) -> String { split(separator: path, omittingEmptySubsequences: false).joined(separator: "F") }
}
