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

/// Why a command was not carried out, in one sentence.
public struct CommandError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
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
