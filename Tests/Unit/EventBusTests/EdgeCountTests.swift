import EventBus
import MarketData
import Testing

/// What an edge guarantees: its counts contain everything that its topic has published since the edge was wired, no matter when its reader
/// ends: delivered, filtered, dropped, conflated, dead, or in flight while the reader may still read it.
@Suite struct EdgeCountTests {
  private enum Step: CaseIterable {
    case publish
    /// The reader takes what waits and does not finish it.
    case take
    case finish
    /// The reader detaches for good.
    case leave
  }

  /// All sequences of this many steps.
  private func orders(_ length: Int) -> [[Step]] {
    var orders: [[Step]] = [[]]
    for _ in 0..<length { orders = orders.flatMap { order in Step.allCases.map { order + [$0] } } }
    return orders
  }

  @Test(arguments: Overflow.allCases, [false, true])
  func `counts everything in whatever order its two ends work and go`(overflow: Overflow, initial: Bool) {
    var wrong: [String] = []
    for order in orders(6) {
      let topic = Topic<Tick>("t", capacity: 16, keepsLatest: true)
      var outlet = Outlet(topic)
      func publish(_ number: Int) {
        outlet.send(.make(number, five[number % 2]))
        outlet.commit()
      }
      for number in 1...3 { publish(number) }
      let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: overflow, capacity: 2, initial: initial))
      // Two symbols have a last value.
      var published = initial ? 2 : 0
      var (delivered, hand, hasLeft) = (0, 0, false)
      for step in order + [.publish, .leave, .publish] {
        switch step {
        case .publish:
          published += 1
          publish(3 + published)
        case .take:
          if hand == 0 {
            hand = inlet.nextBatch(limit: 9).count
            inlet.begin(hand)
          }
        case .finish:
          if hand > 0 { inlet.finish(hand) }
          delivered += hand
          hand = 0
        case .leave:
          inlet.detach()
          hasLeft = true
        }
        let counts = inlet.counts
        let isRight =
          counts.published == published && counts.delivered == delivered && counts.residue == 0 && counts.filtered == 0
          && counts.deadLettered == 0 && (hasLeft ? counts.inFlight == 0 : counts.inFlight >= hand)
          && (overflow == .conflate || counts.conflated == 0) && (hasLeft || overflow != .block || counts.dropped == 0)
        if !isRight, wrong.count < 3 { wrong.append("\(order), at \(step): \(counts), \(published) published, \(delivered) delivered") }
      }
      topic.close()
      if inlet.counts.published != published { wrong.append("\(order), closed") }
    }
    #expect(wrong == [])
  }
}
