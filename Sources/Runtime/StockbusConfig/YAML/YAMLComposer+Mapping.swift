import StockbusPlugin

extension YAMLComposer {
  /// Reads a mapping up to its end, and resolves merge keys.
  mutating func map(_ mark: ConfigNode.Mark, depth: Int) throws(Problem) -> Composed {
    var entries: [ConfigNode.Entry] = []
    var places: [String: ConfigNode.Mark] = [:]
    var merged: [ConfigNode] = []
    var size = Size()
    while true {
      let event = try next()
      if case .mapEnd = event { break }
      let key = try key(event, depth: depth + 1, &size)
      let value = try compose(next(), depth: depth + 1)
      size.add(value.size)
      guard let key else { continue }
      if let first = places[key.name] {
        let hint = key.isMerge ? "; write '<<: [*first, *second]'" : ""
        problems.add("the key \(shown(key.name)) is given twice, first at \(first.place)\(hint)", at: key.mark)
        doubled.insert(mark)
        continue
      }
      places[key.name] = key.mark
      if key.isMerge {
        merged += mappings(in: value, of: mark)
      } else {
        entries.append(ConfigNode.Entry(key: key.name, mark: key.mark, value: value.node))
      }
    }
    for node in merged {
      guard case .map(let inherited) = node.value else { continue }
      for entry in inherited where places[entry.key] == nil {
        places[entry.key] = entry.mark
        entries.append(entry)
      }
    }
    // Overridden values are counted too, because an upper bound suffices.
    return Composed(node: ConfigNode(.map(entries), at: mark), size: size, place: mark)
  }

  private struct Key {
    let name: String
    let mark: ConfigNode.Mark
    let isMerge: Bool
  }

  /// A key that is text; for anything else a problem is reported and nil returned.
  private mutating func key(_ event: YAMLEvent, depth: Int, _ size: inout Size) throws(Problem) -> Key? {
    let key = try compose(event, depth: depth)
    size.add(key.size)
    if standIns.contains(key.node.mark) { return nil }
    guard case .scalar(let name) = key.node.value else {
      problems.add("a key must be text, not \(key.node.kind)", at: key.place)
      return nil
    }
    if name.isEmpty, !key.node.isQuoted {
      problems.add("a key is missing before ':'", at: key.place)
      return nil
    }
    return Key(name: name, mark: key.place, isMerge: name == "<<" && !key.node.isQuoted)
  }

  /// The mappings that `<<` merges. If one is missing, `owner` becomes a stand-in.
  private mutating func mappings(in value: Composed, of owner: ConfigNode.Mark) -> [ConfigNode] {
    if case .map = value.node.value { return [value.node] }
    var found: [ConfigNode] = []
    if case .list(let items) = value.node.value {
      for (index, item) in items.enumerated() {
        if case .map = item.value {
          found.append(item)
        } else {
          standIns.insert(owner)
          if !standIns.contains(item.mark) {
            problems.add("'<<' merges mappings, but number \(index + 1) of its list is \(item.kind)", at: value.place)
          }
        }
      }
    } else {
      if !standIns.contains(value.node.mark) {
        problems.add("'<<' merges a mapping or a list of mappings, not \(value.node.kind)", at: value.place)
      }
      standIns.insert(owner)
    }
    return found
  }
}
