import TestSupport
import Testing

@testable import StockbusTrading

/// The heaps and the trailing stops beside sorted lists.
@Suite struct OrderHeapTests {
  @Test func `heaps agree with sorted lists, whatever is added, removed and merged`() {
    var random = SplitMix(3)
    for _ in 0..<rounds(20, cost: 100) {
      var heaps = OrderHeaps()
      heaps.grow(toHold: 299)
      var roots = [OrderHeaps.none, OrderHeaps.none]
      var lists: [[(key: Int64, number: Int64, node: Int32)]] = [[], []]
      var free = (0..<Int32(300)).shuffled(using: &random)
      for number in 0..<600 {
        let which = random.upTo(1)
        switch random.upTo(9) {
        case 0..<5:
          guard let node = free.popLast() else { continue }
          let key = Int64(random.upTo(20))
          heaps.insert(node, key: key, number: Int64(number), into: &roots[which])
          lists[which].append((key, Int64(number), node))
          lists[which].sort { ($0.key, $0.number) < ($1.key, $1.number) }
        case 5..<7:
          guard let first = lists[which].first else { continue }
          heaps.remove(first.node, from: &roots[which])
          lists[which].removeFirst()
          free.append(first.node)
        case 7..<9:
          guard let at = lists[which].indices.randomElement(using: &random) else { continue }
          let node = lists[which][at].node
          #expect(heaps.first(ofHeapWith: node) == roots[which])
          heaps.remove(node, from: &roots[which])
          lists[which].remove(at: at)
          free.append(node)
        default:
          guard random.oneIn(10) else { continue }
          roots[which] = heaps.merged(roots[0], roots[1])
          roots[1 - which] = OrderHeaps.none
          lists[which] = (lists[0] + lists[1]).sorted { ($0.key, $0.number) < ($1.key, $1.number) }
          lists[1 - which] = []
        }
        for at in 0...1 {
          #expect(roots[at] == lists[at].first?.node ?? OrderHeaps.none)
          var nodes: [Int32] = []
          heaps.forEach(in: roots[at]) { nodes.append($0) }
          #expect(nodes.sorted() == lists[at].map(\.node).sorted())
        }
      }
    }
  }

  @Test func `10,000 orders come out in order`() {
    var random = SplitMix(4)
    var heaps = OrderHeaps()
    heaps.grow(toHold: 9999)
    var root = OrderHeaps.none
    for node in (0..<Int32(10_000)).shuffled(using: &random) {
      heaps.insert(node, key: Int64(node / 3), number: Int64(node), into: &root)
    }
    for node in 0..<Int32(10_000) {
      guard root == node else {
        Issue.record("\(root) instead of \(node)")
        return
      }
      heaps.remove(node, from: &root)
    }
    #expect(root == OrderHeaps.none)
  }

  /// One trailing stop of the model.
  private struct Stop {
    let order: Int32
    let distance: Int64
    let inPercent: Bool
    var best: Int64
  }

  @Test(arguments: [true, false]) func `trailing stops agree with a list`(isBuy: Bool) {
    var random = SplitMix(5)
    for _ in 0..<rounds(20, cost: 100) {
      var heaps = OrderHeaps()
      heaps.grow(toHold: 999)
      var book = TrailBook(isBuy: isBuy)
      var stops: [Stop] = []
      var price: Int64 = 1_000_000
      for order in 0..<Int32(300) {
        price = max(1, price + Int64(random.upTo(2000)) - 1000)
        let x = isBuy ? -price : price
        // The order in which a broker does it: follow, trigger, accept.
        #expect((x > book.lowestBest) == stops.contains { $0.best < x })
        book.raise(x, &heaps)
        for at in stops.indices { stops[at].best = max(stops[at].best, x) }
        func level(_ stop: Stop) -> Int64 { book.stop(stop.best, stop.distance, inPercent: stop.inPercent) }
        #expect(book.highestStop == stops.map(level).max() ?? .min)
        var triggered: [Int32] = []
        while let (order, best) = book.popTriggered(x, &heaps) {
          triggered.append(order)
          #expect(best == stops.first { $0.order == order }?.best)
        }
        #expect(triggered.sorted() == stops.filter { level($0) >= x }.map(\.order).sorted())
        stops.removeAll { level($0) >= x }
        if random.oneIn(5), let at = stops.indices.randomElement(using: &random) {
          #expect(book.remove(stops[at].order, &heaps) == stops[at].best)
          stops.remove(at: at)
        }
        let inPercent = random.oneIn(2)
        let distance = Int64(random.upTo(inPercent ? 2_000_000_000 : 20_000) + 1)
        let best = random.oneIn(20) ? TrailBook.nothing : random.oneIn(10) ? x + Int64(random.upTo(500)) : x
        book.insert(order, best: best, distance: distance, inPercent: inPercent, number: Int64(order), &heaps)
        stops.append(Stop(order: order, distance: distance, inPercent: inPercent, best: best))
        #expect(book.highestStop == stops.map(level).max() ?? .min)
        #expect(book.lowestBest == stops.map(\.best).min() ?? .max)
      }
    }
  }
}
