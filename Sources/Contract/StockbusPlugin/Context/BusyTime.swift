internal import Synchronization

/// The time that a component has used a processor, or had a thread to itself: the sum of its jobs, in nanoseconds. Any thread may add.
package final class BusyTime: Sendable {
  private let sum = Atomic<Int>(0)

  package init() {}

  package func add(_ nanoseconds: Int64) { _ = sum.wrappingAdd(Int(nanoseconds), ordering: .relaxed) }
  package var total: Duration { .nanoseconds(sum.load(ordering: .relaxed)) }
}
