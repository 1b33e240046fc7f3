internal import Synchronization

/// The key of a value that an instance leaves for the next one: its name, its type, and its treatment if the next instance has other
/// options.
public struct MemoryKey<Value: Sendable>: Sendable {
  /// The treatment of a value when the options change.
  public enum Change: Sendable, Hashable {
    /// The value is kept, because it is true with any options: which symbols have arrived, which file was opened.
    case keep
    /// The value is dropped, because it depends on the options, as a position in a file does. The component's `carryOver` may copy it
    /// nevertheless.
    case drop
  }

  public let name: String
  public let whenOptionsChange: Change

  public init(_ name: String, whenOptionsChange change: Change) {
    self.name = name
    whenOptionsChange = change
  }
}

/// The values that a component keeps from one instance to the next, such as its position in a file. They are lost when the run ends.
public final class Memory: Sendable {
  struct Value: Sendable {
    let value: any Sendable
    let isKept: Bool
  }

  /// A copy of all remembered values, to return to if a change fails.
  package struct Contents: Sendable {
    let values: [String: Value]
  }

  private struct State {
    var values: [String: Value] = [:]
    /// The values at the last `mark`; nil before the first one.
    var marked: [String: Value]?
  }

  private let state = Mutex(State())
  /// False if nothing has changed since `mark`, so that a repeated `mark` costs only a load for each batch.
  private let hasChanged = Atomic(true)

  package init() {}

  /// The value of this name; nil if there is none or it has another type.
  public subscript<V>(key: MemoryKey<V>) -> V? {
    get { state.withLock { $0.values[key.name]?.value as? V } }
    set { change { $0[key.name] = newValue.map { Value(value: $0, isKept: key.whenOptionsChange == .keep) } } }
  }

  private func change(_ body: (inout [String: Value]) -> Void) {
    state.withLock {
      body(&$0.values)
      hasChanged.store(true, ordering: .relaxed)
    }
  }

  /// Begins a step that `rollBack` can undo.
  @usableFromInline
  func mark() {
    if !hasChanged.load(ordering: .relaxed) { return }
    state.withLock {
      $0.marked = $0.values
      hasChanged.store(false, ordering: .relaxed)
    }
  }

  /// Restores the values of the last `mark`.
  func rollBack() { state.withLock { if let marked = $0.marked { $0.values = marked } } }

  /// Removes the values that depend on the options, because the options change; returns them.
  func dropDependent() -> Memory {
    let dropped = Memory()
    change { values in
      let dependent = values.filter { !$0.value.isKept }
      dropped.change { $0 = dependent }
      values = values.filter(\.value.isKept)
    }
    return dropped
  }

  /// Removes all values, for another kind of component, to which none of them applies.
  func removeAll() { change { $0 = [:] } }

  /// True while no value is stored.
  package var isEmpty: Bool { state.withLock { $0.values.isEmpty } }

  var contents: Contents {
    get { Contents(values: state.withLock { $0.values }) }
    set { change { $0 = newValue.values } }
  }
}
