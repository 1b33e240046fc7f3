import TestSupport
import StockbusPlugin
import Testing

@testable import StockbusConfig

@Suite struct TopologyOrderTests {
  /// The nodes that each of `count` nodes reads: with `isAcyclic` only nodes before it in a random order.
  private func randomGraph(_ random: inout SplitMix, isAcyclic: Bool) -> [[Int]] {
    let count = Int.random(in: 1...40, using: &random)
    let rank = Array(0..<count).shuffled(using: &random)
    return (0..<count).map { node in
      let others = (0..<count).filter { isAcyclic ? rank[$0] < rank[node] : $0 != node }.shuffled(using: &random)
      return Array(others.prefix(Int.random(in: 0...4, using: &random)))
    }
  }

  /// The obvious algorithm: places the first node that is not placed yet, after everything it reads.
  private func slowOrder(_ inputs: [[Int]]) -> [Int] {
    var order: [Int] = []
    func place(_ node: Int) {
      if order.contains(node) { return }
      for input in inputs[node] { place(input) }
      order.append(node)
    }
    for node in inputs.indices { place(node) }
    return order
  }

  /// True if every node can be removed after all nodes that it reads.
  private func isAcyclic(_ inputs: [[Int]]) -> Bool {
    var left = Set(inputs.indices)
    while let free = left.first(where: { left.isDisjoint(with: inputs[$0]) }) { left.remove(free) }
    return left.isEmpty
  }

  @Test func `puts upstream before downstream, and otherwise keeps what was written`() {
    for seed in 0..<400 {
      var random = SplitMix(UInt64(seed))
      let inputs = randomGraph(&random, isAcyclic: true)
      let result = UpstreamOrder(inputs)
      #expect(result.cycles.isEmpty)
      #expect(result.order == slowOrder(inputs))
      #expect(result.order.sorted() == Array(inputs.indices))
      var seen: Set<Int> = []
      for node in result.order {
        #expect(seen.isSuperset(of: inputs[node]))
        seen.insert(node)
      }
      // Nodes that are in order already are not moved.
      let places = Dictionary(uniqueKeysWithValues: result.order.enumerated().map { ($1, $0) })
      let sorted = result.order.map { node in inputs[node].compactMap { places[$0] } }
      #expect(UpstreamOrder(sorted).order == Array(sorted.indices))
    }
  }

  @Test func `finds cycles wherever there are some, and enough of them`() {
    var cyclic = 0
    for seed in 0..<400 {
      var random = SplitMix(UInt64(seed))
      var inputs = randomGraph(&random, isAcyclic: false)
      let result = UpstreamOrder(inputs)
      #expect(result.cycles.isEmpty == isAcyclic(inputs))
      #expect(result.order.sorted() == Array(inputs.indices))
      cyclic += result.cycles.isEmpty ? 0 : 1
      for cycle in result.cycles {
        #expect(Set(cycle).count == cycle.count)
        for (from, to) in zip(cycle, cycle.dropFirst() + cycle.prefix(1)) { #expect(inputs[to].contains(from)) }
      }
      // Each cycle has a closing edge of its own; without these edges there is no cycle left.
      #expect(Set(result.cycles.map { [$0[$0.count - 1], $0[0]] }).count == result.cycles.count)
      for cycle in result.cycles { inputs[cycle[0]].removeAll { $0 == cycle[cycle.count - 1] } }
      #expect(isAcyclic(inputs))
    }
    #expect(cyclic > 100)
  }

  @Test func `orders a hundred thousand nodes in a row, and one ring of them`() {
    let count = 100_000
    let backwards = (0..<count).map { $0 + 1 < count ? [$0 + 1] : [] }
    #expect(UpstreamOrder(backwards).order == Array((0..<count).reversed()))
    let ring = (0..<count).map { [($0 + 1) % count] }
    #expect(UpstreamOrder(ring).cycles.map(\.count) == [count])
  }

  @Test func `many long cycles take no more than their nodes and edges`() {
    // Each node reads the one before it and the last one: as many cycles as nodes, of half as many nodes each.
    let count = 20_000
    let inputs = (0..<count).map { $0 == 0 ? [count - 1] : $0 < count - 2 ? [$0 - 1, count - 1] : [$0 - 1] }
    let result = UpstreamOrder(inputs)
    #expect(result.order.count == count)
    #expect(!result.cycles.isEmpty)
    #expect(result.cycles.reduce(0) { $0 + $1.count } <= UpstreamOrder.longest + count)
  }

  @Test func `wires components upstream first, whatever the order of the sections and files`() throws {
    let planned = try topology(
      """
      sinks:
        z: { plugin: count, inputs: [y] }
      processors:
        y: { plugin: pass, inputs: [x] }
        x: { plugin: rank, inputs: [w] }
      sources:
        v: { plugin: echo, inputs: [u] }
        w: { plugin: quoter }
        u: { plugin: ticker, symbols: [A] }
      # at the end, because it reads what stands above
      x-a: 1
      """.replacing("z: { plugin: count, inputs: [y] }", with: "z: { plugin: count, inputs: [y] }\n  a: { plugin: tape, inputs: [v] }"))
    #expect(planned.nodes.map(\.id) == ["w", "x", "y", "z", "u", "v", "a"])
    #expect(planned.nodes.map { $0.inputs.map(\.from) } == [[], ["w"], ["x"], ["y"], [], ["u"], ["v"]])
  }

  @Test func `a ring is as wide as its output or its widest waiting reader asks for`() throws {
    let planned = try topology(
      """
      sources:
        a: { plugin: quoter }
        b: { plugin: quoter, output: { capacity: 100 } }
        c: { plugin: quoter, output: { capacity: 64 } }
        d: { plugin: quoter }
      sinks:
        one: { plugin: count, inputs: [{ from: b, capacity: 50 }, { from: c, capacity: 65 }, { from: d, capacity: 20000 }] }
        two: { plugin: count, inputs: [a, { from: c, capacity: 100000, overflow: drop_oldest, initial: true }] }
        three: { plugin: count, inputs: [{ from: d, overflow: conflate }, { from: b, capacity: 99 }] }
      """)
    func topic(_ id: String) -> Blueprint.TopicPlan? { planned.nodes.first { $0.id == id }?.topic }
    #expect(["a", "b", "c", "d"].map { topic($0)?.capacity } == [8192, 100, 65, 20000])
    #expect(["a", "b", "c", "d"].map { topic($0)?.keepsLatest } == [false, false, true, false])
    let options = planned.nodes.first { $0.id == "two" }?.inputs.map(\.options)
    #expect(options == [SubscriptionOptions(), SubscriptionOptions(overflow: .dropOldest, capacity: 100_000, initial: true)])
    #expect(planned.nodes.first { $0.id == "three" }?.inputs.map(\.options.capacity) == [4096, 99])
  }

  @Test func `an edge that enlarges the ring that other readers share is reported, at its option`() throws {
    func warnings(_ one: String, _ two: String, _ three: String = "{ from: a, overflow: drop_oldest, capacity: 9 }") throws -> [String] {
      try topology(
        """
        sources: { a: { plugin: quoter, output: { capacity: 100 } } }
        sinks:
          one: { plugin: count, inputs: [\(one)] }
          two: { plugin: count, inputs: [\(two)] }
          three: { plugin: count, inputs: [\(three)] }
        """
      ).warnings
    }
    let told = "plugins.yaml:3:45: warning: sink 'one': input 'a': 'capacity' enlarges the ring of 'a', which "
    let advice = "; if that is intended, write it as the 'output' of 'a'"
    #expect(try warnings("{ from: a, capacity: 129 }", "a") == [told + "'two' shares" + advice])
    #expect(try warnings("{ from: a, capacity: 129 }", "{ from: a, capacity: 128 }", "a") == [told + "'two' and 1 more share" + advice])
    #expect(try warnings("{ from: a, capacity: 1000 }", "{ from: a, capacity: 500 }") == [told + "'two' shares" + advice])
    // Rounded up, the ring has 128 slots anyway.
    #expect(try warnings("{ from: a, capacity: 128 }", "a") == [])
    #expect(try warnings("{ from: a, capacity: 1 }", "a") == [])
    // All blocking readers ask for it, or there is only one.
    #expect(try warnings("{ from: a, capacity: 1000 }", "{ from: a, capacity: 600 }") == [])
    #expect(try warnings("{ from: a, capacity: 1000 }", "{ from: a, overflow: conflate }") == [])
    // Lossy readers have a mailbox of their own.
    #expect(try warnings("{ from: a, capacity: 1000, overflow: drop_newest }", "a") == [])
  }

  @Test func `what is not written has its default`() throws {
    let planned = try topology(
      "sources: { a: { plugin: quoter, supervision: { restarts: 1, on_failure: stop } } }\nsinks: { b: { plugin: count, inputs: a } }")
    #expect(planned.settings.drainDeadline == .seconds(10))
    #expect(planned.nodes.map(\.supervision.restarts) == [1, 5])
    #expect(planned.nodes.map(\.supervision.onFailure) == [.stop, .isolate])
    #expect(planned.nodes.map(\.supervision.backoff) == [.milliseconds(100), .milliseconds(100)])
  }

  @Test func `reads what is nothing but mistakes in time`() {
    // Thousands of unknown inputs, each compared with thousands of names, would take minutes.
    let sources = (0..<2000).map { "  source_\($0): { plugin: quoter }\n" }.joined()
    let sinks = (0..<2000).map { "  sink_\($0): { plugin: count, inputs: [unknown_\($0)] }\n" }.joined()
    let problems = topologyProblems("sources:\n\(sources)sinks:\n\(sinks)")
    #expect(problems.split(separator: "\n").count == 2000)
  }
}
