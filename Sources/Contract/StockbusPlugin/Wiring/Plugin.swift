public import EventBus
internal import MarketData
internal import Synchronization

/// What a plugin's module exports: a name, a description, and a blueprint for each fitting upstream type.
public struct Plugin: Sendable {
  /// The event types that a plugin takes.
  package enum Accepts: Sendable {
    case types([any Event.Type])
    case anyEvent, anySymbolEvent, anyPricedEvent
  }

  /// The name in a configuration's `plugin:`.
  package let name: String
  /// What it does, in one sentence.
  package let doc: String
  /// The precompiled blueprints: of the one type, of the hot types, or of every value of `choice`.
  private let compiled: CompiledBlueprints
  private let open: OpenTypes?
  private let emitsText: String?
  /// Plugins of the components that read parts of its output; their names are `NAME.part`.
  package var parts: [Plugin] = []
  private let choice: Choice?
  /// A blueprint with the same options that takes the place of the usual one; nil where it does not.
  private var special: (@Sendable ([any Event.Type], ConfigNode?) -> Blueprint?)?
  /// What tells two versions of its code apart, where they can change while the program runs; empty for a plugin of the program.
  package private(set) var revision = ""
  /// The folder from which it was loaded; nil for a plugin of the program.
  package private(set) var bundle: String?
  private struct Choice: Sendable {
    let option: String
    let values: @Sendable () -> [String]
  }

  /// What a plugin that is generic over its event type takes, and how it is bound to one type.
  private struct OpenTypes: Sendable {
    let accepts: Accepts
    /// True if the options have a say too, so that the compiled blueprints are examples only.
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

  /// As above, for events about an instrument.
  public init<G: SymbolEventPlugin>(
    _ name: String, _ doc: String, _: G.Type, hot: @autoclosure @escaping @Sendable () -> [Blueprint], emits: String? = nil
  ) {
    let open = OpenTypes(accepts: .anySymbolEvent) { types, _ in (types.first as? any SymbolEvent.Type).map { G.bind($0) } }
    self.init(name, doc, CompiledBlueprints(hot, orElse: { G.bind(Trade.self) }), open: open, emits: emits ?? "")
  }

  /// As above, for events with a price.
  public init<G: PricedEventPlugin>(
    _ name: String, _ doc: String, _: G.Type, hot: @autoclosure @escaping @Sendable () -> [Blueprint], emits: String? = nil
  ) {
    let open = OpenTypes(accepts: .anyPricedEvent) { types, _ in (types.first as? any PricedEvent.Type).map { G.bind($0) } }
    self.init(name, doc, CompiledBlueprints(hot, orElse: { G.bind(Trade.self) }), open: open, emits: emits ?? "")
  }

  /// A plugin that takes any event, and whose output depends on its options too. `example` is one of its blueprints, from which its options
  /// are known; `bind` makes those that are used.
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

  /// The same plugin, which is told apart from other versions of its code.
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

  /// The same plugin, for which `choose` may name another blueprint for some types and options, one with the same options.
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

  /// True if both are copies of one value.
  package func isSame(as other: Plugin) -> Bool {
    compiled === other.compiled || !isEmpty && !other.isEmpty && name == other.name && component == other.component
  }

  private var blueprints: [Blueprint] { compiled.all(of: name) }

  /// True if it has no blueprint, so that nothing else may be asked of it.
  var isEmpty: Bool { compiled.areNone }
  /// The type of its components, with its module.
  package var component: String { String(reflecting: blueprints[0].component) }
  package var kind: Blueprint.Kind { blueprints[0].kind }
  package var accepts: Accepts { open?.accepts ?? .types(blueprints.flatMap(\.inputs)) }
  /// The options' type.
  package var options: any Options.Type { blueprints[0].options }
  package var commands: [CommandInfo] { blueprints[0].commands }
  /// What it emits, for documentation: type names, or words such as "what it takes".
  package var emits: String { emitsText ?? blueprints.compactMap { $0.output.map(Self.name) }.joined(separator: ", ") }

  /// The event types it is compiled for, inputs before outputs; some may occur twice.
  package var eventTypes: [any Event.Type] {
    blueprints.flatMap(\.inputs) + blueprints.compactMap(\.output) + parts.flatMap { $0.blueprints.compactMap(\.output) }
  }

  /// The event type that it emits for any input; nil if that depends on the input, and if it emits nothing.
  package var fixedOutput: (any Event.Type)? {
    guard let output = blueprints[0].output, !emits.isEmpty, open?.heedsOptions != true else { return nil }
    guard blueprints.allSatisfy({ $0.output == output }) else { return nil }
    return output
  }

  static func name(of type: any Event.Type) -> String { type.eventName }

  /// True if it can take this type.
  package func fits(_ type: any Event.Type) -> Bool {
    switch accepts {
    case .types(let types): types.contains { $0 == type }
    case .anyEvent: true
    case .anySymbolEvent: type is any SymbolEvent.Type
    case .anyPricedEvent: type is any PricedEvent.Type
    }
  }

  /// True if it requires inputs; otherwise it must have none.
  package var takesInputs: Bool { if case .types(let types) = accepts { !types.isEmpty } else { true } }

  /// The event types it takes, in words: `trade, quote`, `events with a price`.
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

/// A plugin that takes any event, and how it is bound to one type.
public protocol AnyEventPlugin: SendableMetatype {
  static func bind<E: Event>(_: E.Type) -> Blueprint
}

/// A plugin that takes any event with a symbol, and how it is bound to one type.
public protocol SymbolEventPlugin: SendableMetatype {
  static func bind<E: SymbolEvent>(_: E.Type) -> Blueprint
}

/// A plugin that takes any event with a price, and how it is bound to one type.
public protocol PricedEventPlugin: SendableMetatype {
  static func bind<E: PricedEvent>(_: E.Type) -> Blueprint
}

/// A plugin's blueprints, made at the first use: a configuration names few of all plugins, and making a blueprint makes the program look up
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

  /// At least one. Traps if there is none.
  func all(of name: String) -> [Blueprint] {
    made.withLock { made in
      if made.isEmpty { made = make() }
      if made.isEmpty { preconditionFailure("plugin '\(name)' has no blueprint") }
      return made
    }
  }
}
