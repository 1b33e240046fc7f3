internal import StockbusConfig
internal import StockbusPlugin

/// Why a component, or a run, could not be changed.
package struct ChangeError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String
  /// What is not as before, such as a component that has failed permanently; nil if everything continues with the old plans.
  package var consequence: String?

  init(_ description: String, consequence: String? = nil) {
    self.description = description
    self.consequence = consequence
  }
}

/// A request to continue a component with another plan.
struct PendingChange: Sendable {
  let plan: PlannedNode
  /// Resumed once, with the outcome.
  let reply: CheckedContinuation<ChangeError?, Never>
}

/// The start of components that a change adds: over when all have started, or one has failed to.
final class Trial: Sendable {
  /// Fires when the trial is over.
  let over = Latch()
  private let state: Guarded<(missing: Set<Int>, reason: String?)>

  init(_ members: [Member]) {
    state = Guarded((Set(members.map(\.number)), nil))
    if members.isEmpty { over.fire() }
  }

  /// Why a component has not started; nil as long as none has failed to.
  var failure: String? { state.withLock { $0.reason } }

  func started(_ number: Int) {
    let isOver = state.withLock { state in
      state.missing.remove(number)
      return state.missing.isEmpty
    }
    if isOver { over.fire() }
  }

  func fail(_ reason: String) {
    state.withLock { $0.reason = $0.reason ?? reason }
    over.fire()
  }
}

/// Messages to a run's loop: requested changes, started instances, replaced inputs.
final class ChangeQueue: Sendable {
  enum Item: Sendable {
    case change(PendingChange)
    /// Components that a change adds are to be started.
    case start(Trial)
    /// An instance under a new supervisor of the component with this number has started; posted once per supervisor.
    case started(Int)
    /// A component's inputs have been replaced.
    case rewired(String)
  }

  private struct State {
    var waiting: [Item] = []
    var isClosed = false
  }

  private let state = Guarded(State())
  private let parker = Parker()

  /// Returns false if the queue is closed.
  @discardableResult
  func post(_ item: Item) -> Bool {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.waiting.append(item) }
      return !state.isClosed
    }
    parker.wake()
    return isOpen
  }

  /// Suspends until there are items, and returns them; returns nil if the task is cancelled. One caller at a time.
  func next() async -> [Item]? {
    while !Task.isCancelled {
      let items = state.withLock { state in
        defer { state.waiting = [] }
        return state.waiting
      }
      if !items.isEmpty { return items }
      await parker.sleepCancellably()
    }
    return nil
  }

  /// Closes the queue; returns the items that have not been taken.
  func close() -> [Item] {
    state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}
