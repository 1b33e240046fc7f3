public import EventBus
internal import MarketData
internal import Synchronization

/// The export of a plugin's module: a name, a description, and a blueprint for each fitting upstream type.
public struct Plugin: Sendable {
  /// The event types that a plugin takes.
  package enum Accepts: Sendable {
    case types([any Event.Type])
    case anyEvent, anySymbolEvent, anyPricedEvent
  }

  /// The name in a configuration's `plugin:`.
  package let name: String
  /// The plugin's purpose, in one sentence.
  package let doc: String
  /// The precompiled blueprints: of the one type, of the hot types, or of every value of `choice`.
  private let compiled: CompiledBlueprints
  private let open: OpenTypes?
  private let emitsText: String?
  /// Plugins of the components that read parts of its output; their names are `NAME.part`.
  package var parts: [Plugin] = []
  private let choice: Choice?
  /// Returns a blueprint with the same options that replaces the usual one; nil to keep the usual one.
  private var special: (@Sendable ([any Event.Type], ConfigNode?) -> Blueprint?)?
  /// Distinguishes versions of the plugin's code, if it can change while the program runs; empty for a plugin of the program.
  package private(set) var revision = ""
  /// The folder from which it was loaded; nil for a plugin of the program.
  package private(set) var bundle: String?
  private struct Choice: Sendable {
    let option: String
    let values: @Sendable () -> [String]
  }

  /// The types that a plugin generic over its event type takes, and its binding to one type.
  private struct OpenTypes: Sendable {
    let accepts: Accepts
    /// True if the blueprint also depends on the options, so that the compiled blueprints are examples only.
    var heedsOptions = false
    let bind: @Sendable ([any Event.Type], ConfigNode?) -> Blueprint?
  }

  /// A plugin of one component type.
  public init(_ name: String, _ doc: String, _ blueprint: @autoclosure @escaping @Sendable () -> Blueprint) {
    self.init(name, doc, CompiledBlueprints { [blueprint()] })
  }

  /// A plugin whose event type is chosen by an option: `variants` has a blueprint for every value of `option`, the default first. All have
  /// the same options.
  public init(
    _ name: String, _ doc: String, option: String,
    variants: @autoclosure @escaping @Sendable () -> KeyValuePairs<String, Blueprint>
  ) {
    self.init(name, doc, CompiledBlueprints { variants().map(\.value) }, choice: Choice(option: option) { variants().map(\.key) })
  }

  /// A plugin that is generic over its event type. `hot` are blueprints that are specialised where they are written; any other fitting type
  /// is bound at wiring and runs unspecialised, also if there are none. `emits` describes its output if that differs from its input.
  public init<G: AnyEventPlugin>(
    _ name: String, _ doc: String, _: G.Type, hot: @autoclosure @escaping @Sendable () -> [Blueprint], emits: String? = nil
  ) {
    let open = OpenTypes(accepts: .anyEvent) { types, _ in types.first.map { G.bind($0) } }
    self.init(name, doc, CompiledBlueprints(hot, orElse: { G.bind(Trade.self) }), open: open, emits: emits ?? "")
  }

  /// Like the initialiser above, for events about an instrument.
  public init<G: SymbolEventPlugin>(
    _ name: String, _ doc: String, _: G.Type, hot: @autoclosure @escaping @Sendable () -> [Blueprint], emits: String? = nil
  ) {
    let open = OpenTypes(accepts: .anySymbolEvent) { types, _ in (types.first as? any SymbolEvent.Type).map { G.bind($0) } }
    self.init(name, doc, CompiledBlueprints(hot, orElse: { G.bind(Trade.self) }), open: open, emits: emits ?? "")
  }

  /// Like the initialiser above, for events with a price.
  public init<G: PricedEventPlugin>(
    _ name: String, _ doc: String, _: G.Type, hot: @autoclosure @escaping @Sendable () -> [Blueprint], emits: String? = nil
  ) {
    let open = OpenTypes(accepts: .anyPricedEvent) { types, _ in (types.first as? any PricedEvent.Type).map { G.bind($0) } }
    self.init(name, doc, CompiledBlueprints(hot, orElse: { G.bind(Trade.self) }), open: open, emits: emits ?? "")
  }

  /// A plugin that takes any event, and whose output depends also on its options. `example` is one of its blueprints, which gives its
  /// options; `bind` creates those that are used.
  package init(
    _ name: String, _ doc: String, emits: String, example: @autoclosure @escaping @Sendable () -> Blueprint,
    bind: @escaping @Sendable (any Event.Type, ConfigNode?) -> Blueprint
  ) {
    let open = OpenTypes(accepts: .anyEvent, heedsOptions: true) { types, options in types.first.map { bind($0, options) } }
    self.init(name, doc, CompiledBlueprints { [example()] }, open: open, emits: emits)
  }

  /// A plugin with a blueprint for each fitting upstream type.
  package init(_ name: String, _ doc: String, compiled: @autoclosure @escaping @Sendable () -> [Blueprint]) {
    self.init(name, doc, CompiledBlueprints { compiled() })
  }

  /// The same plugin, marked as another version of its code.
  package func revised(_ revision: String) -> Plugin {
    var copy = self
    copy.revision = revision
    return copy
  }

  /// The same plugin, which another process finds in this folder.
  package func loaded(from bundle: String) -> Plugin {
    var copy = self
    copy.bundle = bundle
    return copy
  }

  /// The same plugin, for which `choose` may return another blueprint with the same options for some types and options.
  package func choosing(_ choose: @escaping @Sendable ([any Event.Type], ConfigNode?) -> Blueprint?) -> Plugin {
    var copy = self
    copy.special = choose
    return copy
  }

  private init(
    _ name: String, _ doc: String, _ compiled: CompiledBlueprints, choice: Choice? = nil, open: OpenTypes? = nil, emits: String? = nil
  ) {
    self.name = name
    self.doc = doc
    self.compiled = compiled
    self.choice = choice
    self.open = open
    emitsText = emits
  }

  /// True if both are copies of one plugin.
  package func isSame(as other: Plugin) -> Bool {
    compiled === other.compiled || !isEmpty && !other.isEmpty && name == other.name && component == other.component
  }

  private var blueprints: [Blueprint] { compiled.all(of: name) }

  /// True if the plugin has no blueprint, so that nothing else may be read from it.
  var isEmpty: Bool { compiled.areNone }
  /// The type of the plugin's components, with its module.
  package var component: String { String(reflecting: blueprints[0].component) }
  package var kind: Blueprint.Kind { blueprints[0].kind }
  package var accepts: Accepts { open?.accepts ?? .types(blueprints.flatMap(\.inputs)) }
  /// The options' type.
  package var options: any Options.Type { blueprints[0].options }
  package var commands: [CommandInfo] { blueprints[0].commands }
  /// The plugin's output, for documentation: type names, or words such as "what it takes".
  package var emits: String { emitsText ?? blueprints.compactMap { $0.output.map(Self.name) }.joined(separator: ", ") }

  /// The event types for which the plugin is compiled, inputs before outputs; some may occur twice.
  package var eventTypes: [any Event.Type] {
    blueprints.flatMap(\.inputs) + blueprints.compactMap(\.output) + parts.flatMap { $0.blueprints.compactMap(\.output) }
  }

  /// The event type that the plugin emits for any input; nil if the type depends on the input or the plugin emits nothing.
  package var fixedOutput: (any Event.Type)? {
    guard let output = blueprints[0].output, !emits.isEmpty, open?.heedsOptions != true else { return nil }
    guard blueprints.allSatisfy({ $0.output == output }) else { return nil }
    return output
  }

  static func name(of type: any Event.Type) -> String { type.eventName }

  /// True if the plugin can take this type.
  package func fits(_ type: any Event.Type) -> Bool {
    switch accepts {
    case .types(let types): types.contains { $0 == type }
    case .anyEvent: true
    case .anySymbolEvent: type is any SymbolEvent.Type
    case .anyPricedEvent: type is any PricedEvent.Type
    }
  }

  /// True if the plugin requires inputs; otherwise it must have none.
  package var takesInputs: Bool { if case .types(let types) = accepts { !types.isEmpty } else { true } }

  /// The event types that the plugin takes, in words: `trade, quote`, `events with a price`.
  package var acceptedTypes: String {
    switch accepts {
    case .types(let types): types.map(Self.name).joined(separator: ", ")
    case .anyEvent: "any event"
    case .anySymbolEvent: "events about a symbol"
    case .anyPricedEvent: "events with a price"
    }
  }

  /// Checks the options by decoding them; throws all problems at once.
  package func checkOptions(_ node: ConfigNode?, at mark: ConfigNode.Mark) throws(Problems) { try Self.check(options, node, mark) }

  private static func check<O: Options>(_: O.Type, _ node: ConfigNode?, _ mark: ConfigNode.Mark) throws(Problems) {
    _ = try O.decode(node, at: mark)
  }

  /// The blueprint for these upstream types and options; nil if they do not fit.
  public func blueprint(for upstream: [any Event.Type], options: ConfigNode?) -> Blueprint? {
    if let choice {
      var at = 0
      if case .scalar(let value) = options?[choice.option]?.value { at = choice.values().firstIndex(of: value) ?? 0 }
      return blueprints[at]
    }
    guard upstream.allSatisfy(fits) else { return nil }
    if let chosen = special?(upstream, options) { return chosen }
    if let open, open.heedsOptions {
      guard let first = upstream.first, upstream.allSatisfy({ $0 == first }) else { return nil }
      return open.bind(upstream, options)
    }
    if let fitting = blueprints.first(where: { blueprint in
      upstream.isEmpty ? blueprint.inputs.isEmpty : upstream.allSatisfy { type in blueprint.inputs.contains { $0 == type } }
    }) {
      return fitting
    }
    guard let first = upstream.first, upstream.allSatisfy({ $0 == first }) else { return nil }
    return open?.bind(upstream, options)
  }
}

/// A plugin that takes any event, with its binding to one type.
public protocol AnyEventPlugin: SendableMetatype {
  static func bind<E: Event>(_: E.Type) -> Blueprint
}

/// A plugin that takes any event with a symbol, with its binding to one type.
public protocol SymbolEventPlugin: SendableMetatype {
  static func bind<E: SymbolEvent>(_: E.Type) -> Blueprint
}

/// A plugin that takes any event with a price, with its binding to one type.
public protocol PricedEventPlugin: SendableMetatype {
  static func bind<E: PricedEvent>(_: E.Type) -> Blueprint
}

/// A plugin's blueprints, created at the first use: a configuration names few plugins, and creating a blueprint makes the program look up
/// types.
private final class CompiledBlueprints: Sendable {
  private let make: @Sendable () -> [Blueprint]
  private let made = Mutex<[Blueprint]>([])

  init(_ make: @escaping @Sendable () -> [Blueprint]) { self.make = make }

  /// `one` stands for all types if none is compiled ahead.
  convenience init(_ make: @escaping @Sendable () -> [Blueprint], orElse one: @escaping @Sendable () -> Blueprint) {
    self.init {
      let made = make()
      return made.isEmpty ? [one()] : made
    }
  }

  var areNone: Bool {
    made.withLock { made in
      if made.isEmpty { made = make() }
      return made.isEmpty
    }
  }

  /// The blueprints, at least one. Traps if there is none.
  func all(of name: String) -> [Blueprint] {
    made.withLock { made in
      if made.isEmpty { made = make() }
      if made.isEmpty { preconditionFailure("plugin '\(name)' has no blueprint") }
      return made
    }
  }
}
