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
    #expect(strict.errors.hasSuffix("\nFAILED: 1 dead letter, which --strict does not let pass\n"))
    try put("time,symbol,price\n2013-10-08,NVDA,1\n", in: "prices.csv")
    #expect(try run("run", "--strict", "--quiet", "--log-level", "error") == (0, "", ""))
  }
}
