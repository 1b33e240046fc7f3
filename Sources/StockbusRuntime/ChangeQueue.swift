internal import EventBus
internal import StockbusConfig
internal import StockbusPlugin

/// Why a component could not be changed. The run continues with the old plan.
package struct ChangeError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// A request to continue a component with another plan.
struct Change: Sendable {
  let plan: PlannedNode
  /// Resumed once, with the outcome.
  let reply: CheckedContinuation<ChangeError?, Never>
}

/// Messages to a run's loop: changes that are asked for, instances that have started, inputs that were replaced.
final class ChangeQueue: Sendable {
  enum Item: Sendable {
    case change(Change)
    /// An instance under a new supervisor of this component has started; posted once per supervisor.
    case started(String)
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
