/// A value that the maker of a run provides for all of its components, such as the terminal.
///
/// One line declares it, in the room that knows what it is: `extension Terminal: Service { static let fallback = … }`. One line provides it, where
/// the run is made: `Pipeline(topology, logger: logger, services: Services(terminal))`. A component finds it as `context.services[Terminal.self]`.
public protocol Service: Sendable {
  /// What a component gets where nobody has provided one: it does as little as it can, and nothing outside of the process.
  static var fallback: Self { get }
}

/// What the components of a run share of the world around it: at most one value of each type.
public struct Services: Sendable {
  private var values: [ObjectIdentifier: any Service] = [:]

  /// Of two values of one type the later counts.
  public init(_ services: any Service...) {
    for service in services { values[ObjectIdentifier(type(of: service))] = service }
  }

  /// The value of this type, or the type's fallback.
  public subscript<Value: Service>(_: Value.Type) -> Value { values[ObjectIdentifier(Value.self)] as? Value ?? Value.fallback }
}
