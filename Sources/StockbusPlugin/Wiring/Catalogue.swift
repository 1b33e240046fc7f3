/// The plugins that a configuration may name.
public struct Catalogue: Sendable {
  /// By name.
  public let plugins: [Plugin]

  /// Two plugins of one name are the programmer's mistake and trap.
  public init(_ plugins: [Plugin]) {
    self.plugins = plugins.sorted { $0.name < $1.name }
    precondition(Set(plugins.map(\.name)).count == plugins.count, "two plugins have one name")
  }

  public subscript(name: String) -> Plugin? { plugins.first { $0.name == name } }
}
