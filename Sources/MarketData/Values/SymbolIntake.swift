internal import Synchronization

/// How the names that one source brings from outside become symbols, so that no source can take the table from the others.
///
/// It counts the names that nobody had used before, and refuses further ones beyond its limit; a name that is known costs nothing, whoever
/// brought it. Names of a configuration, of which there are as many as somebody wrote down, need none.
public final class SymbolIntake: Sendable {
  /// Why a name was refused that is a good one.
  public enum Refusal: Sendable, Hashable {
    /// The source has brought as many as it may.
    case limit
    /// The process has as many as it can have.
    case table
  }

  /// How many names a source may bring where nothing else is said.
  public static var usualLimit: Int { 1_000_000 }
  /// Takes whatever the table takes.
  public static let open = SymbolIntake(limit: Symbol.limit)

  /// How many names nobody had used before it may bring.
  public let limit: Int
  private let brought = Atomic<Int>(0)
  private let hasRefused = Atomic<Bool>(false)
  private let whenRefused: @Sendable (Refusal) -> Void

  /// `whenRefused` is called at the first name that is refused, once.
  public init(limit: Int = usualLimit, whenRefused: @escaping @Sendable (Refusal) -> Void = { _ in }) {
    self.limit = limit
    self.whenRefused = whenRefused
  }

  /// How many names nobody had used before it has brought.
  public var count: Int { brought.load(ordering: .relaxed) }

  /// The symbol named by these bytes. Throws `TextError` where the name breaks the rules for symbols, or is refused.
  public func symbol(utf8 name: UnsafeBufferPointer<UInt8>) throws(TextError) -> Symbol { try symbol(utf8: name, in: .shared) }

  func symbol(utf8 name: UnsafeBufferPointer<UInt8>, in table: SymbolTable) throws(TextError) -> Symbol {
    do { return Symbol(id: try table.intern(name, by: self)) } catch {
      switch error.code {
      case .tooManySymbols: refuse(.limit)
      case .tableFull: refuse(.table)
      default: break
      }
      throw error
    }
  }

  /// Counts one more; false where there may be none. Called under the table's lock, so that none is counted that was not new.
  func takesOne() -> Bool {
    if brought.load(ordering: .relaxed) >= limit { return false }
    brought.add(1, ordering: .relaxed)
    return true
  }

  private func refuse(_ refusal: Refusal) {
    if !hasRefused.exchange(true, ordering: .relaxed) { whenRefused(refusal) }
  }
}
