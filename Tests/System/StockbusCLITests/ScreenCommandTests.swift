import Foundation
import Testing

/// `open`, `watch` and `run --open` without a terminal.
@Suite struct ScreenCommandTests {
  private func run(_ arguments: String..., in folder: URL = ProgramTests.fixtures) throws -> (status: Int32, output: String, errors: String)
  {
    try ProgramTests.run(arguments, in: folder)
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `a link that is none, and a configuration without a viewer, are wrong usage`() throws {
    #expect(try run("open", "http://symbol/AAPL", "cli/right.yaml").status == 64)
    #expect(try run("run", "--open", "stocks://", "cli/right.yaml").status == 64)
    let result = try run("open", "AAPL", "cli/right.yaml")
    #expect(result.status == 64)
    #expect(result.errors.contains("there is no page to open: the configuration has no console_viewer"))
    #expect(try run("watch", "plugins.yaml").errors.contains("name at least one symbol"))
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `watch leaves the other sinks out and shows what a configuration has`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = """
      sources: { ticks: { plugin: generator, symbols: [AAPL, NVDA], count: 4, interval: 1ms, seed: 1 } }
      processors: { ranked: { plugin: sorting_feed, inputs: [ticks] } }
      sinks: { file: { plugin: file_writer, inputs: [ranked], path: out.jsonl } }
      """
    try Data(text.utf8).write(to: folder.appending(path: "desk.yaml"))
    let result = try run("watch", "AAPL", "desk.yaml", in: folder)
    #expect(result.status == 0)
    // The prices of the other symbol are not shown.
    #expect(result.output.split(separator: "\n").count == 2)
    #expect(result.output.split(separator: "\n").allSatisfy { $0.contains(" AAPL ") })
    #expect(result.errors.contains("ranked → screen"))
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out.jsonl").path))
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `watch prints the symbols that are named and no others, and says who never came`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("time,symbol,price\n2013-10-08,AAPL,1\n2013-10-08,NVDA,2\n2013-10-08,TSLA,3\n2013-10-08,NVDA,4\n".utf8)
      .write(to: folder.appending(path: "t.csv"))
    for inputs in ["[prices]", "[ranked]"] {
      let text = """
        sources: { prices: { plugin: file_replay, path: t.csv } }
        processors: { ranked: { plugin: sorting_feed, inputs: [prices] } }
        sinks:
          screen: { plugin: console_viewer, inputs: \(inputs), watch: [TSLA] }
          rest: { plugin: null_sink, inputs: [ranked] }

        """
      try Data(text.utf8).write(to: folder.appending(path: "plugins.yaml"))
      let watched = try run("watch", "NVDA", "stocks://symbol/aapl", in: folder)
      #expect(watched.status == 0)
      let lines = watched.output.split(separator: "\n")
      #expect(lines.count == 2 && lines.allSatisfy { $0.contains(" NVDA ") })
      #expect(watched.errors.contains("screen: 'aapl' never came; did you mean 'AAPL'?"))
      #expect(watched.errors.contains("screen: events 2, "))
      // The option does the same in a configuration.
      let ran = try run("run", in: folder)
      #expect(ran.output.split(separator: "\n").count == 1 && ran.output.contains(" TSLA "))
    }
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `a file or a configuration in a symbol's place is called so`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "open-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "desks"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["t.csv", "desks/BRK.B"] { try Data().write(to: folder.appending(path: name)) }
    for words in [["open", "t.csv"], ["watch", "t.csv"], ["watch", "AAPL", "t.csv"], ["run", "--open", "t.csv"], ["open", "gone.csv"]] {
      let result = try ProgramTests.run(words, in: folder)
      #expect(result.status == 64)
      #expect(result.errors.contains("'\(words.last ?? "")' is a file, not a symbol; to replay it, write 'sources: { prices: "))
    }
    for words in [["open", "A*"], ["watch", "AAPL", "N*"]] {
      let result = try ProgramTests.run(words, in: folder)
      #expect(result.status == 64 && result.errors.contains("'\(words.last ?? "")' is a pattern; name the symbols one by one"))
    }
    #expect(try run("open", "desks/BRK.B", in: folder).errors.contains("a symbol of this name is stocks://symbol/desks%2FBRK.B"))
    for words in [["open", "desk.yaml"], ["open", "./desks"], ["run", "--open", "desk.yml"]] {
      let result = try ProgramTests.run(words, in: folder)
      #expect(result.status == 64)
      #expect(result.errors.contains("is a configuration, not a symbol; the symbol comes before it, as in 'AAPL \(words.last ?? "")'"))
    }
    // These are taken as symbols, and the configuration is missing.
    for symbol in ["BRK.B", "EUR/USD", "t", "stocks://symbol/t.csv"] {
      #expect(try run("open", symbol, "gone.yaml", in: folder).status == 78)
    }
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `symbols that no source has are warned of at their place, where the sources know theirs`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = """
      sources: { ticks: { plugin: generator, symbols: [AAPL, NVDA], count: 4, interval: 1ms, seed: 1 } }
      processors:
        mine: { plugin: watchlist_filter, inputs: [ticks], symbols: [NVDA, APPL, "N*", "X*"] }
        dear: { plugin: filter, inputs: [mine], where: "price > 1 and symbol in [nvda, AAPL]" }
      sinks:
        screen: { plugin: console_viewer, inputs: [dear], watchlists: { tech: [AAPL, NVDAA], dear: NVDA } }
        alerts: { plugin: notification_dispatcher, inputs: [ticks], rules: [{ symbol: APPL, above: 1 }, { symbols: [NVDA, nvda], above: 2 }] }

      """
    try Data(text.utf8).write(to: folder.appending(path: "desk.yaml"))
    let warnings = """
      desk.yaml:3:70: warning: mine: no source has 'APPL'; did you mean 'AAPL'?
      desk.yaml:3:82: warning: mine: no source has 'X*'
      desk.yaml:4:50: warning: dear: no source has 'nvda'; did you mean 'NVDA'?
      desk.yaml:6:80: warning: screen: no source has 'NVDAA'; did you mean 'NVDA'?
      desk.yaml:7:81: warning: alerts: no source has 'APPL'; did you mean 'AAPL'?
      desk.yaml:7:117: warning: alerts: no source has 'nvda'; did you mean 'NVDA'?

      """
    let result = try run("validate", "desk.yaml", in: folder)
    #expect(result.status == 0)
    #expect(result.errors == warnings)
    #expect(result.output == "valid: 5 components, 4 edges\n")
    let watched = try run("watch", "aapl", "NVDA", "desk.yaml", in: folder)
    #expect(watched.status == 0)
    #expect(watched.errors.hasPrefix("warning: no source has 'aapl'; did you mean 'AAPL'?\n"))
    for words in [["open", "aapl", "desk.yaml"], ["run", "--open", "stocks://symbol/aapl", "desk.yaml"]] {
      let opened = try ProgramTests.run(words, in: folder)
      #expect(opened.status == 0)
      #expect(opened.errors.contains("\nwarning: no source has 'aapl'; did you mean 'AAPL'?\n"))
    }
    // With a replay the missing symbols are known only at the end.
    let replay =
      "sources: { old: { plugin: file_replay, path: a.csv } }\nprocessors: { mine: { plugin: watchlist_filter, inputs: [old], symbols: [X] } }\n"
      + "sinks: { end: { plugin: null_sink, inputs: [mine] } }\n"
    try Data(replay.utf8).write(to: folder.appending(path: "replay.yaml"))
    try Data("symbol,price,time\n".utf8).write(to: folder.appending(path: "a.csv"))
    #expect(try run("validate", "replay.yaml", in: folder).errors == "")
  }
}
