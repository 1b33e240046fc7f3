internal import StockbusPlugin

/// A ledger as text for people, at most 80 columns wide with any names and figures.
struct LedgerText {
  static let width = 80
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  var lines: [String] { (table ?? records) + counters + notes }

  /// The columns. An unusual one is left out if its count is 0 on every edge.
  private static let columns: [(head: String, isUsual: Bool, count: @Sendable (EdgeCounts) -> Int)] = [
    ("in", true, { $0.published }), ("delivered", true, { $0.delivered }), ("filtered", false, { $0.filtered }),
    ("dropped", false, { $0.dropped }), ("conflated", false, { $0.conflated }), ("dead", false, { $0.deadLettered }),
    ("in flight", false, { $0.inFlight }), ("unaccounted", false, { $0.residue }),
  ]

  private var rows: [(name: (from: String, to: String)?, counts: EdgeCounts)] {
    ledger.edges.map { (($0.from, $0.to), $0.counts) } + [(nil, ledger.total)]
  }

  /// Nil if the figures leave no room for names.
  private var table: [String]? {
    let rows = rows
    let columns = Self.columns.filter { column in column.isUsual || rows.contains { column.count($0.counts) != 0 } }
    let cells = [columns.map(\.head)] + rows.map { row in columns.map { Ledger.grouped($0.count(row.counts)) } }
    let widths = columns.indices.map { i in cells.map { $0[i].count }.max() ?? 0 }
    let room = Self.width - widths.reduce(0) { $0 + $1 + 2 }
    let longest = ledger.edges.map { $0.from.count + 3 + $0.to.count }.max() ?? 0
    guard room >= min(20, max(5, longest)) else { return nil }
    let names = ["edge"] + rows.map { row in row.name.map { Self.edge($0.from, $0.to, room) } ?? "total" }
    let wide = names.map(\.count).max() ?? 0
    return zip(names, cells).map { name, cells in
      name + blanks(wide - name.count) + zip(cells, widths).map { "  " + blanks($1 - $0.count) + $0 }.joined()
    }
  }

  /// Each edge on a line of its own, followed by its counts.
  private var records: [String] {
    rows.flatMap { row in
      let counts = Self.columns.filter { $0.isUsual || $0.count(row.counts) != 0 }.map {
        "\($0.head) \(Ledger.grouped($0.count(row.counts)))"
      }
      return [row.name.map { Self.edge($0.from, $0.to, Self.width) } ?? "total"] + Self.wrapped(counts, first: "  ", next: "  ")
    }
  }

  private var counters: [String] {
    ledger.counters.map(\.component).uniqued().flatMap { component in
      let counts = ledger.counters.filter { $0.component == component }.map { "\($0.name) \(Ledger.grouped($0.total))" }
      return Self.wrapped(counts, first: "\(Self.cut(component, 40)): ", next: "  ")
    }
  }

  private var notes: [String] {
    ledger.notes.flatMap { note in
      let words = visible(note.text, limit: 600).split(separator: " ").map(String.init)
      return Self.wrapped(words, by: " ", first: "\(Self.cut(note.component, 40)): ", next: "  ")
    }
  }

  /// `from → to` in at most `room` characters; the longer name is cut first.
  private static func edge(_ from: String, _ to: String, _ room: Int) -> String {
    let half = (room - 3) / 2
    let (a, b) = (from.count, to.count)
    if a + b <= room - 3 { return "\(from) → \(to)" }
    let left = b <= half ? room - 3 - b : min(a, half)
    return "\(cut(from, left)) → \(cut(to, room - 3 - min(a, left)))"
  }

  /// A name without its middle if it is too long: `a-very-l…ong-name`.
  private static func cut(_ name: String, _ limit: Int) -> String {
    if name.count <= limit { return name }
    return name.prefix(limit / 2) + "…" + name.suffix(limit - limit / 2 - 1)
  }

  /// Wraps the parts into lines within the width; a part that is longer than a line is broken.
  private static func wrapped(_ parts: [String], by separator: String = ", ", first: String, next: String) -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    func end() {
      lines.append(String(line.trimmingEnd))
      line = next
      isEmpty = true
    }
    for (i, part) in parts.enumerated() {
      let isLast = i == parts.count - 1
      var text = isLast ? part : part + separator
      if !isEmpty, line.count + text.trimmingEnd.count > width { end() }
      while line.count + text.trimmingEnd.count > width {
        let room = width - line.count
        line += text.prefix(room)
        text = String(text.dropFirst(room))
        end()
      }
      line += text
      isEmpty = false
    }
    if !isEmpty { end() }
    return lines
  }
}

private func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

extension StringProtocol {
  /// The text without blanks at its end.
  fileprivate var trimmingEnd: SubSequence {
    var rest = self[...]
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}
