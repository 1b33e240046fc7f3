internal import MarketData

/// The paths that are searched for, as a tree: a key or an index leads from node to node.
///
/// Unsafe inside: it compares keys with bytes of the row, word by word.
struct JSONPaths {
  /// The use of a value at a node.
  struct Target {
    var slot: Int
    /// The path's rank among the paths of the field; of several found paths the lowest rank wins.
    var rank: UInt8
  }
  private struct Child {
    var word: UInt64  // the key's first eight bytes, or the index
    var bytes: [UInt8]  // the key; empty for an index
    var isIndex: Bool
    var node: Int
  }
  private struct Node {
    var children: [Child] = []
    var targets: [Target] = []
  }
  private var nodes = [Node()]

  /// The root node; -1 means no node.
  static let root = 0

  mutating func add(_ path: JSONPath, _ target: Target) {
    var node = Self.root
    for step in path.steps {
      let wanted: Child
      switch step {
      case .key(let key): wanted = Child(word: Self.word(key), bytes: Array(key.utf8), isIndex: false, node: nodes.count)
      case .index(let index): wanted = Child(word: UInt64(index), bytes: [], isIndex: true, node: nodes.count)
      }
      if let known = nodes[node].children.first(where: {
        $0.bytes == wanted.bytes && $0.isIndex == wanted.isIndex && $0.word == wanted.word
      }) {
        node = known.node
      } else {
        nodes[node].children.append(wanted)
        node = wanted.node
        nodes.append(Node())
      }
    }
    nodes[node].targets.append(target)
  }

  private static func word(_ key: String) -> UInt64 {
    key.utf8.prefix(8).enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
  }

  /// The node at a key; -1 if nothing is searched for there.
  func child(of node: Int, key: UnsafePointer<UInt8>, count: Int) -> Int {
    if node < 0 { return -1 }
    let word = ByteWords.load(key) & ByteWords.mask(count)
    for child in nodes[node].children where child.word == word && child.bytes.count == count && !child.isIndex {
      if count <= 8 || child.bytes.elementsEqual(UnsafeBufferPointer(start: key, count: count)) { return child.node }
    }
    return -1
  }

  /// The node at an index; -1 if nothing is searched for there.
  func child(of node: Int, index: Int) -> Int {
    if node < 0 { return -1 }
    return nodes[node].children.first { $0.isIndex && $0.word == UInt64(index) }?.node ?? -1
  }

  func targets(of node: Int) -> [Target] { node < 0 ? [] : nodes[node].targets }

  /// The first target of each node, for the usual case of one: slot -1 if there is none, -2 if there are several.
  var single: [Target] {
    nodes.map { $0.targets.count == 1 ? $0.targets[0] : Target(slot: $0.targets.isEmpty ? -1 : -2, rank: 255) }
  }
}
