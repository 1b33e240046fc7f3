public import EventBus

/// The base of all plugins: an actor that the runtime creates, starts, feeds and stops.
///
/// The life of an instance is `init` → `start` → work → `stop`. After a throw, a new instance follows according to the supervision policy;
/// the position in the inputs and the counters outlive the instance.
public protocol Component: Actor {
  associatedtype Settings: Options = NoOptions
  /// Errors in a combination of settings each of which is valid by itself, such as the name of a field that the event type does not have:
  /// the option's name and the error. Called when a configuration is checked; no I/O.
  static func faults(in settings: Settings) -> [(option: String, message: String)]
  /// Errors inside the text of an option, such as an expression; each is reported at its character. `columns` are those of the inputs. Called
  /// when a configuration is checked; no I/O.
  static func textFaults(in settings: Settings, reading columns: ColumnLayout) -> [TextFault]
  /// The columns beside the events of its output; `columns` are those of the inputs, and what a component with `Outlet.pass` returns. By
  /// default none. Called when a configuration is checked; no I/O.
  static func columns(_ settings: Settings, reading columns: ColumnLayout) -> ColumnLayout
  /// An error in the contents of a file that these settings read, as the end of a sentence that names the file; nil if there is none, or if
  /// that is not known yet. Called when a configuration is checked, for plain files that exist. Reads at most a bounded beginning, once.
  /// Errors in the rest, or after later changes, are reported when the file is read.
  static func fault(in file: FileUse, _ settings: Settings) -> String?
  /// Like `fault`, for contents that are allowed but probably unintended: reported before the run begins, which begins nevertheless.
  static func doubt(about file: FileUse, _ settings: Settings) -> String?
  /// The symbols of all events that a source makes, if these settings determine them; otherwise nil. No I/O.
  static func knownSymbols(_ settings: Settings) -> [String]?
  /// The symbols that these settings name. If a source knows its own symbols, a name that is not among them causes a warning.
  static func namedSymbols(_ settings: Settings) -> [NamedSymbol]
  /// Copies values that depend on the options (`MemoryKey.Change.drop`) into the memory of an instance with other options. Called between
  /// the two instances; values that are not copied are lost. No I/O.
  static func carryOver(_ old: Memory, from before: Settings, to after: Settings, into memory: Memory)
  /// The same settings without what has effects outside of the run: files that are written, messages, databases. For runs that only show what
  /// would happen (`stockbus rehearse`); what the component publishes must not depend on it. A sink without output is left out there.
  static func withoutEffects(_ settings: Settings) -> Settings
  /// Called once per instance, before anything else. No I/O; take what the component needs from the context. A throw ends the instance.
  init(_ settings: Settings, _ context: Context) throws
  /// Called once after `init`, before the first event: open files and sockets here. A throw ends the instance, after `stop`.
  func start() async throws
  /// Remembers what another run needs to go on here, as at the end of this one. Called between two batches of an instance that continues. A
  /// throw means that it is not possible at present. No waiting.
  func keepMemory() throws
  /// Called once at the end of every instance that `init` has created, even after a throw or a cancellation: close what `start` opened.
  func stop() async
}

extension Component {
  public static func faults(in settings: Settings) -> [(option: String, message: String)] { [] }
  public static func textFaults(in settings: Settings, reading columns: ColumnLayout) -> [TextFault] { [] }
  public static func columns(_ settings: Settings, reading columns: ColumnLayout) -> ColumnLayout { ColumnLayout() }
  public static func fault(in file: FileUse, _ settings: Settings) -> String? { nil }
  public static func doubt(about file: FileUse, _ settings: Settings) -> String? { nil }
  public static func knownSymbols(_ settings: Settings) -> [String]? { nil }
  public static func namedSymbols(_ settings: Settings) -> [NamedSymbol] { [] }
  public static func carryOver(_ old: Memory, from before: Settings, to after: Settings, into memory: Memory) {}
  public static func withoutEffects(_ settings: Settings) -> Settings { settings }
  public func start() async throws {}
  public func keepMemory() throws {}
  public func stop() async {}
}

/// A symbol, or a pattern, that an option names.
public struct NamedSymbol: Sendable, Hashable {
  public let name: String
  private var place: OptionPlace

  /// A name in `option`, or in item `item` of that option's list.
  public init(_ name: String, in option: String, item: Int? = nil) {
    self.name = name
    place = OptionPlace(option, item: item)
  }

  /// The same name as seen from the enclosing options, in which the naming options are `option`, or item `item` of that option's list.
  public func inside(_ option: String, item: Int? = nil) -> NamedSymbol {
    var copy = self
    copy.place = place.inside(option, item: item)
    return copy
  }

  /// The place of the name in `node`.
  func mark(in node: ConfigNode?, else mark: ConfigNode.Mark) -> ConfigNode.Mark { place.find(in: node, else: mark).mark }
}

/// A component that also works between its events, such as a screen that fades or a file that is followed.
public protocol BackgroundComponent: Component {
  /// Called once per instance, after `start`; runs beside the events, interleaved at its awaits. It is cancelled when the events have ended
  /// and `drain` is done, and must then return.
  func background() async
}

/// A source that decodes messages, as `file_replay` decodes a raw capture of the same messages by the same options.
package protocol DecodingComponent: Component {}

extension DecodingComponent {
  /// The options that say how messages become events.
  package static var decodingOptions: [String] { ["preset", "decoding", "symbols"] }
}

/// A component that writes files of its own, which other programs may move or remove, as logrotate does.
package protocol FileWritingComponent: Component {
  /// Checks at once whether the paths still lead to the component's files, recreates the files where they do not, and returns their paths.
  func renewFiles() async -> [String]
}

/// A component whose executor is also that of its tasks, such as a socket's thread. The tasks are resumed there, without a turn through the
/// run's workers.
package protocol ThreadedComponent: Component {
  nonisolated var ownExecutor: any OwnExecutor { get }
}

/// An executor of one component's tasks.
package protocol OwnExecutor: TaskExecutor {
  /// Adds the time of the executor's jobs to `busy` from the next job on.
  func count(in busy: BusyTime)
}
