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
  /// The version of a value that outlives the run, and its type; nil if it is lost then.
  let version: Int?
  let codable: (any (Codable & Sendable).Type)?

  /// A value that also outlives the run, where `runtime: { memory: FILE }` asks for it.
  public init(_ name: String, whenOptionsChange change: Change) where Value: Codable {
    self.init(name, version: 1, whenOptionsChange: change)
  }

  /// - Parameter version: must change whenever values get another meaning or form: what another version has left is not read.
  public init(_ name: String, version: Int, whenOptionsChange change: Change) where Value: Codable {
    self.name = name
    whenOptionsChange = change
    self.version = version
    codable = Value.self
  }

  /// A value that is lost when the run ends, because it cannot be written.
  public init(_ name: String, whenOptionsChange change: Change) {
    self.name = name
    whenOptionsChange = change
    (version, codable) = (nil, nil)
  }
}

/// A value that an earlier run has left, which is decoded once its type is known.
package protocol StoredValue: Sendable {
  var version: Int { get }
  func decode<V: Decodable>(_: V.Type) throws -> V
}

/// The values that a component keeps from one instance to the next, such as its position in a file. They are lost when the run ends, unless
/// it keeps a memory.
public final class Memory: Sendable {
  struct Value: Sendable {
    /// The value, or a `StoredValue` as long as nobody has asked for it.
    let value: any Sendable
    let isKept: Bool
    /// Those of the key; a `StoredValue` has no type.
    let version: Int?
    let codable: (any (Codable & Sendable).Type)?
  }

  /// A copy of all remembered values, to return to if a change fails.
  package struct Contents: Sendable {
    let values: [String: Value]
  }

  private struct State {
    var values: [String: Value] = [:]
    /// The values at the last `mark`; nil before the first one.
    var marked: [String: Value]?
    var isForAnotherRun = false
  }

  private let state = Mutex(State())
  /// False if nothing has changed since `mark`, so that a repeated `mark` costs only a load for each batch.
  private let hasChanged = Atomic(true)

  package init() {}

  /// The value of this name; nil if there is none, if it has another type, or if an earlier run has left it in another form.
  public subscript<V>(key: MemoryKey<V>) -> V? {
    get { read(key) { _ in } }
    set {
      change {
        $0[key.name] = newValue.map { Value(value: $0, isKept: key.whenOptionsChange == .keep, version: key.version, codable: key.codable) }
      }
    }
  }

  /// Tells `refused` why a value that an earlier run has left is not used.
  package func read<V>(_ key: MemoryKey<V>, refused: (String) -> Void) -> V? {
    let found = state.withLock { $0.values[key.name] }
    guard let stored = found?.value as? any StoredValue else { return found?.value as? V }
    do {
      guard let codable = key.codable, key.version == stored.version, let value = try stored.decode(codable) as? V else {
        throw OtherForm(version: stored.version)
      }
      self[key] = value
      return value
    } catch {
      self[key] = nil
      refused("\(error)")
      return nil
    }
  }

  private struct OtherForm: Error, CustomStringConvertible {
    let version: Int
    var description: String { "it is of another version (\(version))" }
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

  // MARK: Between runs

  /// A value with what a file needs to keep it.
  package struct Entry: Sendable {
    package let name: String
    package let isKept: Bool
    package let version: Int
    package let value: Form

    package enum Form: Sendable {
      case live(any Encodable & Sendable)
      /// From an earlier run; nobody has asked for it.
      case stored(any StoredValue)
    }

    package init(name: String, isKept: Bool, version: Int, value: Form) {
      self.name = name
      self.isKept = isKept
      self.version = version
      self.value = value
    }
  }

  /// True once the run has been stopped, and another one goes on.
  var isForAnotherRun: Bool {
    get { state.withLock { $0.isForAnotherRun } }
    set { state.withLock { $0.isForAnotherRun = newValue } }
  }

  /// The values that outlive the run, in the order of their names.
  package var entries: [Entry] {
    state.withLock { $0.values }.sorted { $0.key < $1.key }.compactMap { name, value in
      guard let version = value.version, let form = Self.form(of: value) else { return nil }
      return Entry(name: name, isKept: value.isKept, version: version, value: form)
    }
  }

  private static func form(of value: Value) -> Entry.Form? {
    if let stored = value.value as? any StoredValue { return .stored(stored) }
    // Not `as? any Encodable`, which fails for an optional that is nil.
    func cast<V: Codable & Sendable>(_: V.Type) -> Entry.Form? { (value.value as? V).map { .live($0) } }
    return value.codable.flatMap { cast($0) }
  }

  /// Takes what an earlier run has left. To be called before the first instance.
  package func take(_ entries: [Entry]) {
    change { values in
      for entry in entries {
        let (value, codable): (any Sendable, (any (Codable & Sendable).Type)?) =
          switch entry.value {
          case .live(let value): (value, type(of: value) as? any (Codable & Sendable).Type)
          case .stored(let value): (value, nil)
          }
        values[entry.name] = Value(value: value, isKept: entry.isKept, version: entry.version, codable: codable)
      }
    }
  }
}
