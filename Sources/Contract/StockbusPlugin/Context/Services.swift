/// A value that the program provides for all components of a run, such as the terminal.
///
/// It is declared in its own module with one line: `extension Terminal: Service { static let fallback = … }`. One line provides it where
/// the run is created: `Pipeline(topology, logger: logger, services: Services(terminal))`. A component reads it as
/// `context.services[Terminal.self]`.
public protocol Service: Sendable {
  /// The value for a component if none is provided. It does as little as possible, and nothing outside the process.
  static var fallback: Self { get }
}

/// The services that the components of a run share: at most one value of each type.
public struct Services: Sendable {
  private var values: [ObjectIdentifier: any Service] = [:]

  /// If two values have the same type, the later one is used.
  public init(_ services: any Service...) {
    for service in services { values[ObjectIdentifier(type(of: service))] = service }
  }

  /// The value of this type, or the type's fallback.
  public subscript<Value: Service>(_: Value.Type) -> Value { values[ObjectIdentifier(Value.self)] as? Value ?? Value.fallback }
}
