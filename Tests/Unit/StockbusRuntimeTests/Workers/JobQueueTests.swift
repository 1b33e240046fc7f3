import TestSupport
import Testing

@testable import StockbusRuntime

/// The queue, compared with an array.
@Suite struct JobQueueTests {
  @Test(arguments: 1...20) func `does what an array does`(seed: UInt64) {
    var random = SplitMix(seed)
    var queue = JobQueue<Int>()
    var model: [(job: Int, since: Int64)] = []
    for step in 0..<2000 {
      // In turn it mostly grows and mostly shrinks, so that it is long, empty, and wrapped around in between.
      if random.next() % 100 < (step / 250 % 2 == 0 ? 70 : 30) {
        queue.append(step, since: Int64(step * 10))
        model.append((step, Int64(step * 10)))
      } else {
        let expected = model.isEmpty ? nil : model.removeFirst().job
        #expect(queue.popFirst() == expected)
      }
      #expect(queue.count == model.count)
      #expect(queue.isEmpty == model.isEmpty)
      #expect(queue.oldest == model.first?.since)
    }
  }
}
