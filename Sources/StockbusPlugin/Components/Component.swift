/// What every plugin is: an actor that the runtime makes, starts, feeds and stops.
///
/// A life is `init` → `start` → work → `stop`. A component that throws is made anew for its next life, by its supervision policy;
/// its place in its inputs and its counters outlive it.
public protocol Component: Actor {
  associatedtype Settings: Options = NoOptions
  /// What is wrong with these settings for this type of component, though each is allowed by itself: the option's name and what
  /// is wrong with it. Called when a configuration is checked; no I/O.
  static func faults(in settings: Settings) -> [(option: String, message: String)]
  /// The same for what is wrong inside the text of an option, such as an expression: it is shown at the very character.
  static func textFaults(in settings: Settings) -> [TextFault]
  /// What is wrong with what stands in a file that these settings read, for the end of a sentence that names the file; nil where
  /// nothing is, or that cannot be told yet. Called when a configuration is checked, for plain files that are there: reads a bounded
  /// beginning at most, once. What is wrong with the rest, or changes afterwards, is told when the file is read.
  static func fault(in file: FileUse, _ settings: Settings) -> String?
  /// The same for what need not be wrong but is hardly meant: told before anything runs, which begins all the same.
  static func doubt(about file: FileUse, _ settings: Settings) -> String?
  /// The symbols of all events that a source makes, where these settings say so; nil where only the world knows. No I/O.
  static func knownSymbols(_ settings: Settings) -> [String]?
  /// The symbols that these settings name: where a source knows its own, a name that none of them has is warned of.
  static func namedSymbols(_ settings: Settings) -> [NamedSymbol]
  /// Takes along what depends on the options (`MemoryKey.Change.drop`) into the memory of an instance with other ones. Called between the
  /// two instances; what is not taken along is forgotten. No I/O.
  static func carryOver(_ old: Memory, from before: Settings, to after: Settings, into memory: Memory)
  /// Called once a life, before anything else. No I/O; take what you need from the context. A throw ends the life.
  init(_ settings: Settings, _ context: Context) throws
  /// Called once after `init`, before the first event: open files and sockets here. A throw ends the life, without `stop`'s
  /// being left out.
  func start() async throws
  /// Called once at the end of every life, also after a throw or a cancellation: close what `start` opened.
  func stop() async
}

extension Component {
  public static func faults(in settings: Settings) -> [(option: String, message: String)] { [] }
  public static func textFaults(in settings: Settings) -> [TextFault] { [] }
  public static func fault(in file: FileUse, _ settings: Settings) -> String? { nil }
  public static func doubt(about file: FileUse, _ settings: Settings) -> String? { nil }
  public static func knownSymbols(_ settings: Settings) -> [String]? { nil }
  public static func namedSymbols(_ settings: Settings) -> [NamedSymbol] { [] }
  public static func carryOver(_ old: Memory, from before: Settings, to after: Settings, into memory: Memory) {}
  public func start() async throws {}
  public func stop() async {}
}

/// A symbol, or a pattern, that an option names.
public struct NamedSymbol: Sendable, Hashable {
  public let name: String
  private var place: OptionPlace

  /// `option` names it, as `item` of a list where that is given.
  public init(_ name: String, in option: String, item: Int? = nil) {
    self.name = name
    place = OptionPlace(option, item: item)
  }

  /// The same for the options around those that name it: they stand there as `option`, as `item` of a list where that is given.
  public func inside(_ option: String, item: Int? = nil) -> NamedSymbol {
    var copy = self
    copy.place = place.inside(option, item: item)
    return copy
  }

  /// Where `node` has it.
  @usableFromInline
  func mark(in node: ConfigNode?, else mark: ConfigNode.Mark) -> ConfigNode.Mark { place.find(in: node, else: mark).mark }
}

/// Something wrong inside the text of an option.
public struct TextFault: Sendable, Hashable {
  /// The option's name.
  public let option: String
  /// What is wrong, naming the option.
  public let message: String
  /// The character of the text (of Unicode, counted from 0) where it begins.
  public let character: Int

  public init(_ option: String, _ message: String, character: Int) {
    self.option = option
    self.message = message
    self.character = character
  }

  /// Adds it where `node` has its text; where single characters of that have no place, the message says which one it is.
  func report(_ node: ConfigNode?, else mark: ConfigNode.Mark, _ problems: inout Problems) {
    guard let node else { return problems.add(message, at: mark) }
    guard node.variables.isEmpty else {
      return problems.add(
        "'\(option)' is wrong from character \(character + 1) on: \(node.shownText), which is not repeated here", at: node.mark)
    }
    let hint = node.isVerbatim || character == 0 ? "" : " (character \(character + 1))"
    problems.add(message + hint, at: node.mark(ofCharacter: character))
  }
}

/// A component with work of its own beside its events: a screen that fades, a file that is followed.
public protocol BackgroundComponent: Component {
  /// Called once a life, after `start`, and run beside the events, interleaved at its awaits. Cancelled when the events have
  /// ended and `drain` is done; return then.
  func background() async
}
