/// What others have confirmed to a run, such as that an alert was taken. It outlives the run even if that is killed.
package protocol Receipts: Sendable {
  /// The number of the first memory of the run that has everything that has happened so far.
  var nextMemory: Int { get }
  /// Returns once this memory is kept, or cannot be at present; asks for it.
  func memoryIsKept(_ number: Int) async
  /// True if this was confirmed to this run or an earlier one, as far as an event can be repeated for which it was.
  func contains(_ receipt: String) -> Bool
  func add(_ receipt: String)
}
