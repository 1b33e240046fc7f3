/// The order in which a pipeline is wired, and the cycles that are in the way.
///
/// Nodes are numbers. Takes time in proportion to nodes and edges, and to the length of the cycles.
struct UpstreamOrder {
  /// Every node once: as numbered, but each behind what it reads. What closes a cycle does not count.
  let order: [Int]
  /// Along the data: `[a, b, c]` where b reads a, c reads b, and a reads c. Each is closed by an edge of its own, from its last node to
  /// its first; without these edges there would be none.
  let cycles: [[Int]]

  /// `inputs[n]` are the nodes that node `n` reads.
  init(_ inputs: [[Int]]) {
    let upstream = Self.walk(inputs)
    order = upstream.order
    if upstream.circles.isEmpty {
      cycles = []
    } else {
      // Downstream from the first node, because the arrow that then closes a cycle is the one that looks like going back.
      var readers = [[Int]](repeating: [], count: inputs.count)
      for (node, list) in inputs.enumerated() { for input in list { readers[input].append(node) } }
      cycles = Self.walk(readers).circles
    }
  }

  private enum State { case new, open, done }

  /// Depth first, without recursion: every node behind those that it leads to, and the ways that lead back to where they began.
  private static func walk(_ next: [[Int]]) -> (order: [Int], circles: [[Int]]) {
    var order: [Int] = []
    var circles: [[Int]] = []
    var states = [State](repeating: .new, count: next.count)
    for root in next.indices where states[root] == .new {
      // The way from the root, each node with how many of its edges were followed.
      var way: [(node: Int, followed: Int)] = [(root, 0)]
      states[root] = .open
      while let (node, followed) = way.last {
        guard followed < next[node].count else {
          states[node] = .done
          order.append(node)
          way.removeLast()
          continue
        }
        way[way.count - 1].followed += 1
        let to = next[node][followed]
        switch states[to] {
        case .done: continue
        case .new:
          states[to] = .open
          way.append((to, 0))
        case .open: if let start = way.firstIndex(where: { $0.node == to }) { circles.append(way[start...].map(\.node)) }
        }
      }
    }
    return (order, circles)
  }
}
