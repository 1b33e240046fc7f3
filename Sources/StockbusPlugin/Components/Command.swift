/// A word of command for a running component: a verb and its arguments, as somebody typed them.
public struct Command: Sendable, Hashable {
  public let verb: String
  public let arguments: [String]

  public init(verb: String, arguments: [String]) {
    self.verb = verb
    self.arguments = arguments
  }

  /// The words of a line, separated by blanks; nil where there is none. A blank is one whatever mark stands on it.
  public init?(line: String) {
    let words = line.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { String($0) }
    guard let first = words.first else { return nil }
    self.init(verb: first, arguments: Array(words.dropFirst()))
  }
}

/// Why a command was not carried out; `description` says it in one sentence.
public enum CommandError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The component says no, and why, in one sentence.
  case refused(String)
  /// The run has no component of this name; `among` are those it has.
  case unknownComponent(String, among: [String] = [])
  /// The component takes commands, but not this verb; `known` are those it takes.
  case unknownCommand(String, known: [String])
  /// The component takes no commands.
  case takesNoCommands(String)
  /// The component has no instance that has started: before its first, after its last, and between two.
  case notRunning(String)
  /// There are no components any more.
  case runIsOver

  /// What a component throws that does not carry a command out: `reason` is one sentence.
  public init(_ reason: String) { self = .refused(reason) }

  public var description: String {
    switch self {
    case .refused(let reason): reason
    case .unknownComponent(let id, let names): "no component '\(id)'" + didYouMean(id, among: names)
    case .unknownCommand(let verb, let known):
      "unknown command '\(verb)'" + didYouMean(verb, among: known) + "; known are " + known.joined(separator: ", ")
    case .takesNoCommands(let id): "'\(id)' takes no commands"
    case .notRunning(let id): "'\(id)' is not running"
    case .runIsOver: "the run is over"
    }
  }
}

/// What a component can be told, for help.
public struct CommandInfo: Sendable, Hashable {
  /// `raise SYMBOL [AMOUNT]`.
  public let usage: String
  /// What it does, in one sentence.
  public let doc: String

  public init(_ usage: String, _ doc: String) {
    self.usage = usage
    self.doc = doc
  }

  public var verb: String { String(usage.prefix { $0 != " " }) }
}

/// A component that takes commands while it runs.
public protocol CommandableComponent: Component {
  static var commands: [CommandInfo] { get }
  /// Called between its other work. Answers what was done, in one sentence.
  func perform(_ command: Command) throws(CommandError) -> String
}
