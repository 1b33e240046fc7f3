/// A command for a running component: a verb and its arguments, as a person typed them.
public struct Command: Sendable, Hashable {
  public let verb: String
  public let arguments: [String]

  package init(verb: String, arguments: [String]) {
    self.verb = verb
    self.arguments = arguments
  }

  /// The words of a line, separated by white space of any kind, also with a combining mark on it; nil if there is none.
  package init?(line: String) {
    let words = line.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { String($0) }
    guard let first = words.first else { return nil }
    self.init(verb: first, arguments: Array(words.dropFirst()))
  }
}

/// Why a command, or a request through a door, was not carried out; `description` says it in one sentence.
public enum CommandError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The component refused the request; the text is the reason, in one sentence.
  case refused(String)
  /// The component cannot do it at present, and has not done it; the text is the reason, in one sentence. It may be tried again.
  case busy(String)
  /// The run has no component of this name; `among` are the names that it has.
  case unknownComponent(String, among: [String] = [])
  /// The component has no command with this verb; `known` are the verbs that it has.
  case unknownCommand(String, known: [String])
  /// The component of this name takes no commands.
  case takesNoCommands(String)
  /// The component of this name has no door of this type.
  case offersNo(String, door: String)
  /// The component of this name has no started instance: it has not started yet, is being restarted, or has ended.
  case notRunning(String)
  /// The run has ended.
  case runIsOver

  /// The error that a component throws to refuse a request; `reason` is one sentence.
  public init(_ reason: String) { self = .refused(reason) }

  public var description: String {
    switch self {
    case .refused(let reason), .busy(let reason): reason
    case .unknownComponent(let id, let names): "no component \(shown(id))" + didYouMean(id, among: names)
    case .unknownCommand(let verb, let known):
      "unknown command \(shown(verb))" + didYouMean(verb, among: known, otherwise: "; known are " + known.joined(separator: ", "))
    case .takesNoCommands(let id): "\(shown(id)) takes no commands"
    case .offersNo(let id, let door): "\(shown(id)) offers no \(door)"
    case .notRunning(let id): "\(shown(id)) is not running"
    case .runIsOver: "the run is over"
    }
  }
}

/// A command that a component takes, for help.
public struct CommandInfo: Sendable, Hashable {
  /// `raise SYMBOL [AMOUNT]`.
  public let usage: String
  /// What it does, in one sentence.
  public let doc: String

  public init(_ usage: String, _ doc: String) {
    self.usage = usage
    self.doc = doc
  }

  package var verb: String { String(usage.prefix { $0 != " " }) }
}

/// A component that takes commands while it runs.
public protocol CommandableComponent: Component {
  static var commands: [CommandInfo] { get }
  /// Called between the component's other work. Returns what was done, in one sentence.
  func perform(_ command: Command) throws(CommandError) -> String
}
