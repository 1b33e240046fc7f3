import StockbusPlugin

/// The ways to begin, for somebody who has no configuration yet.
enum FirstSteps {
  /// The first of them.
  static var start: String { "\(Program.name) " + (StarterConfig.isPossible(Program.catalogue) ? "demo" : "run") }

  /// The output of the program without a command on a terminal: six lines.
  static var text: String {
    ([Version.text] + lines(rows + [["\(Program.name) --help", "lists all commands"]])).joined(separator: "\n")
  }

  /// For an empty folder.
  static var hint: String { (["begin with one of these:"] + indented(lines(rows))).joined(separator: "\n") }

  private static func lines(_ rows: [[String]]) -> [String] { CommandList.lines(rows, width: (PageWidth.ofTerminal ?? 100) - 2) }

  private static var rows: [[String]] {
    let name = Program.name
    let starters = [
      ["\(name) demo", "shows a market with made-up prices, here and on a page"],
      ["\(name) init", "writes a plugins.yaml to start from"],
    ]
    return (StarterConfig.isPossible(Program.catalogue) ? starters : []) + [
      ["\(name) run FILE", "runs a configuration; without FILE that is plugins.yaml"], ["\(name) list", "lists the plugins"],
    ]
  }
}
