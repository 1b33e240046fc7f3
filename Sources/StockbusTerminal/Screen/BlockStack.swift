/// The blocks of several owners, one under the other in the order in which they came.
struct BlockStack {
  private(set) var blocks: [(owner: String, lines: [StyledLine])] = []

  /// Sets the owner's block, or takes it away where `lines` is nil.
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

  /// All blocks, at most `rows` lines: where there is not room for all the highest gives way first, so that none disappears
  /// before the others are as short. A block keeps its beginning.
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
