internal import Synchronization

/// How far a component with an end has come; written by the component and read from any task.
package final class Progress: Sendable {
  private let doneUnits = Atomic<Int>(0)
  private let totalUnits = Atomic<Int>(-1)

  package init() {}

  /// Units of the component's own choice, such as bytes of a file, that are done; 0 before the first report.
  package var done: Int { doneUnits.load(ordering: .relaxed) }
  /// Units in all; nil if not known.
  package var total: Int? {
    let total = totalUnits.load(ordering: .relaxed)
    return total < 0 ? nil : total
  }

  func report(_ done: Int, of total: Int?) {
    totalUnits.store(total ?? -1, ordering: .relaxed)
    doneUnits.store(done, ordering: .relaxed)
  }
}
