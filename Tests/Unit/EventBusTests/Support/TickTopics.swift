import Testing

@testable import EventBus

/// A small topic of ticks.
func tickTopic(_ capacity: Int = 8, keepsLatest: Bool = false) -> Topic<Tick> {
  Topic("ticks", capacity: capacity, keepsLatest: keepsLatest)
}

func numbers(_ batch: UnsafeBufferPointer<Tick>) -> [Int] { batch.map(\.number) }

/// All waiting events, in batches of any size.
func drain(_ inlet: Inlet<Tick>) -> [Int] {
  var result: [Int] = []
  while true {
    let batch = inlet.nextBatch(limit: 1000)
    if batch.isEmpty { return result }
    inlet.begin(batch.count)
    result += numbers(batch)
    inlet.finish(batch.count)
  }
}
