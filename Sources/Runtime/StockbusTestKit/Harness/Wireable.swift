public import StockbusPlugin

/// Something that a harness can run: a plugin, or the blueprint of one component type.
public protocol Wireable: Sendable {
  /// The blueprint for these upstream types and options; nil if they do not fit.
  func blueprint(for upstream: [any Event.Type], options: ConfigNode?) -> Blueprint?
}

extension Plugin: Wireable {}

extension Blueprint: Wireable {
  public func blueprint(for upstream: [any Event.Type], options: ConfigNode?) -> Blueprint? {
    upstream.allSatisfy { type in inputs.contains { $0 == type } } ? self : nil
  }
}

/// Why a harness cannot run something, in one sentence.
public struct HarnessError: Error, Hashable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
