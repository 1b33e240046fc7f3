import StockbusPlugin

extension YAMLComposer {
  /// Composes a node with `body`, checks its tag, and stores it under its anchor, replacing an earlier anchor of the same name.
  mutating func anchored(
    _ head: YAMLEvent.Head, as kind: YAMLTag.Kind, _ body: (inout YAMLComposer) throws(Problem) -> Composed
  ) throws(Problem) -> Composed {
    check(head, kind)
    guard let anchor = head.anchor else { return try body(&self) }
    anchors[anchor] = .open
    let composed = try body(&self)
    anchors[anchor] = .complete(composed.node, composed.size)
    return composed
  }

  /// The node that the alias refers to.
  mutating func expand(_ name: String, at mark: ConfigNode.Mark, depth: Int) throws(Problem) -> Composed {
    switch anchors[name] {
    case .complete(let node, let size):
      try charge(size, at: mark, depth: depth)
      return Composed(node: node, size: size, place: mark)
    case .open: problems.add("the anchor \(shown(name)) would contain itself", at: mark)
    case nil:
      // Each suggestion compares with every anchor, so the number of suggestions is limited.
      let near = anchors.count * problems.list.count < 100_000 ? didYouMean(name, among: anchors.keys) : ""
      // The name is not repeated, because it may be a password that begins with '*'.
      let rule = "; an anchor must come before its aliases; write text that begins with '*' in quotation marks"
      problems.add("unknown anchor" + (near.isEmpty ? rule : near), at: mark)
    }
    try charge(Size(), at: mark, depth: depth)
    standIns.insert(mark)
    return Composed(node: ConfigNode(.scalar(""), at: mark), place: mark)
  }

  private mutating func check(_ head: YAMLEvent.Head, _ kind: YAMLTag.Kind) {
    guard let tag = head.tag, tag != "!" else { return }
    guard let known = YAMLTag(full: tag) else {
      problems.add("unknown tag; write text that begins with '!' in quotation marks; " + YAMLTag.known, at: head.mark)
      return
    }
    if known.kind != kind {
      problems.add("the tag '\(YAMLTag.written(tag))' is for \(known.kind.rawValue), but \(kind.rawValue) follows", at: head.mark)
    }
  }
}
