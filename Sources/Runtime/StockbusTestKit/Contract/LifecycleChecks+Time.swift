internal import StockbusPlugin

extension LifecycleChecks {
  /// Checks the law of timed components: the output is the same if the events arrive one by one, with every possible watermark between
  /// them; and receipt times never decrease.
  func checkTime() async throws -> [String] {
    let whole = try makeSubject()
    for feed in whole.component.feeds { feed.publishAll() }
    _ = await live(whole)
    let receipts = whole.receipts.value
    if let place = receipts.indices.dropFirst().first(where: { receipts[$0] < receipts[$0 - 1] }) {
      return ["Receipts decrease in its output: \(receipts[place]) comes after \(receipts[place - 1]), as event \(place + 1)."]
    }
    let pieces = try makeSubject()
    let feeding = Task { await feedOneByOne(pieces.component) }
    _ = await live(pieces)
    feeding.cancel()
    await feeding.value
    let (a, b) = (whole.output.value, pieces.output.value)
    if a == b { return [] }
    let at = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
    let shown = [a, b].map { $0.indices.contains(at) ? $0[at] : "nothing" }
    return [
      "Its output depends on batches or watermarks: event \(at + 1) is \(shown[0]) if all events wait, and \(shown[1]) if they come one by one."
    ]
  }

  private func feedOneByOne(_ component: WiredComponent) async {
    let most = component.feeds.map(\.count).max() ?? 0
    for number in 0..<most {
      for input in component.feeds where number < input.count {
        while !input.feed.topic.isFollowed, !Task.isCancelled { await Task.yield() }
        input.feed.topic.advance(to: input.feed.receipt(number).before)
        for _ in 0..<8 { await Task.yield() }
        input.feed.publish(number..<(number + 1))
        for _ in 0..<8 { await Task.yield() }
      }
    }
    for input in component.feeds { input.feed.topic.close() }
  }
}
