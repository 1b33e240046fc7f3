internal import EventBus
internal import Synchronization

/// Lets a component ask its own loop to call `advance` although no event has arrived: to send the results of a command.
@usableFromInline final class Nudge: Sendable {
  private let isAsked = Atomic(false)
  private let parker = Guarded(Parker?.none)

  init() {}

  func attach(_ parker: Parker) { self.parker.withLock { $0 = parker } }

  func ask() {
    isAsked.store(true, ordering: .sequentiallyConsistent)
    parker.withLock { $0 }?.wake()
  }

  /// Returns true once for any number of calls of `ask`.
  @usableFromInline
  func take() -> Bool { isAsked.load(ordering: .relaxed) && isAsked.exchange(false, ordering: .sequentiallyConsistent) }
}
