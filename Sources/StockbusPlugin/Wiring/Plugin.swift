public import EventBus

/// What a plugin's module exports: a name, a sentence, and a blueprint for whatever stands upstream.
public struct Plugin: Sendable {
  /// What event types it takes.
  public enum Accepts: Sendable {
    case types([any Event.Type])
    case anyEvent, anySymbolEvent, anyPricedEvent
  }

  /// The name in a configuration's `plugin:`.
  public let name: String
  /// What it does, in one sentence.
  public let doc: String
  public let kind: Blueprint.Kind
  public let accepts: Accepts
  /// The options' type.
  public let options: any Options.Type
  public let commands: [CommandInfo]
  /// What it emits, for documentation: type names, or words such as "what it takes".
  public let emits: String
  /// Blueprints that are compiled: of the one type, of the hot types, or of every value of `choice`.
  private let compiled: [Blueprint]
  private let choice: Choice?
  private let open: (@Sendable ([any Event.Type]) -> Blueprint?)?

  private struct Choice: Sendable {
    let option: String
    let values: [String]
  }

  /// A plugin of one component type.
  public init(_ name: String, _ doc: String, _ blueprint: Blueprint) {
    self.init(name, doc, [blueprint], accepts: .types(blueprint.inputs), emits: blueprint.output.map(Self.name), choice: nil, open: nil)
  }

  /// A plugin whose event type an option decides: `variants` has a blueprint for every value of `option`, its default first. All
  /// have the same options.
  public init(_ name: String, _ doc: String, option: String, variants: KeyValuePairs<String, Blueprint>) {
    self.init(
      name, doc, variants.map(\.value), accepts: .types(variants.flatMap(\.value.inputs)),
      emits: variants.compactMap { $0.value.output.map(Self.name) }.joined(separator: ", "),
      choice: Choice(option: option, values: variants.map(\.key)), open: nil)
  }

  /// A plugin generic over its event type. `hot` are blueprints compiled where they are written; any other fitting type is bound
  /// at wiring and runs unspecialised. `emits` says what it emits where that is not what it takes.
  public init<G: AnyEventPlugin>(_ name: String, _ doc: String, _: G.Type, hot: [Blueprint], emits: String? = nil) {
    self.init(name, doc, hot, accepts: .anyEvent, emits: emits ?? "", choice: nil) { types in
      types.first.map { G.bind($0) }
    }
  }

  /// As above, for events about an instrument.
  public init<G: SymbolEventPlugin>(_ name: String, _ doc: String, _: G.Type, hot: [Blueprint], emits: String? = nil) {
    self.init(name, doc, hot, accepts: .anySymbolEvent, emits: emits ?? "", choice: nil) { types in
      (types.first as? any SymbolEvent.Type).map { G.bind($0) }
    }
  }

  /// As above, for events that tell a price.
  public init<G: PricedEventPlugin>(_ name: String, _ doc: String, _: G.Type, hot: [Blueprint], emits: String? = nil) {
    self.init(name, doc, hot, accepts: .anyPricedEvent, emits: emits ?? "", choice: nil) { types in
      (types.first as? any PricedEvent.Type).map { G.bind($0) }
    }
  }

  private init(
    _ name: String, _ doc: String, _ compiled: [Blueprint], accepts: Accepts, emits: String?, choice: Choice?,
    open: (@Sendable ([any Event.Type]) -> Blueprint?)?
  ) {
    guard let first = compiled.first else { preconditionFailure("plugin '\(name)' has no blueprint") }
    self.name = name
    self.doc = doc
    self.compiled = compiled
    self.accepts = accepts
    self.choice = choice
    self.open = open
    kind = first.kind
    options = first.options
    commands = first.commands
    self.emits = emits ?? first.output.map(Self.name) ?? ""
  }

  /// The event types it is compiled for, those it takes before those it emits; some may come twice.
  public var eventTypes: [any Event.Type] { compiled.flatMap(\.inputs) + compiled.compactMap(\.output) }

  /// What it emits whatever it takes; nil where that depends, and where it emits nothing.
  public var fixedOutput: (any Event.Type)? {
    guard let output = compiled[0].output, !emits.isEmpty, compiled.allSatisfy({ $0.output == output }) else { return nil }
    return output
  }

  static func name(of type: any Event.Type) -> String { type.eventName }

  /// True where it can take this type.
  public func fits(_ type: any Event.Type) -> Bool {
    switch accepts {
    case .types(let types): types.contains { $0 == type }
    case .anyEvent: true
    case .anySymbolEvent: type is any SymbolEvent.Type
    case .anyPricedEvent: type is any PricedEvent.Type
    }
  }

  /// True where it has to be given inputs; otherwise it must not.
  public var takesInputs: Bool { if case .types(let types) = accepts { !types.isEmpty } else { true } }

  /// The event types it takes, in words: `trade, quote`, `events with a price`.
  public var acceptedTypes: String {
    switch accepts {
    case .types(let types): types.map(Self.name).joined(separator: ", ")
    case .anyEvent: "any event"
    case .anySymbolEvent: "events about a symbol"
    case .anyPricedEvent: "events with a price"
    }
  }

  /// Decodes options without making anything of them; throws every problem at once.
  public func checkOptions(_ node: ConfigNode?, at mark: ConfigNode.Mark) throws(Problems) { try Self.check(options, node, mark) }

  private static func check<O: Options>(_: O.Type, _ node: ConfigNode?, _ mark: ConfigNode.Mark) throws(Problems) {
    _ = try O.decode(node, at: mark)
  }

  /// The blueprint for these upstream types and options; nil where they do not fit.
  public func blueprint(for upstream: [any Event.Type], options: ConfigNode?) -> Blueprint? {
    if let choice {
      var at = 0
      if case .scalar(let value) = options?[choice.option]?.value { at = choice.values.firstIndex(of: value) ?? 0 }
      return compiled[at]
    }
    guard upstream.allSatisfy(fits) else { return nil }
    if let fitting = compiled.first(where: { blueprint in
      upstream.isEmpty ? blueprint.inputs.isEmpty : upstream.allSatisfy { type in blueprint.inputs.contains { $0 == type } }
    }) {
      return fitting
    }
    guard let first = upstream.first, upstream.allSatisfy({ $0 == first }) else { return nil }
    return open?(upstream)
  }
}

/// A plugin that takes whatever event: how it is made for one type, in one line.
public protocol AnyEventPlugin: SendableMetatype {
  static func bind<E: Event>(_: E.Type) -> Blueprint
}

/// A plugin that takes whatever has a symbol: how it is made for one type, in one line.
public protocol SymbolEventPlugin: SendableMetatype {
  static func bind<E: SymbolEvent>(_: E.Type) -> Blueprint
}

/// A plugin that takes whatever has a price: how it is made for one type, in one line.
public protocol PricedEventPlugin: SendableMetatype {
  static func bind<E: PricedEvent>(_: E.Type) -> Blueprint
}
