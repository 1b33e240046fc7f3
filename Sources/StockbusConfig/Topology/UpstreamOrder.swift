/// The order in which a pipeline is wired, and the cycles that are in the way.
///
/// Nodes are numbers. Takes time in proportion to nodes and edges, whatever the cycles are.
struct UpstreamOrder {
  /// Every node once: as numbered, but each behind what it reads. What closes a cycle does not count.
  let order: [Int]
  /// Along the data: `[a, b, c]` where b reads a, c reads b, and a reads c. Each is closed by an edge of its own, from its last node to
  /// its first; without these edges there would be none. Where they are many and long, only the first ones, which are enough to look at.
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

  /// Nodes of all cycles together, from which on no further one is looked at.
  static let longest = 100_000

  private enum State { case new, open, done }

  /// Depth first, without recursion: every node behind those that it leads to, and the ways that lead back to where they began.
  private static func walk(_ next: [[Int]]) -> (order: [Int], circles: [[Int]]) {
    var order: [Int] = []
    var circles: [[Int]] = []
    var length = 0
    var states = [State](repeating: .new, count: next.count)
    // Of the open nodes, where on the way they are.
    var places = [Int](repeating: 0, count: next.count)
    for root in next.indices where states[root] == .new {
      // The way from the root, each node with how many of its edges were followed.
      var way: [(node: Int, followed: Int)] = [(root, 0)]
      states[root] = .open
      places[root] = 0
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
          places[to] = way.count
          way.append((to, 0))
        case .open:
          if length >= longest { continue }
          circles.append(way[places[to]...].map(\.node))
          length += way.count - places[to]
        }
      }
    }
    return (order, circles)
  }
}
