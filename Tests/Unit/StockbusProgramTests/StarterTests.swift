import ArgumentParser
import Stockbus
import StockbusConfig
import StockbusFiles
import StockbusPlugin
import Testing

@testable import StockbusProgram

/// The configurations to start from.
@Suite struct StarterTests {
  private static let catalogue = Catalogue(.builtIn)

  @Test(
    arguments: [
      "demo", "alerts", "household", "plugin", "venue kraken", "venue binance", "venue bitfinex", "venue alpaca", "venue finnhub",
    ])
  func `each is short, commented and valid`(what: String) throws {
    let words = what.split(separator: " ").map(String.init)
    let starter = try StarterConfig(words[0], words.count > 1 ? words[1] : nil, Self.catalogue)
    let lines = starter.text.split(separator: "\n")
    #expect(lines.count <= 30)
    #expect(lines[0].hasPrefix("# "))
    // Each component has a comment, at most two lines from its plugin.
    for (place, line) in lines.enumerated() where line.contains("plugin: ") {
      #expect(lines[max(0, place - 2)...min(place + 2, lines.count - 1)].contains { $0.contains("# ") }, "\(line)")
    }
    #expect(lines.allSatisfy { $0.count <= 150 })
    let config = ConfigLoader(environment: { _ in nil }).load(text: starter.text)
    do throws(Problems) { _ = try Topology.check(config, catalogue: Self.catalogue, looksAtFiles: false) } catch {
      Issue.record("\(error)")
    }
  }

  @Test(arguments: [
    ("demos", nil, "there is no configuration 'demos' to start from; did you mean 'demo'?"),
    ("xyz", nil, "there is no configuration 'xyz' to start from; there are demo, csv, venue, alerts, household, plugin"),
    ("venue", "krakn", "no venue 'krakn'; did you mean 'kraken'?"), ("demo", "x", "'x': 'demo' needs no further word"),
  ])
  func `what there is not`(word: String, name: String?, message: String) {
    let error = #expect(throws: StarterConfig.Mistake.self) { try StarterConfig(word, name, Self.catalogue) }
    #expect(error?.description == message)
  }

  @Test func `a file becomes the options that read it, with what it does not say answered and marked`() throws {
    let look = FileGuess(
      options: [.init(name: "event", value: "bar"), .init(name: "time", value: "\"MM/dd/yyyy\""), .init(name: "zone", value: "UTC")],
      questions: [.init(option: "zone", text: "In which time zone are the times?", choices: ["UTC", "America/New_York"])], rows: 8,
      refused: 2, firstRefusal: "line 3: 'close' is empty", problem: nil)
    let starter = try StarterConfig.csv("my prices.csv", { _ in look }, Self.catalogue, answer: { _, _ in "Europe/Zurich" })
    #expect(starter.what == "the rows of my prices.csv; 8 of the first 10 rows are read, line 3: 'close' is empty")
    #expect(
      starter.text.contains(
        """
            path: my prices.csv
            event: bar
            time: "MM/dd/yyyy"
            zone: Europe/Zurich  # In which time zone are the times?
            # speed
        """))
    let config = ConfigLoader(environment: { _ in nil }).load(text: starter.text)
    #expect(throws: Never.self) { try Topology.check(config, catalogue: Self.catalogue, looksAtFiles: false) }
  }

  @Test func `what is written names each assumption, and not what the user has answered`() throws {
    let look = FileGuess(
      options: [.init(name: "event", value: "bar"), .init(name: "time", value: "\"MM/dd/yyyy\""), .init(name: "symbol", value: "AAPL")],
      questions: [
        .init(option: "time", text: "What is 01/02?", choices: ["\"MM/dd/yyyy\"", "\"dd/MM/yyyy\""]),
        .init(option: "symbol", text: "Which symbol are all rows about?", choices: ["AAPL"]),
      ], rows: 3, refused: 0)
    let likely = try StarterConfig.csv("x.csv", { _ in look }, Self.catalogue) { question, _ in question.choices[0] }
    #expect(
      Init.text(likely, to: "plugins.yaml") == """
        wrote plugins.yaml: the rows of x.csv; all of the first 3 rows are read
        assumed; change there what is not so:
          time: "MM/dd/yyyy"  # What is 01/02?
          symbol: AAPL  # Which symbol are all rows about?
        next: stockbus run
        """)
    let answered = try StarterConfig.csv("x.csv", { _ in look }, Self.catalogue) { question, _ in
      question.option == "time" ? "\"dd/MM/yyyy\"" : "MSFT"
    }
    #expect(!Init.text(answered, to: "plugins.yaml").contains("assumed"))
  }

  @Test func `an answer that the option does not take is asked for again, with what is wrong`() throws {
    let look = FileGuess(
      options: [.init(name: "time", value: "\"MM/dd/yyyy\""), .init(name: "zone", value: "UTC")],
      questions: [.init(option: "time", text: "What is 01/02?", choices: ["\"MM/dd/yyyy\"", "\"dd/MM/yyyy\""])], rows: 3, refused: 0)
    var mistakes: [String?] = []
    let starter = try StarterConfig.csv("x.csv", { _ in look }, Self.catalogue) { _, mistake in
      mistakes.append(mistake)
      return ["1", "yyyy-dd", "\"dd/MM/yyyy\""][mistakes.count - 1]
    }
    #expect(mistakes.count == 3 && mistakes[0] == nil && mistakes[1]?.contains("'time'") == true && mistakes[2] != nil, "\(mistakes)")
    #expect(starter.text.contains("time: \"dd/MM/yyyy\"  # What is 01/02?"))
  }

  @Test(arguments: [[], [FileGuess.Option(name: "columns", value: "{ date: Datum }")]])
  func `an answer that is a column of the file names the column of the symbols`(others: [FileGuess.Option]) throws {
    let look = FileGuess(
      options: others + [.init(name: "symbol", value: "FILE")],
      questions: [.init(option: "symbol", text: "Which symbol are all rows about, or in which column are the symbols?", choices: ["FILE"])],
      columns: ["Datum", "Mein Papier", "Preis"], rows: 3, refused: 0)
    let starter = try StarterConfig.csv("x.csv", { _ in look }, Self.catalogue) { _, _ in "Mein Papier".optionText }
    #expect(starter.text.contains("columns: { symbol: Mein Papier\(others.isEmpty ? "" : ", date: Datum") }\n"), "\(starter.text)")
    #expect(!starter.text.contains("    symbol:"))
  }

  @Test func `a file that cannot be read is told in one line`() {
    let look = FileGuess(problem: "it has no rows")
    let error = #expect(throws: StarterConfig.Mistake.self) {
      try StarterConfig.csv("x.csv", { _ in look }, Self.catalogue, answer: { _, _ in "" })
    }
    #expect(error?.description == "'x.csv': it has no rows")
  }

  @Test func `a program without the plugins offers none`() {
    #expect(StarterConfig.isPossible(Self.catalogue))
    #expect(!StarterConfig.isPossible(fixedCatalogue))
  }

  @Test func `every command is in one group of the help`() {
    let program = Program(name: "stockbus", catalogue: Self.catalogue)
    #expect(program.commandGroups.map(\.name) == ["run", "look", "data", "authors"])
    #expect(program.commands.map { $0._commandName }.prefix(6) == ["demo", "init", "run", "watch", "open", "print"])
  }
}
