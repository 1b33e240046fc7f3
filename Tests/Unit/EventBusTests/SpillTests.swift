import TestSupport
import Testing

@testable import EventBus

/// Random operations (SplitMix), compared with an array; objects count that each is released exactly once.
@Suite struct SpillTests {
  private final class Mark {
    let number: Int
    let alive: Alive

    init(_ number: Int, _ alive: Alive) {
      self.number = number
      self.alive = alive
      alive.count += 1
    }

    deinit { alive.count -= 1 }
  }

  private final class Alive { var count = 0 }

  @Test(arguments: 0..<20) func `is a queue`(seed: Int) {
    let alive = Alive()
    do {
      var random = SplitMix(seed)
      var spill = Spill<Mark>()
      var model: [Int] = []
      let target = UnsafeMutablePointer<Mark>.allocate(capacity: 40)
      defer { target.deallocate() }
      for step in 0..<2000 {
        switch random.upTo(40) {
        case 0:
          spill.removeAll()
          model = []
        case 1...12:
          let most = random.upTo(40)
          let n = spill.move(to: target, atMost: most)
          #expect(n == min(most, model.count))
          #expect((0..<n).map { target[$0].number } == Array(model.prefix(n)))
          target.deinitialize(count: n)
          model.removeFirst(n)
        default:
          spill.append().initialize(to: Mark(step, alive))
          model.append(step)
        }
        #expect(spill.count == model.count && spill.isEmpty == model.isEmpty && alive.count == model.count)
      }
      spill.append().initialize(to: Mark(-1, alive))
    }
    #expect(alive.count == 0)
  }
}
