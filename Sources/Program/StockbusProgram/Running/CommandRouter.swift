import StockbusPlugin

/// Interprets the lines of `--commands`.
struct CommandRouter {
  enum Request: Equatable {
    /// Lines to be shown.
    case help([String])
    case stop
    case command(id: String, Command)
    /// The line is not valid; with the reason.
    case mistake(String)
  }

  private let commands: [(component: String, commands: [CommandInfo])]
  private let components: [String]
  /// Columns for lists of commands.
  private let width: Int

  init(_ commands: [(component: String, commands: [CommandInfo])], components: [String], width: Int = 80) {
    self.commands = commands
    self.components = components
    self.width = width
  }

  /// The meaning of a line: its first word is a component, or one of the two words for the run itself.
  func request(_ line: Command) -> Request {
    let word = line.verb
    guard let command = Command(line: line.arguments.joined(separator: " ")) else {
      switch word {
      case "help": return .help(help)
      case "stop": return .stop
      default: return .mistake(lone(word))
      }
    }
    if components.contains(word) { return .command(id: word, command) }
    if word == "help" { return .help(help(for: command.verb)) }
    if word == "stop" { return .mistake("'stop' stops the run, and takes no further words") }
    // The component was left out.
    if let owner = commands.first(where: { $0.commands.contains { $0.verb == word } }) {
      return .mistake("which component? such as '\(owner.component) \(word) \(line.arguments.joined(separator: " "))'")
    }
    return .mistake(unknown(word))
  }

  private func lone(_ word: String) -> String {
    if let owner = commands.first(where: { $0.component == word }) {
      return "'\(word)' needs a command: \(owner.commands.map(\.verb).joined(separator: ", "))"
    }
    if components.contains(word) { return CommandError.takesNoCommands(word).description }
    if let owner = commands.first(where: { $0.commands.contains { $0.verb == word } }) {
      return "which component? such as '\(owner.component) \(word) …'"
    }
    return unknown(word)
  }

  /// Words that end other programs.
  private static let endings: Set<String> = ["exit", "quit", "q", "bye", "end", "halt", "kill", ":q", ":q!", ":wq", "logout", "close"]

  private func unknown(_ word: String) -> String {
    let lower = word.lowercased()
    let known = ["help", "stop"] + components + commands.flatMap { $0.commands.map(\.verb) }
    if Self.endings.contains(lower) { return "no component \(shown(word)); 'stop' ends the run" }
    if ["?", "h", ":h", ":help", "commands", "man", "usage"].contains(lower) {
      return "no component \(shown(word)); 'help' lists the commands"
    }
    let near = didYouMean(word, among: known)
    return "no component \(shown(word))" + (near.isEmpty ? "; a line is COMPONENT COMMAND …, and 'help' lists the commands" : near)
  }

  private static let own = [["help", "Lists the commands."], ["stop", "Stops the run: sources end, everything else drains."]]

  /// One command per line, with its description beside it.
  private var help: [String] { table(commands.flatMap { rows($0.component, $0.commands) } + Self.own) }

  private func help(for component: String) -> [String] {
    guard let known = commands.first(where: { $0.component == component }) else {
      let text = components.contains(component) ? CommandError.takesNoCommands(component).description : unknown(component)
      return ["commands: " + visible(text, limit: 1000)]
    }
    return table(rows(component, known.commands))
  }

  private func rows(_ component: String, _ commands: [CommandInfo]) -> [[String]] { commands.map { ["\(component) \($0.usage)", $0.doc] } }

  private func table(_ rows: [[String]]) -> [String] { indented(CommandList.lines(rows, width: width - 2)) }
}
