public import Synchronization

/// An atomic counter on cache lines of its own, so that one side's stores do not slow the other side down.
///
/// Unsafe because an `Atomic` cannot be padded in a class; whoever makes one frees it.
@usableFromInline typealias Cell = UnsafeMutablePointer<Atomic<Int>>

/// A cell, alone on two cache lines (the prefetcher fetches pairs).
@usableFromInline
func makeCell(_ value: Int = 0) -> Cell {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
  let cell = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
  cell.initialize(to: Atomic(value))
  return cell
}

/// A counter that one task writes and any may read.
public final class Counter: Sendable {
  @usableFromInline let value = Atomic<Int>(0)

  public init() {}

  /// Counts `n` more. Only one task may call it: a load and a store, no locked instruction.
  @inlinable @inline(__always)
  public func add(_ n: Int) { value.store(value.load(ordering: .relaxed) &+ n, ordering: .relaxed) }
  @inlinable public var total: Int { value.load(ordering: .relaxed) }
}

/// A number that one task, the producer or a reader, keeps in a shared object for itself.
///
/// Atomic for speed, not for others: a class's stored variable is checked for exclusive access at every use, six times a run, which
/// took longer than handing over a short run does. On the processors we know a relaxed load or store is a plain one.
@usableFromInline
struct Register: ~Copyable, Sendable {
  @usableFromInline let value: Atomic<Int>

  init(_ number: Int = 0) { value = Atomic(number) }

  @inlinable
  var number: Int {
    @inline(__always) get { value.load(ordering: .relaxed) }
    @inline(__always) nonmutating set { value.store(newValue, ordering: .relaxed) }
  }
}
