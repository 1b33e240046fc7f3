extension Options {
  /// A table of the options: name, type, default or `required`, range and description; if fewer than 40 characters are left for
  /// descriptions, they are below their options. The options of a mapping follow it, indented, unless `nested` is false.
  ///
  /// No line is longer than `width` characters, or 30 if that is more. Empty if there are no options.
  package static func help(width: Int = 100, nested: Bool = true) -> String {
    OptionHelp(describe(), width: max(30, width), nested: nested).text
  }
}

extension [OptionInfo] {
  /// These options as `Options.help` writes them, without options nested more deeply.
  package func help(width: Int) -> String { OptionHelp(self, width: Swift.max(30, width), nested: false).text }
}

/// Options as plain text for a terminal.
struct OptionHelp {
  private struct Row {
    let depth: Int
    let info: OptionInfo
    var name: String { String(repeating: "  ", count: depth) + info.name }
    var fallback: String {
      // The defaults of a mapping are shown at its own options.
      if case .mapping = info.form { return info.isRequired ? "required" : "" }
      return info.isRequired ? "required" : info.defaultText ?? "none"
    }
    var cells: [String] { [name, info.typeName, fallback, info.rangeText ?? ""] }
  }

  private static let header = ["NAME", "TYPE", "DEFAULT", "RANGE"]
  /// Wider cells are wrapped; names are never wrapped.
  private static let widest = [Int.max, 20, 20, 28]

  private let rows: [Row]
  private let width: Int

  init(_ infos: [OptionInfo], width: Int, nested: Bool) {
    self.width = width
    var rows: [Row] = []
    func add(_ infos: [OptionInfo], depth: Int) {
      for info in infos {
        rows.append(Row(depth: depth, info: info))
        if nested { add(info.nested, depth: depth + 1) }
      }
    }
    add(infos, depth: 0)
    self.rows = rows
  }

  var text: String {
    if rows.isEmpty { return "" }
    let widths = columns()
    let rest = width - used(widths)
    let lines = rest >= Self.narrowest ? wide(widths, rest: rest) : rows.flatMap(narrow)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The fewest characters for descriptions beside their options.
  private static let narrowest = 40
  /// The least width of a cell, because text with one word a line is hard to read.
  private static let narrowestCell = 12

  private func used(_ widths: [Int]) -> Int { widths.reduce(0) { $0 + ($1 == 0 ? 0 : $1 + 2) } }

  /// The width of each column; 0 for an empty one. Columns shrink to their longest word, or to 12, to leave room for the descriptions.
  private func columns() -> [Int] {
    var widths = [0, 0, 0, 0]
    var least = widths
    for column in 0..<4 where rows.contains(where: { !$0.cells[column].isEmpty }) {
      let cells = [Self.header[column]] + rows.map { $0.cells[column] }
      widths[column] = min(Self.widest[column], cells.map(\.count).max() ?? 0)
      let words = column == 0 ? cells : cells.flatMap { $0.split(separator: " ").map(String.init) }
      least[column] = min(widths[column], max(Self.narrowestCell, words.map(\.count).max() ?? 0))
    }
    while width - used(widths) < Self.narrowest {
      guard let widest = (0..<4).filter({ widths[$0] > least[$0] }).max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
    }
    return widths
  }

  private func wide(_ widths: [Int], rest: Int) -> [String] {
    var lines = [Self.line(Self.header, widths, "")]
    for row in rows {
      let cells = row.cells.enumerated().map { i, cell in i == 0 ? [cell] : OptionText.wrap(cell, width: max(1, widths[i])) }
      let sentence = OptionText.wrap(row.info.sentence, width: rest)
      for i in 0..<(max(sentence.count, cells.map(\.count).max() ?? 0)) {
        lines.append(Self.line(cells.map { i < $0.count ? $0[i] : "" }, widths, i < sentence.count ? sentence[i] : ""))
      }
    }
    return lines
  }

  private static func line(_ cells: [String], _ widths: [Int], _ last: String) -> String {
    var line = ""
    for (cell, width) in zip(cells, widths) where width > 0 { line += cell + String(repeating: " ", count: width - cell.count + 2) }
    line += last
    while line.last == " " { line.removeLast() }
    return line
  }

  /// For a narrow page: `interval (duration: 1ms to 1h; default 2s)`, with the description below.
  private func narrow(_ row: Row) -> [String] {
    let fallback = row.info.isRequired ? "required" : row.info.defaultText.map { "default \($0)" } ?? "optional"
    let facts = row.info.typeName + (row.info.rangeText.map { ": \($0)" } ?? "") + "; \(fallback)"
    // Deep nesting must not use up the width.
    let indent = String(repeating: " ", count: min(row.depth * 2, width / 3))
    let deeper = indent + "    "
    return OptionText.wrap("\(row.info.name) (\(facts))", width: width - indent.count).map { indent + $0 }
      + OptionText.wrap(row.info.sentence, width: width - deeper.count).map { deeper + $0 }
  }
}
