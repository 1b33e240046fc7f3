import Synchronization
import Testing

@testable import EventBus

@Suite struct IdleMarkTests {
  /// So many that a call which grew by a frame each time would not fit on the stack.
  @Test func `a source that was asked while busy rings once when it waits, however often`() {
    let mark = IdleMark()
    let rings = Atomic(0)
    mark.whenAskedFor { rings.add(1, ordering: .relaxed) }
    mark.begin()
    #expect(mark.ask() && rings.load(ordering: .relaxed) == 0)
    for _ in 0..<100_000 {
      mark.end()
      guard !mark.ask() else { break }
      mark.begin()
      mark.begin()
    }
    #expect(rings.load(ordering: .relaxed) == 100_000)
  }
}
