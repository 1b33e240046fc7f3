internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension ScreenLayout {
  private static let questionLines = 5

  /// What `Enter` would do, above the status line: an order with the broker's preview, or a cancellation.
  mutating func drawQuestion() {
    let (title, text, keys): (String, String, String)
    switch state.prompt {
    case .order(let draft):
      let reply: String
      switch draft.stage {
      case .typing, .asking: return
      case .arrived(let text), .shown(let text): reply = text
      }
      title = "\(draft.verb.uppercased()) " + (draft.replaced.map { "ORDER \($0.number)" } ?? "\(draft.symbol): \(draft.text)")
      (text, keys) = (reply, "Enter \(draft.verb)s · Esc leaves it")
    case .cancel(let id):
      title = "CANCEL ORDER \(id.number)"
      let order = state.portfolio.orders[id].map { TradingText.order($0) + ", filled \($0.filled), key \($0.key)" }
      text = order ?? "the order is already closed"
      keys = "Enter cancels it · any other key keeps it"
    case .filter, .alert, nil: return
    }
    let columns = state.size.columns
    var lines = [(" " + title, pen.head)]
    let words = Self.wrapped(text, columns: max(1, columns - 2))
    lines += words.prefix(Self.questionLines).map { (" " + $0, pen.text) }
    if words.count > Self.questionLines { lines.append((" …", pen.text)) }
    lines.append((" " + keys, pen.accent))
    let top = geometry.tabRow == nil ? 0 : 1
    // In a low window the last lines are shown.
    for (place, line) in lines.suffix(max(0, geometry.statusRow - top)).reversed().enumerated() {
      let row = geometry.statusRow - 1 - place
      frame.clear(row: row, line.1)
      frame.put(line.0.truncated(columns: columns), row: row, column: 0, line.1)
    }
  }

  /// Breaks a text between words into lines of at most `columns`; a longer word is cut.
  static func wrapped(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      if let last = lines.last, last.displayWidth + 1 + String(word).displayWidth <= columns {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word).truncated(columns: columns))
      }
    }
    return lines
  }
}
