public import EventBus

/// One kind of event in an output that has several kinds, which a configuration reads as `NAME.part`: `inputs: [broker.fills]`.
///
/// A component has one output of one event type. One that emits several kinds declares an event type that holds one of each (in optional
/// properties or by an enum), and a part for each kind. All kinds share one order, and a batch that throws discards events of all kinds.
public protocol EventPart<Whole, Part>: SendableMetatype {
  associatedtype Whole: Event
  associatedtype Part: Event
  /// The name after the point; snake_case.
  static var name: String { get }
  /// The event of this kind in `whole`; nil if `whole` is of another kind.
  static func part(of whole: Whole) -> Part?
}

/// The component behind an input such as `broker.fills`: passes events of one kind on and filters the others.
actor PartFilter<P: EventPart>: EventProcessor {
  init(_: NoOptions, _: Context) {}

  func process(_ whole: P.Whole, into output: inout Outlet<P.Part>) {
    if let part = P.part(of: whole) { output.send(part) } else { output.filter() }
  }
}

extension Plugin {
  /// The same plugin, with an output that can be read in parts.
  public func readable(inParts parts: [any EventPart.Type]) -> Plugin {
    var plugin = self
    plugin.parts = parts.map { Self.part($0, of: name) }
    return plugin
  }

  /// The same plugin, of which other plugins send the rest: `NAME.rest` is a component of one of these, which stands beside the component and
  /// has its inputs and its options. Both get the same events and must decide alike, so what they decide may depend on nothing else.
  package func readable(beside rests: [Plugin]) -> Plugin {
    var plugin = self
    plugin.parts += rests.map { rest in
      var rest = rest
      rest.standsBeside = true
      return rest
    }
    return plugin
  }

  private static func part<P: EventPart>(_: P.Type, of name: String) -> Plugin {
    Plugin("\(name).\(P.name)", "Passes on the \(P.name) of \(name).", .processor(PartFilter<P>.self))
  }
}
