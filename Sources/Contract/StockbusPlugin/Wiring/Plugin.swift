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

  /// The event types to which a blueprint is bound.
  package struct Types: Sendable {
    /// The types of the inputs, all of which the plugin takes.
    package let inputs: [any Event.Type]
    /// The type that the option names by which the configuration chooses the output; nil if it is not written.
    package var named: (any Event.Type)?

    /// The one type of all inputs; nil if there are several or none.
    package var input: (any Event.Type)? {
      guard let first = inputs.first, inputs.allSatisfy({ $0 == first }) else { return nil }
      return first
    }
  }

  /// The blueprint for these types and options; nil if there is none.
  package typealias Bind = @Sendable (Types, ConfigNode?) -> Blueprint?

  /// The name in a configuration's `plugin:`.
  package let name: String
  /// The plugin's purpose, in one sentence.
  package let doc: String
  /// The precompiled blueprints: of the one type, of the hot types, or of every value of an option. They are examples for documentation.
  private let compiled: CompiledBlueprints
  /// What a generic plugin takes; nil if the compiled blueprints take all that it takes.
  private let open: Accepts?
  private let emitsText: String?
  private var bind: Bind
  /// The option that names the event type of the output, which may be any that the catalogue knows; nil if there is none.
  package private(set) var typeOption: String?
  /// Event types besides those of the blueprints.
  private var declared: [any Event.Type] = []
  /// All event types of the catalogue from which the plugin is.
  private var known: (@Sendable () -> [any Event.Type])?
  /// Plugins of the components that read parts of its output, or stand beside it; their names are `NAME.part`.
  package var parts: [Plugin] = []
  /// True for a part whose component has the inputs and options of the whole, and does not read its output.
  package var standsBeside = false
  /// Options for an example, one a line, as they are written in a configuration; nil if only the required ones are needed.
  private var exampleText: String?
  /// The options of its option `options`, which its type does not declare; empty if there are none.
  private var innerOptions: [OptionInfo] = []
  /// Distinguishes versions of the plugin's code, if it can change while the program runs; empty for a plugin of the program.
  package private(set) var revision = ""
  /// The folder from which it was loaded; nil for a plugin of the program.
  package private(set) var bundle: String?

  /// A plugin of one component type.
  public init(_ name: String, _ doc: String, _ blueprint: @autoclosure @escaping @Sendable () -> Blueprint) {
    self.init(name, doc, compiled: [blueprint()])
  }

  /// A plugin with a blueprint for each fitting upstream type.
  package init(_ name: String, _ doc: String, compiled: @autoclosure @escaping @Sendable () -> [Blueprint]) {
    let compiled = CompiledBlueprints(compiled)
    self.init(name, doc, compiled) { types, _ in compiled.taking(types.inputs) }
  }

  /// A plugin whose event type is chosen by an option: `variants` has a blueprint for every value of `option`, the default first. All have
  /// the same options.
  public init(
    _ name: String, _ doc: String, option: String,
    variants: @autoclosure @escaping @Sendable () -> KeyValuePairs<String, Blueprint>
  ) {
    let compiled = CompiledBlueprints { variants().map(\.value) }
    self.init(name, doc, compiled) { _, options in
      compiled.all[options?.word(option).flatMap { word in variants().firstIndex { $0.key == word } } ?? 0]
    }
  }

  /// A source that is generic over its event type, which `option` names by an `EventName`: any type of stockbus, of the program's plugins,
  /// and of the plugins that a configuration names. `hot` are blueprints that are specialised where they are written, the default first; any
  /// other type is bound at wiring and runs unspecialised.
  public init<G: AnyEventPlugin>(
    _ name: String, _ doc: String, _: G.Type, emitting option: String, hot: @autoclosure @escaping @Sendable () -> [Blueprint]
  ) {
    let compiled = CompiledBlueprints(hot)
    self.init(name, doc, compiled, emits: "what '\(option)' says") { types, _ in
      guard let named = types.named else { return compiled.all[0] }
      return compiled.all.first { $0.output == named } ?? G.bind(named)
    }
    (typeOption, declared) = (option, EventTypes.ofStockbus)
  }

  /// A plugin that is generic over its event type. `hot` are blueprints that are specialised where they are written; any other fitting type
  /// is bound at wiring and runs unspecialised, also if there are none. `emits` describes its output if that differs from its input.
  public init<G: AnyEventPlugin>(
    _ name: String, _ doc: String, _: G.Type, hot: @autoclosure @escaping @Sendable () -> [Blueprint], emits: String? = nil
  ) {
    self.init(name, doc, .anyEvent, hot, emits) { G.bind($0) }
  }

  /// Like the initialiser above, for events about an instrument.
  public init<G: SymbolEventPlugin>(
    _ name: String, _ doc: String, _: G.Type, hot: @autoclosure @escaping @Sendable () -> [Blueprint], emits: String? = nil
  ) {
    self.init(name, doc, .anySymbolEvent, hot, emits) { type in (type as? any SymbolEvent.Type).map { G.bind($0) } }
  }

  /// Like the initialiser above, for events with a price.
  public init<G: PricedEventPlugin>(
    _ name: String, _ doc: String, _: G.Type, hot: @autoclosure @escaping @Sendable () -> [Blueprint], emits: String? = nil
  ) {
    self.init(name, doc, .anyPricedEvent, hot, emits) { type in (type as? any PricedEvent.Type).map { G.bind($0) } }
  }

  /// `bind` also gives the example of a plugin without `hot`.
  private init(
    _ name: String, _ doc: String, _ accepts: Accepts, _ hot: @escaping @Sendable () -> [Blueprint], _ emits: String?,
    _ bind: @escaping @Sendable (any Event.Type) -> Blueprint?
  ) {
    let compiled = CompiledBlueprints {
      let made = hot()
      return made.isEmpty ? [bind(Trade.self)].compactMap(\.self) : made
    }
    self.init(name, doc, compiled, open: accepts, emits: emits ?? "") { types, _ in
      compiled.taking(types.inputs) ?? types.input.flatMap(bind)
    }
  }

  private init(
    _ name: String, _ doc: String, _ compiled: CompiledBlueprints, open: Accepts? = nil, emits: String? = nil, _ bind: @escaping Bind
  ) {
    self.name = name
    self.doc = doc
    self.compiled = compiled
    self.open = open
    emitsText = emits
    self.bind = bind
  }

  /// The same plugin, for which `choose` may return another blueprint with the same options.
  /// - Parameter option: the option of which `choose` gets the event type; nil if there is none.
  package func choosing(by option: String? = nil, _ choose: @escaping Bind) -> Plugin {
    var copy = self
    copy.bind = { [bind] types, options in choose(types, options) ?? bind(types, options) }
    if let option { (copy.typeOption, copy.declared) = (option, declared + EventTypes.ofStockbus) }
    return copy
  }

  /// The same plugin, with which a program also knows `types`: those that no component takes or emits by its declaration, and that a
  /// configuration may name, such as `nats_in` with `event`.
  public func declaring(_ types: any Event.Type...) -> Plugin {
    var copy = self
    copy.declared += types
    return copy
  }

  /// The same plugin, of which `describe` shows an example with these options, written as in a configuration, one a line: `where: size > 100`.
  /// Without it the example has the required options with values of their types.
  public func example(_ options: String) -> Plugin {
    var copy = self
    copy.exampleText = options
    return copy
  }

  /// The same plugin, whose option `options` is a mapping of these.
  package func holding(_ infos: [OptionInfo]) -> Plugin {
    var copy = self
    copy.innerOptions = infos
    return copy
  }

  /// The description of all options, with those that only this plugin's `options` has.
  package var optionInfos: [OptionInfo] {
    options.describe().map { $0.name == "options" && !innerOptions.isEmpty ? $0.holding(innerOptions) : $0 }
  }

  /// The lines of an example's options.
  package var exampleOptions: [String] {
    exampleText?.split(separator: "\n").map(String.init) ?? optionInfos.requiredExample
  }

  /// The same plugin, which finds the event types that its options name among these.
  package func knowing(_ types: @escaping @Sendable () -> [any Event.Type]) -> Plugin {
    var copy = self
    copy.known = types
    return copy
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

  /// True if both are copies of one plugin.
  package func isSame(as other: Plugin) -> Bool {
    compiled === other.compiled || !isEmpty && !other.isEmpty && name == other.name && component == other.component
  }

  private var blueprints: [Blueprint] {
    let all = compiled.all
    precondition(!all.isEmpty, "plugin '\(name)' has no blueprint")
    return all
  }

  /// True if the plugin has no blueprint, so that nothing else may be read from it.
  var isEmpty: Bool { compiled.all.isEmpty }
  /// The type of the plugin's components, with its module.
  package var component: String { String(reflecting: blueprints[0].component) }
  package var kind: Blueprint.Kind { blueprints[0].kind }
  package var accepts: Accepts { open ?? .types(blueprints.flatMap(\.inputs)) }
  /// The options' type.
  package var options: any Options.Type { blueprints[0].options }
  package var commands: [CommandInfo] { blueprints[0].commands }
  /// The plugin's output, for documentation: type names, or words such as "what it takes".
  package var emits: String { emitsText ?? blueprints.compactMap { $0.output.map(Self.name) }.joined(separator: ", ") }

  /// The event types that the plugin brings along: those for which it is compiled, inputs before outputs, and those that it declares besides;
  /// some may occur twice.
  package var eventTypes: [any Event.Type] {
    blueprints.flatMap(\.inputs) + blueprints.compactMap(\.output) + parts.flatMap { $0.blueprints.compactMap(\.output) } + declared
  }

  /// The event type that the plugin emits for any input and any options; nil if the type depends on them or the plugin emits nothing.
  package var fixedOutput: (any Event.Type)? {
    guard let output = blueprints[0].output, !emits.isEmpty, typeOption == nil else { return nil }
    return blueprints.allSatisfy { $0.output == output } ? output : nil
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

  /// True if it is a live source, which may have a past.
  package var takesPast: Bool { blueprints.contains(where: \.takesPast) }

  /// The event types that the plugin takes, in words: `trade, quote`, `events with a price`.
  package var acceptedTypes: String {
    switch accepts {
    case .types(let types): types.map(Self.name).joined(separator: ", ")
    case .anyEvent: "any event"
    case .anySymbolEvent: "events about a symbol"
    case .anyPricedEvent: "events with a price"
    }
  }

  /// Checks the options by decoding them, and the event type that they name; throws all problems at once.
  package func checkOptions(_ node: ConfigNode?, at mark: ConfigNode.Mark) throws(Problems) {
    var problems = Problems()
    do throws(Problems) { _ = try options.decode(node, at: mark) } catch { problems = error }
    if let typeOption, let given = node?[typeOption], let word = given.word, type(named: word) == nil {
      let names = knownTypes.map { $0.eventName }
      let hint = didYouMean(word, among: names)
      problems.add("'\(typeOption)' must be one of \(names.joined(separator: ", ")), got \(given.kind)\(hint)", at: given.mark)
    }
    if !problems.isEmpty { throw problems }
  }

  private var knownTypes: [any Event.Type] { known?() ?? Catalogue([self]).events }

  /// Its own types come first, because a catalogue has to create the blueprints of all its plugins.
  private func type(named name: String) -> (any Event.Type)? {
    eventTypes.first { $0.eventName == name } ?? knownTypes.first { $0.eventName == name }
  }

  /// The blueprint for these upstream types and options; nil if they do not fit.
  public func blueprint(for upstream: [any Event.Type], options: ConfigNode?) -> Blueprint? {
    guard upstream.allSatisfy(fits) else { return nil }
    var types = Types(inputs: upstream)
    if let typeOption, let word = options?.word(typeOption) {
      guard let named = type(named: word) else { return nil }
      types.named = named
    }
    return bind(types, options)
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

  /// Empty for a faulty plugin only.
  var all: [Blueprint] {
    made.withLock { made in
      if made.isEmpty { made = make() }
      return made
    }
  }

  /// The blueprint that takes all these types; without types the one that takes none.
  func taking(_ types: [any Event.Type]) -> Blueprint? {
    all.first { blueprint in
      types.isEmpty ? blueprint.inputs.isEmpty : types.allSatisfy { type in blueprint.inputs.contains { $0 == type } }
    }
  }
}
