/// The blocks of several owners, one below another in the order in which they were added.
struct BlockStack {
  private(set) var blocks: [(owner: String, lines: [StyledLine])] = []

  /// Sets the owner's block, or removes it if `lines` is nil.
  mutating func set(_ lines: [StyledLine]?, owner: String) {
    let index = blocks.firstIndex { $0.owner == owner }
    switch (index, lines) {
    case (let index?, let lines?): blocks[index].lines = lines
    case (let index?, nil): blocks.remove(at: index)
    case (nil, let lines?): blocks.append((owner, lines))
    case (nil, nil): break
    }
  }

  func lines(of owner: String) -> [StyledLine]? { blocks.first { $0.owner == owner }?.lines }

  /// The lines of all blocks, at most `rows`. If there is not enough room, the highest block is shortened first, until it is as short as
  /// the next one; the beginning of a block is kept.
  func lines(rows: Int) -> [StyledLine] {
    var heights = blocks.map { min($0.lines.count, rows) }
    var total = heights.reduce(0, +)
    while total > rows, let highest = heights.indices.max(by: { heights[$0] < heights[$1] }) {
      heights[highest] -= 1
      total -= 1
    }
    return zip(blocks, heights).flatMap { $0.lines.prefix($1) }
  }

}
