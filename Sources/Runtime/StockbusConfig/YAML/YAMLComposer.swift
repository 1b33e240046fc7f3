import StockbusPlugin

/// Builds the tree of nodes from the events of one document and collects problems. A syntax error or a limit ends the reading.
///
/// An alias shares the node that it refers to, so memory is proportional to the size of the file. The contents of an alias are still
/// counted again, because every traversal visits them again.
struct YAMLComposer: ~Copyable {
  /// The size of a node with its aliases expanded.
  struct Size {
    var nodes = 1
    var height = 1
    var bytes = 0
  }

  /// A node, its size, and its place; for an alias the place of the `*`.
  struct Composed {
    let node: ConfigNode
    var size = Size()
    let place: ConfigNode.Mark
  }

  enum Anchor {
    case open
    case complete(ConfigNode, Size)
  }

  private var events: LibYAMLEvents
  let source: SourceText
  let limits: ConfigLimits
  var problems = Problems()
  var standIns: Set<ConfigNode.Mark> = []
  var doubled: Set<ConfigNode.Mark> = []
  var anchors: [String: Anchor] = [:]
  private var nodes = 0
  private var bytes = 0

  init(_ events: consuming LibYAMLEvents, source: SourceText, limits: ConfigLimits) {
    self.events = events
    self.source = source
    self.limits = limits
  }

  /// The root node of the document; nil if a syntax error or a limit ended the reading.
  mutating func document() -> ConfigNode? {
    do throws(Problem) {
      var root = ConfigNode(.map([]), at: source.mark(line: 1, column: 1))
      var isFirst = true
      while true {
        switch try next() {
        case .streamEnd: return root
        case .documentStart(let mark):
          guard isFirst else {
            problems.add("a second document begins here; a file holds one", at: mark)
            return root
          }
          isFirst = false
          let node = try compose(next(), depth: 1).node
          if !node.isNull || standIns.contains(node.mark) { root = node }
        default: continue
        }
      }
    } catch {
      problems.add(error.message, at: error.mark)
      return nil
    }
  }

  mutating func next() throws(Problem) -> YAMLEvent { try events.next() }

  /// The node that begins with `event`, at nesting level `depth`.
  mutating func compose(_ event: YAMLEvent, depth: Int) throws(Problem) -> Composed {
    switch event {
    case .alias(let name, let mark): return try expand(name, at: mark, depth: depth)
    case .scalar(let text, let head, let isPlain, let end):
      return try scalar(text, head, isPlain: isPlain, end: end, depth: depth)
    case .listStart(let head):
      try charge(Size(), at: head.mark, depth: depth)
      return try anchored(head, as: .list) { (composer) throws(Problem) in try composer.list(head.mark, depth: depth) }
    case .mapStart(let head):
      try charge(Size(), at: head.mark, depth: depth)
      return try anchored(head, as: .map) { (composer) throws(Problem) in try composer.map(head.mark, depth: depth) }
    default: throw Problem("malformed YAML", at: source.end)
    }
  }

  private mutating func list(_ mark: ConfigNode.Mark, depth: Int) throws(Problem) -> Composed {
    var items: [ConfigNode] = []
    var size = Size()
    while true {
      let event = try next()
      if case .listEnd = event { return Composed(node: ConfigNode(.list(items), at: mark), size: size, place: mark) }
      let item = try compose(event, depth: depth + 1)
      size.add(item.size)
      items.append(item.node)
    }
  }

  /// A scalar. Its place excludes the anchor and tag if these are on the same line.
  private mutating func scalar(
    _ text: String, _ head: YAMLEvent.Head, isPlain: Bool, end: ConfigNode.Mark, depth: Int
  ) throws(Problem) -> Composed {
    let mark = head.anchor == nil && head.tag == nil ? head.mark : begin(of: text, from: head.mark, to: end, isPlain: isPlain)
    guard text.utf8.count <= limits.scalarBytes else {
      throw Problem("the text is longer than \(ConfigLimits.bytes(limits.scalarBytes)), the limit", at: mark)
    }
    let size = Size(bytes: text.utf8.count)
    try charge(size, at: mark, depth: depth)
    let isText = head.tag == "!" || head.tag.flatMap(YAMLTag.init(full:)) == .string
    // Plain text tagged as a string counts as quoted, but has no quotation mark at its beginning.
    let isVerbatim = !(isPlain && isText) && isWritten(text, at: mark, isPlain: isPlain)
    let node = ConfigNode(.scalar(text), at: mark, isQuoted: !isPlain || isText, isVerbatim: isVerbatim)
    return try anchored(head, as: .scalar) { (_) throws(Problem) in Composed(node: node, size: size, place: mark) }
  }

  /// Where text on one line begins, calculated from its end; the node's own beginning if the text has escapes or several lines.
  private func begin(of text: String, from start: ConfigNode.Mark, to end: ConfigNode.Mark, isPlain: Bool) -> ConfigNode.Mark {
    let length = text.unicodeScalars.count + (isPlain ? 0 : 2)
    guard start.line == end.line, end.column - length > start.column else { return start }
    let mark = source.mark(line: end.line, column: end.column - length)
    return isWritten(text, at: mark, isPlain: isPlain) ? mark : start
  }

  /// True if the characters of `text` are in the source at `mark`, after a quotation mark unless the text is plain.
  private func isWritten(_ text: String, at mark: ConfigNode.Mark, isPlain: Bool) -> Bool {
    let begin = min(source.index(of: mark) + (isPlain ? 0 : 1), source.scalars.count)
    return source.scalars[begin...].prefix(text.unicodeScalars.count).elementsEqual(text.unicodeScalars)
      && !text.unicodeScalars.contains(where: SourceText.isBreak)
  }

  /// Adds `size` at nesting level `depth` to the totals; throws beyond a limit.
  mutating func charge(_ size: Size, at mark: ConfigNode.Mark, depth: Int) throws(Problem) {
    nodes += size.nodes
    bytes += size.bytes
    if depth + size.height - 1 > limits.depth {
      throw Problem("nested more than \(limits.depth) levels deep, the limit", at: mark)
    }
    if nodes > limits.nodes {
      throw Problem("more than \(ConfigLimits.grouped(limits.nodes)) keys and values with aliases expanded, the limit", at: mark)
    }
    if bytes > limits.totalBytes {
      throw Problem("more than \(ConfigLimits.bytes(limits.totalBytes)) of text with aliases expanded, the limit", at: mark)
    }
  }
}

extension YAMLComposer.Size {
  /// Adds the size of a node inside this one.
  mutating func add(_ inner: Self) {
    nodes += inner.nodes
    bytes += inner.bytes
    height = max(height, inner.height + 1)
  }
}
