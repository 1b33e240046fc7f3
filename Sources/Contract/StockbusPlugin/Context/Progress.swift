internal import Synchronization

/// The progress of a component with an end; written by the component and read by any task.
package final class Progress: Sendable {
  private let doneUnits = Atomic<Int>(0)
  private let totalUnits = Atomic<Int>(-1)

  package init() {}

  /// The units done so far, of the component's own choice such as bytes of a file; 0 before the first report.
  package var done: Int { doneUnits.load(ordering: .relaxed) }
  /// The units in total; nil if not known.
  package var total: Int? {
    let total = totalUnits.load(ordering: .relaxed)
    return total < 0 ? nil : total
  }

  func report(_ done: Int, of total: Int?) {
    totalUnits.store(total ?? -1, ordering: .relaxed)
    doneUnits.store(done, ordering: .relaxed)
  }
}
