import Foundation
import Testing

/// The messages for typical mistakes of new users with their own files.
@Suite(.enabled(if: ProgramTests.program != nil, "the program was not built")) struct FirstStepTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "stockbus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func put(_ text: String, in name: String) throws { try Data(text.utf8).write(to: folder.appending(path: name)) }
  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try ProgramTests.run(arguments, in: folder)
  }

  @Test func `a file without the columns is told when the configuration is checked, at its line`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try put("Date,Ticker,Last\n2013-10-08,AAPL,167.40\n", in: "prices.csv")
    try put("NVDA\nA,B\n", in: "mine.txt")
    let configuration = """
      sources:
        prices:
          plugin: file_replay
          path: [prices.csv]
      processors:
        mine: { plugin: watchlist_filter, inputs: [prices], file: mine.txt }
      sinks:
        end: { plugin: null_sink, inputs: [mine] }

      """
    try put(configuration, in: "plugins.yaml")
    let result = try run("validate")
    #expect(result.status == 78)
    #expect(
      result.errors == """
        plugins.yaml:4:12: error: source 'prices': 'path[0]': 'prices.csv', line 1: no column for the price (looked for 'price', 'px', \
        'p'); there are 'Date', 'Ticker', 'Last'; set 'columns: { price: Last }' if that is the right one
        plugins.yaml:6:61: error: processor 'mine': 'file': 'mine.txt', line 2: 'A,B': a symbol cannot contain control characters, \
        quotation marks, backslashes or commas
        2 problems

        """)
    #expect(try run("run").errors.hasSuffix("2 problems; nothing was started\n"))
    // If the path came from a variable, the message names it; the values of other variables are not shown.
    try put(
      configuration.replacing("[prices.csv]", with: "\"${DATA:-prices.csv}\"").replacing("      path", with: "      path"),
      in: "plugins.yaml")
    let hidden = try run("validate")
    #expect(hidden.status == 78 && !hidden.errors.contains("'prices.csv'") && hidden.errors.contains("line 1: no column for the price"))
    // Following the message's advice works.
    try put("NVDA\nAAPL\n", in: "mine.txt")
    try put(configuration.replacing("[prices.csv]", with: "[prices.csv]\n    columns: { price: Last }"), in: "plugins.yaml")
    #expect(try run("validate").status == 0)
    #expect(try run("run", "--log-level", "error").errors.contains("mine: 'NVDA' never came\n"))
  }

  @Test func `init csv without a file says how it is called`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try run("init", "csv")
    #expect(
      result.status == 64 && result.errors.hasPrefix("Error: csv needs the name of the file: 'stockbus init csv FILE'\n"), "\(result)")
  }

  @Test func `the status says whether rows were set aside where it is asked to, and who came only there is told`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try put("time,symbol,price\n2013-10-08,NVDA,1\n2013-10-08,AAPL,one\n", in: "prices.csv")
    try put(
      """
      sources: { prices: { plugin: file_replay, path: prices.csv } }
      processors: { mine: { plugin: watchlist_filter, inputs: [prices], symbols: [APPL, AAPL, NVDA] } }
      sinks: { end: { plugin: null_sink, inputs: [mine] } }

      """, in: "plugins.yaml")
    let lax = try run("run", "--log-level", "error")
    #expect(lax.status == 0)
    #expect(lax.errors.contains("mine: 'APPL' never came; did you mean 'AAPL', which came only in dead letters?"))
    #expect(lax.errors.contains("mine: 'AAPL' came only in dead letters"))
    let strict = try run("run", "--strict", "--log-level", "error")
    #expect(strict.status == 65)
    #expect(strict.errors.hasSuffix("\nFAILED: 1 dead letter, which --strict does not allow\n"))
    try put("time,symbol,price\n2013-10-08,NVDA,1\n", in: "prices.csv")
    #expect(try run("run", "--strict", "--quiet", "--log-level", "error") == (0, "", ""))
  }

  @Test func `an empty folder is no dead end`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let empty = try run("run")
    #expect(empty.status == 78)
    #expect(
      empty.errors == """
        plugins.yaml: error: no such file or folder
        1 problem; nothing was started
        begin with one of these:
          stockbus demo      shows a market with made-up prices, here and on a page
          stockbus init      writes a plugins.yaml to start from
          stockbus run FILE  runs a configuration; without FILE that is plugins.yaml
          stockbus list      lists the plugins

        """)
    #expect(try run("init") == (0, "wrote plugins.yaml: a whole market with made-up prices, what 'demo' runs\nnext: stockbus run\n", ""))
    #expect(try run("validate").status == 0)
    let again = try run("init", "alerts")
    #expect(again.status == 1)
    #expect(again.errors == "error: 'plugins.yaml' exists already; nothing was written; --to FILE names another one\n")
    #expect(try run("init", "alerts", "--to", "mine.yaml").output.hasSuffix("\nnext: stockbus run mine.yaml\n"))
    #expect(try run("init", "--to", "-").output == String(contentsOf: folder.appending(path: "plugins.yaml"), encoding: .utf8))
  }

  @Test(arguments: ["demo", "watch AAPL", "open AAPL"])
  func `without a configuration it says that prices are made up`(command: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try put("stop\n", in: "commands")
    let result = try ProgramTests.run(
      command.split(separator: " ").map(String.init) + ["--commands", "commands", "--quiet", "--lenient"],
      in: folder)
    #expect(result.status == 0)
    let who = command == "demo" ? "'made_up_shares' and 'made_up_coins'" : "'made-up'"
    #expect(result.errors.contains("prices are made up, by \(who); 'stockbus init' writes a configuration of your own"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["commands"])
  }
}
