/// The state of a function that continues from its last result, where the newest event may be revised: it then continues from the result
/// before.
struct Revisable<State: BitwiseCopyable>: BitwiseCopyable {
  var current: State
  var previous: State
  /// The time of the newest event that it has taken.
  var time: Int64
}

extension ExpressionMemory {
  /// Takes event `i` into the state of its key. `update` gets the state before the event; older revisions are left out and counted.
  @inline(__always)
  func update<State: BitwiseCopyable>(
    _ at: Int, as _: State.Type, _ i: Int, isRevisable: Bool, isTaken: Bool, _ update: (inout State) -> Void
  ) -> UnsafeMutablePointer<State> {
    // The current state comes first, so the pointer is right in both cases.
    let state = (columns.blocks[i] + at).assumingMemoryBound(to: State.self)
    if !isTaken { return state }
    if isRevisable {
      let revisable = (columns.blocks[i] + at).assumingMemoryBound(to: Revisable<State>.self)
      let mark = columns.marks[i]
      if mark == Mark.older {
        revisedTooLate &+= 1
        return state
      }
      if mark == Mark.newest, revisable.pointee.time == columns.time[i] {
        revisable.pointee.current = revisable.pointee.previous
      } else {
        revisable.pointee.previous = revisable.pointee.current
        revisable.pointee.time = columns.time[i]
      }
    }
    update(&state.pointee)
    return state
  }
}
