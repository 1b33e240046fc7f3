import EventBus
import MarketData
import StockbusExpressions

/// The properties that hold for any text: it is an expression with the same meaning as its canonical form, or gives an error with a
/// location in the text, on one line. A trap ends the process, so it needs no check.
struct ExpressionFuzz {
  private(set) var inputs = 0
  private(set) var expressions = 0
  /// The distinct messages, without quoted texts and numbers, which show the error paths that were reached.
  private(set) var messages: Set<String> = []
  /// Two batches of random events.
  private let events: [[Reading]] = {
    var random = RandomExpressions(seed: 3)
    return [(0..<5).map { _ in random.event() }, (0..<20).map { _ in random.event() }]
  }()

  /// The property that is violated for a text; nil if none is.
  mutating func fault(in text: String) -> String? {
    inputs += 1
    do throws(ExpressionError) {
      let expression = try Expression<Reading>(text, in: .withMemory)
      expressions += 1
      if expression.hasMemory {
        if (try? Expression<Reading>(text)) != nil { return "single events take it, although it has memory" }
        var runner = ExpressionRunner(expression)
        for events in events { runner.judge(events.span) { _, _ in } }
      }
      let verdict = expression.verdict(of: Reading.schema.example)
      let plain = expression.description
      // The canonical form may be longer than the text, and then exceed the limit.
      guard plain.utf8.count <= ExpressionLimits.length else { return nil }
      let again = try Expression<Reading>(plain, in: .withMemory)
      if again.description != plain { return "its plain form \(plain) is read as \(again)" }
      if again.verdict(of: Reading.schema.example) != verdict { return "its plain form \(plain) means something else" }
      return nil
    } catch {
      messages.insert(Self.form(of: error.message))
      return fault(of: error, in: text)
    }
  }

  private func fault(of error: ExpressionError, in text: String) -> String? {
    let count = text.unicodeScalars.count
    if error.text == text, error.range.upperBound > count { return "a place beyond the text: \(error.range) of \(count)" }
    if error.text != text { return "a plain form that is none: \(error.text): \(error)" }
    if error.message.isEmpty || error.message.utf8.count > 2000 { return "a message of \(error.message.utf8.count) bytes" }
    if error.message.unicodeScalars.contains(where: { $0.value < 32 || (127..<160).contains($0.value) }) {
      return "a control character: \(error)"
    }
    let lines = error.marked.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.count != 2 { return "marked on \(lines.count) lines" }
    // The mark begins below a character of the text, or directly after it.
    let margin = lines[1].prefix { $0 == " " }.count
    if margin > lines[0].unicodeScalars.count { return "a mark beyond the line: \(error.marked)" }
    if !error.completions.isEmpty, !error.isIncomplete, error.range.upperBound == count { return "completions of what cannot go on" }
    return nil
  }

  private static func form(of message: String) -> String {
    var form = ""
    var isQuoted = false
    for character in message {
      if character == "'" || character == "\"" { isQuoted.toggle() } else if !isQuoted, !character.isNumber { form.append(character) }
    }
    return form
  }
}
