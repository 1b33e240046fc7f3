import StockbusControl

/// Makes lines of the events of a tap.
struct TapView {
  private let format: TapCommand.Format
  /// Nil until the first record, which shows which columns are numbers.
  private var header: [String]?
  private var widths: [Int] = []
  private var numbers: [Bool] = []

  init(_ format: TapCommand.Format) { self.format = format }

  /// The lines to be printed for an event; empty for an event about the stream itself.
  mutating func lines(_ event: ServerEvent) -> [String] {
    let isHeader = event.name == "header"
    if !event.name.isEmpty, !isHeader { return [] }
    if format != .table { return [event.data] }
    let cells = Self.cells(event.data)
    if isHeader {
      header = cells.map { $0.uppercased() }
      return []
    }
    if widths.isEmpty {
      numbers = cells.map { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) || $0 == 45 || $0 == 46 } }
      widths = cells.map { _ in Self.usualWidth }
    }
    defer { header = nil }
    return [header, cells].compactMap { $0 }.map { line($0) }
  }

  /// The least width of a column, so that not each longer number moves all other columns.
  private static let usualWidth = 9

  /// Cells beside each other; a column never gets narrower.
  private mutating func line(_ cells: [String]) -> String {
    var line = ""
    for (i, cell) in cells.enumerated() where i < widths.count {
      widths[i] = max(widths[i], cell.count)
      let margin = String(repeating: " ", count: widths[i] - cell.count)
      line += (i == 0 ? "" : "  ") + (numbers[i] ? margin + cell : cell + margin)
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// The fields of a record of CSV (RFC 4180).
  static func cells(_ record: String) -> [String] {
    var cells = [""]
    var isQuoted = false
    var last: Character?
    for character in record {
      switch character {
      case "\"":
        // Two quotation marks within quotation marks are one.
        if !isQuoted, last == "\"" { cells[cells.count - 1].append("\"") }
        isQuoted.toggle()
      case "," where !isQuoted: cells.append("")
      default: cells[cells.count - 1].append(character)
      }
      last = character
    }
    return cells
  }
}
