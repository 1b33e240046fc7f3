/// The order in which a pipeline is wired, and the cycles that prevent it.
///
/// Nodes are numbers. The time is linear in the number of nodes and edges.
struct UpstreamOrder {
  /// Every node once, in the order of the numbers, but each after the nodes that it reads. Edges that close a cycle are ignored.
  let order: [Int]
  /// Each cycle along the data: `[a, b, c]` if b reads a, c reads b, and a reads c. Each is closed by a different edge, from its last node
  /// to its first; without these edges there would be no cycle. If the cycles are many and long, only the first ones are listed.
  let cycles: [[Int]]

  /// `inputs[n]` lists the nodes that node `n` reads.
  init(_ inputs: [[Int]]) {
    let upstream = Self.walk(inputs)
    order = upstream.order
    if upstream.circles.isEmpty {
      cycles = []
    } else {
      // Searched downstream from the first node, so that the edge that closes a cycle is the one that a reader sees as leading back.
      var readers = [[Int]](repeating: [], count: inputs.count)
      for (node, list) in inputs.enumerated() { for input in list { readers[input].append(node) } }
      cycles = Self.walk(readers).circles
    }
  }

  /// The total length of all cycles after which no more are recorded.
  static let longest = 100_000

  private enum State { case new, open, done }

  /// Depth-first search without recursion: every node after those it leads to, and the cycles that were found.
  private static func walk(_ next: [[Int]]) -> (order: [Int], circles: [[Int]]) {
    var order: [Int] = []
    var circles: [[Int]] = []
    var length = 0
    var states = [State](repeating: .new, count: next.count)
    // The positions of open nodes on the path.
    var places = [Int](repeating: 0, count: next.count)
    for root in next.indices where states[root] == .new {
      // The path from the root, each node with the number of its edges that have been followed.
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
