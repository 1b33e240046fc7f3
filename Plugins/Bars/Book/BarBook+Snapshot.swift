internal import StockbusPlugin

/// The state of a book, for the instance that continues it.
struct BarSnapshot: Sendable, Codable {
  struct Kept: Sendable, Codable {
    var number: Int
    var length: BarLength
    var cell: BarCell
    /// The components from the oldest to the newest.
    var components: [BarCell]
  }

  var rules: BarRules
  /// In the order in which they first arrived.
  var symbols: [Symbol]
  /// The bars of one symbol and length from the oldest to the newest.
  var bars: [Kept]
  var progress: Int64
  var newest: Int64
  var lastDue: Int64
}

extension BarSnapshot {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    rules = try container.decode(BarRules.self, forKey: .rules)
    symbols = try container.decode([Symbol].self, forKey: .symbols)
    bars = try container.decode([Kept].self, forKey: .bars)
    progress = try container.decode(Int64.self, forKey: .progress)
    newest = try container.decode(Int64.self, forKey: .newest)
    lastDue = try container.decode(Int64.self, forKey: .lastDue)
    if rules.wait < 0 || rules.late < 0 || Set(symbols).count < symbols.count || !bars.allSatisfy(isSound) || !isInOrder {
      throw DecodingError.dataCorruptedError(forKey: .bars, in: container, debugDescription: "no bars that a run has made")
    }
  }

  /// True if the bars of each symbol and length stand together and follow each other.
  private var isInOrder: Bool {
    zip(bars, bars.dropFirst()).allSatisfy { bar, next in
      if bar.number != next.number || bar.length != next.length { return true }
      return bar.cell.start < next.cell.start && bar.cell.due <= next.cell.due
    }
      && Set(bars.map { [Int64($0.number), $0.length.raw] }).count
        == bars.indices.count { $0 == 0 || bars[$0].number != bars[$0 - 1].number || bars[$0].length != bars[$0 - 1].length }
  }

  private func isSound(_ kept: Kept) -> Bool {
    let (state, isOpen) = (kept.cell.state, kept.cell.state == .open)
    // Bars of trades and volumes are removed when they close.
    if isOpen || state == .empty, kept.length.raw > 0, kept.cell.due < progress { return false }
    return (1...max(1, symbols.count)).contains(kept.number) && !symbols.isEmpty && (isOpen || kept.length.raw > 0 && kept.cell.span == 0)
      && state != .component && state != .merged && kept.cell.volume >= 0
      && kept.components.allSatisfy { $0.volume >= 0 && ($0.state == .component || $0.state == .merged) }
  }
}

extension BarBook {
  var snapshot: BarSnapshot {
    var bars: [BarSnapshot.Kept] = []
    for key in keys {
      var cell = newestCell(of: key)
      while cell != 0, cells[cell].older != 0 { cell = Int(cells[cell].older) }
      while cell != 0 {
        var parts: [BarCell] = []
        var component = rules.keepsComponents ? Int(components[cell].oldest) : 0
        while component != 0 {
          parts.append(cells[component])
          component = Int(cells[component].newer)
        }
        bars.append(
          BarSnapshot.Kept(number: place(of: key).number, length: lengths[place(of: key).length], cell: cells[cell], components: parts))
        cell = Int(cells[cell].newer)
      }
    }
    return BarSnapshot(
      rules: rules, symbols: (1..<max(1, symbols.count)).map { symbols[$0] }, bars: bars, progress: progress, newest: newest,
      lastDue: lastDue)
  }

  /// Continues the state of another book, which may have had other rules: bars of lengths that are no longer wanted are dropped, and the
  /// bars of new lengths begin now. Called before the first event.
  mutating func restore(_ old: BarSnapshot) {
    (progress, newest, lastDue) = (old.progress, old.newest, old.lastDue)
    for symbol in old.symbols { _ = addSymbol(symbol) }
    var closed: [Int] = []
    for kept in old.bars {
      guard let place = lengths.firstIndex(of: kept.length), kept.cell.state != .empty || rules.fills > 0 else { continue }
      var content = kept.cell
      content.key = UInt32(truncatingIfNeeded: kept.number * lengths.count + place)
      if content.due != .max { content.due = content.due.addingSaturating(rules.wait - old.rules.wait) }
      let cell = makeCell(content)
      insert(cell, newer: 0, older: newestCell(of: content.key))
      restoreComponents(kept.components, of: cell)
      switch content.state {
      case .open, .empty: if lengths[place].raw > 0 { enqueue(cell) }
      case .closed, .filled: closed.append(cell)
      case .component, .merged: break
      }
    }
    closed.sort { (cells[$0].due, $0) < (cells[$1].due, $1) }
    for cell in closed { appendClosed(cell) }
  }

  private mutating func restoreComponents(_ kept: [BarCell], of cell: Int) {
    for content in kept where rules.keepsComponents {
      let component = makeCell(content)
      let (number, last) = (UInt32(truncatingIfNeeded: component), components[cell].newest)
      cells[component].older = last
      cells[component].newer = 0
      if last != 0 { cells[Int(last)].newer = number } else { components[cell].oldest = number }
      components[cell].newest = number
    }
  }
}
