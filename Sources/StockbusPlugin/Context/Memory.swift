internal import Synchronization

/// A value that a component leaves for the instance after it: its name, its type, and what becomes of it when that instance has other
/// options.
public struct MemoryKey<Value: Sendable>: Sendable {
  /// What becomes of a value when the options change.
  public enum Change: Sendable, Hashable {
    /// It holds whatever the options say: which symbols have come, which file was opened.
    case keep
    /// It is a consequence of the options, as a place in a file is; the component's `carryOver` may take it along all the same.
    case drop
  }

  public let name: String
  public let whenOptionsChange: Change

  public init(_ name: String, whenOptionsChange change: Change) {
    self.name = name
    whenOptionsChange = change
  }
}

/// What a component keeps from one instance to the next, such as its place in a file. Gone when the run ends.
public final class Memory: Sendable {
  struct Value: Sendable {
    let value: any Sendable
    let isKept: Bool
  }

  /// A copy of everything that is remembered, to return to if a change fails.
  public struct Contents: Sendable {
    let values: [String: Value]
  }

  private let values = Mutex<[String: Value]>([:])

  public init() {}

  /// The value of this name; nil where there is none, or one of another type.
  public subscript<V>(key: MemoryKey<V>) -> V? {
    get { values.withLock { $0[key.name]?.value as? V } }
    set {
      let value = newValue.map { Value(value: $0, isKept: key.whenOptionsChange == .keep) }
      values.withLock { $0[key.name] = value }
    }
  }

  /// The options change: what depends on them is taken out, to be looked at once more.
  func dropDependent() -> Memory {
    let dropped = Memory()
    values.withLock { values in
      let dependent = values.filter { !$0.value.isKept }
      dropped.values.withLock { $0 = dependent }
      values = values.filter(\.value.isKept)
    }
    return dropped
  }

  /// Another kind of component comes: nothing here is meant for it.
  func removeAll() { values.withLock { $0 = [:] } }

  var contents: Contents {
    get { Contents(values: values.withLock { $0 }) }
    set { values.withLock { $0 = newValue.values } }
  }
}
