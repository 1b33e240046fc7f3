import Testing

@testable import EventBus

@Suite struct IdleMarkTests {
  @Test func `a source that was asked while busy rings once when it waits, and no deeper on the stack each time`() {
    let mark = IdleMark()
    let depths = Guarded([Int]())
    mark.whenAskedFor {
      var local: UInt8 = 0
      withUnsafePointer(to: &local) { place in depths.withLock { $0.append(Int(bitPattern: place)) } }
    }
    mark.begin()
    #expect(mark.ask() && depths.withLock { $0 } == [])
    for _ in 0..<1000 {
      mark.end()
      guard !mark.ask() else { break }
      mark.begin()
      mark.begin()
    }
    let places = depths.withLock { $0 }
    #expect(places.count == 1000)
    #expect(Set(places).count == 1)
  }
}
