import MarketData
import StockbusConfig
import StockbusPlugin

/// An event as text: its fields by their names.
struct WrittenEvent: Sendable {
  var fields: [(name: String, text: String, isNumber: Bool)]
  var time: Timestamp
  /// When it was published, since the start of the test.
  var moment: Duration

  subscript(name: String) -> String? { fields.first { $0.name == name }?.text }

  /// True if a field has this value; numbers are the same whatever their zeros.
  func has(_ text: String, as name: String) -> Bool {
    guard let field = fields.first(where: { $0.name == name }) else { return false }
    if field.text == text { return true }
    guard field.isNumber, let a = try? Price(option: field.text), let b = try? Price(option: text) else { return false }
    return a == b
  }
}

/// What a component should publish.
struct Expectation {
  /// One event: those of its fields that matter.
  struct Row {
    let mark: ConfigNode.Mark
    let fields: [(key: String, text: String, mark: ConfigNode.Mark, value: ConfigNode)]
    /// Since the start of the test; nil if the time does not matter.
    let at: Duration?
  }

  enum Form {
    /// All events, in their order.
    case all([Row], at: ConfigNode.Mark)
    /// Among others, in their order.
    case contains([Row])
    case count(Int, written: ConfigNode)
    /// The last event of each of these symbols.
    case last([(symbol: String, Row)])
  }

  let component: String
  let mark: ConfigNode.Mark
  /// Only events until then, since the start; nil for all.
  let at: Duration?
  let form: Form

  /// Reads `alerts: [{ at: 5m, rule: high }]`, `alerts: { contains: [...] }`, `alerts: { count: 2 }`, `ranked: { AAPL: { rank: 1 } }`.
  init?(_ entry: ConfigNode.Entry, at: Duration?, _ problems: inout Problems) {
    component = entry.key
    mark = entry.mark
    self.at = at
    if case .list(let items) = entry.value.value {
      form = .all(items.compactMap { Self.row($0, &problems) }, at: entry.value.mark)
      return
    }
    if case .map(let entries) = entry.value.value, !entries.isEmpty,
      entries.allSatisfy({ if case .map = $0.value.value { true } else { false } })
    {
      form = .last(entries.compactMap { entry in Self.row(entry.value, &problems).map { (entry.key, $0) } })
      return
    }
    let keys = TestFile.entries(
      entry.value, "what \(shown(entry.key)) should give is a list of events, or", ["contains", "count"], &problems)
    if keys.count != 1 {
      problems.add("what \(shown(component)) should give is a list of events, or one of 'contains' and 'count'", at: mark)
      return nil
    }
    if let count = keys["count"] {
      guard case .scalar(let text) = count.value, let number = Int(text), number >= 0 else {
        problems.add("'count' must be a whole number, got \(count.shownText)", at: count.mark)
        return nil
      }
      form = .count(number, written: count)
    } else if let list = keys["contains"], case .list(let items) = list.value {
      form = .contains(items.compactMap { Self.row($0, &problems) })
    } else {
      if let list = keys["contains"] { problems.add("'contains' must be a list of events, got \(list.kind)", at: list.mark) }
      return nil
    }
  }

  private static func row(_ node: ConfigNode, _ problems: inout Problems) -> Row? {
    guard case .map(let entries) = node.value else {
      problems.add("an event is a mapping such as { at: 5m, symbol: AAPL }, got \(node.kind)", at: node.mark)
      return nil
    }
    var fields: [(String, String, ConfigNode.Mark, ConfigNode)] = []
    var at: Duration?
    for entry in entries {
      if entry.key == "at" {
        at = TestInput.offset(entry.value, "at", &problems)
      } else if case .scalar(let text) = entry.value.value {
        fields.append((entry.key, text, entry.mark, entry.value))
      } else {
        problems.add("\(shown(entry.key)) of an event must be a text or a number, got \(entry.value.kind)", at: entry.value.mark)
      }
    }
    return Row(mark: node.mark, fields: fields, at: at)
  }

  // MARK: Comparing

  /// What is wrong with the events that came, one line each; empty if they are as expected.
  func faults(of all: [WrittenEvent], from start: Timestamp) -> [Problem] {
    let events = at.map { at in all.filter { $0.moment < RunCheck.end(of: at) } } ?? all
    switch form {
    case .last(let rows):
      return rows.compactMap { symbol, row in
        guard let event = events.last(where: { $0["symbol"] == symbol }) else {
          return Problem("\(moment)\(component) has given nothing of \(symbol)", at: row.mark)
        }
        if row.fits(event, start) { return nil }
        let found = event.text(row.fields.map(\.key), from: start)
        return Problem("\(moment)\(component) has \(symbol) as \(found), not \(row.text)", at: row.mark)
      }
    case .count(let count, _):
      return events.count == count
        ? []
        : [
          Problem(
            "\(component) gave \(events.count) \(events.count == 1 ? "event" : "events"), not \(count)\(came(events, start))", at: mark)
        ]
    case .contains(let rows):
      var place = 0
      for row in rows {
        while place < events.count, !row.fits(events[place], start) { place += 1 }
        if place == events.count { return [Problem("\(component) did not give \(row.text)\(came(events, start))", at: row.mark)] }
        place += 1
      }
      return []
    case .all(let rows, _): return differences(rows, events, start)
    }
  }

  /// What came, to be written in place of what was expected. What is among others stays.
  func updates(from all: [WrittenEvent], start: Timestamp) -> [TestUpdate] {
    if faults(of: all, from: start).isEmpty { return [] }
    let events = at.map { at in all.filter { $0.moment < RunCheck.end(of: at) } } ?? all
    switch form {
    case .all(_, let mark): return [TestUpdate(old: .list(mark), new: events.map { $0.text(names, from: start) })]
    case .count(_, let written): return [TestUpdate(old: .scalar(written), new: ["\(events.count)"])]
    case .last(let rows):
      return rows.flatMap { symbol, row in
        guard let event = events.last(where: { $0["symbol"] == symbol }) else { return [TestUpdate]() }
        return row.fields.compactMap { field in
          event.has(field.text, as: field.key) ? nil : event[field.key].map { TestUpdate(old: .scalar(field.value), new: [$0.optionText]) }
        }
      }
    case .contains: return []
    }
  }

  private var moment: String { at.map { "at \($0.optionText) " } ?? "" }

  /// The fields that are named, with their places.
  var fields: [(key: String, text: String, mark: ConfigNode.Mark, value: ConfigNode)] {
    switch form {
    case .all(let rows, _), .contains(let rows): rows.flatMap(\.fields)
    case .last(let rows): rows.flatMap(\.1.fields)
    case .count: []
    }
  }

  /// The events that came, as the end of a sentence.
  private func came(_ events: [WrittenEvent], _ start: Timestamp) -> String {
    if events.isEmpty { return "; it gave none" }
    let names = names
    let some = events.prefix(5).map { $0.text(names, from: start) }.joined(separator: ", ")
    return "; it gave \(some)\(events.count > 5 ? " and \(events.count - 5) more" : "")"
  }

  /// The fields that are compared, in the order in which they are first written.
  private var names: [String] {
    var names: [String] = []
    for field in fields where !names.contains(field.key) { names.append(field.key) }
    return names
  }

  /// Rows that did not come, and events that are in no row: what is left beside the longest common part.
  private func differences(_ rows: [Row], _ events: [WrittenEvent], _ start: Timestamp) -> [Problem] {
    var problems: [Problem] = []
    let names = names
    var (left, more): (rows: [Row], events: [WrittenEvent]) = ([], [])
    // Between two that fit each other, rows are told beside the events that are most like them.
    func flush() {
      var rest = more
      var partners = left.map { $0.takeLikest(of: &rest, start) }
      for i in partners.indices where partners[i] == nil && !rest.isEmpty { partners[i] = rest.removeFirst() }
      for (row, event) in zip(left, partners) {
        let gave = event.map { "gave \($0.text(names, from: start)), not" } ?? "did not give"
        problems.append(Problem("\(component) \(gave) \(row.text)", at: row.mark))
      }
      for event in rest.prefix(5) { problems.append(Problem("\(component) also gave \(event.text(names, from: start))", at: mark)) }
      if rest.count > 5 { problems.append(Problem("\(component) gave \(rest.count - 5) more events", at: mark)) }
      (left, more) = ([], [])
    }
    var (i, j) = (0, 0)
    for pair in Self.common(rows, events, start) + [(rows.count, events.count)] {
      left += rows[i..<pair.row]
      more += events[j..<pair.event]
      flush()
      (i, j) = (pair.row + 1, pair.event + 1)
    }
    return problems
  }

  /// The longest common part, as places in both.
  private static func common(_ rows: [Row], _ events: [WrittenEvent], _ start: Timestamp) -> [(row: Int, event: Int)] {
    var begin = 0
    while begin < min(rows.count, events.count), rows[begin].fits(events[begin], start) { begin += 1 }
    var ends = (rows: rows.count, events: events.count)
    while ends.rows > begin, ends.events > begin, rows[ends.rows - 1].fits(events[ends.events - 1], start) {
      ends = (ends.rows - 1, ends.events - 1)
    }
    var pairs = (0..<begin).map { (row: $0, event: $0) }
    let (height, width) = (ends.rows - begin, ends.events - begin)
    // What remains is compared each with each, unless that takes too long.
    if height * width <= 4_000_000, height > 0, width > 0 {
      var lengths = Array(repeating: Array(repeating: Int32(0), count: width + 1), count: height + 1)
      for i in stride(from: height - 1, through: 0, by: -1) {
        for j in stride(from: width - 1, through: 0, by: -1) {
          let isSame = rows[begin + i].fits(events[begin + j], start)
          lengths[i][j] = isSame ? lengths[i + 1][j + 1] + 1 : max(lengths[i + 1][j], lengths[i][j + 1])
        }
      }
      var (i, j) = (0, 0)
      while i < height, j < width {
        if rows[begin + i].fits(events[begin + j], start) {
          pairs.append((begin + i, begin + j))
          (i, j) = (i + 1, j + 1)
        } else if lengths[i + 1][j] >= lengths[i][j + 1] {
          i += 1
        } else {
          j += 1
        }
      }
    }
    return pairs + (0..<(rows.count - ends.rows)).map { (ends.rows + $0, ends.events + $0) }
  }
}

extension Expectation.Row {
  func fits(_ event: WrittenEvent, _ start: Timestamp) -> Bool {
    if let at, event.time != start.moved(by: at) { return false }
    return fields.allSatisfy { event.has($0.text, as: $0.key) }
  }

  /// Removes the event that has the most in common with the row, of some; nil if none has anything.
  func takeLikest(of events: inout [WrittenEvent], _ start: Timestamp) -> WrittenEvent? {
    func likeness(_ event: WrittenEvent) -> Int {
      fields.count { event.has($0.text, as: $0.key) } + (at.map { event.time == start.moved(by: $0) } ?? false ? 1 : 0)
    }
    let some = events.prefix(100).enumerated().map { (place: $0, likeness: likeness($1)) }
    guard let most = some.map(\.likeness).max(), most > 0, let place = some.first(where: { $0.likeness == most })?.place else { return nil }
    return events.remove(at: place)
  }

  /// `{ at: 5m, rule: high }`.
  var text: String {
    let parts = (at.map { ["at: \($0.optionText)"] } ?? []) + fields.map { "\($0.key): \($0.text.optionText)" }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}

extension WrittenEvent {
  /// The same form, with these fields; all without any.
  func text(_ names: [String], from start: Timestamp) -> String {
    let offset = Duration.nanoseconds(time.ns.subtractingSaturating(start.ns))
    let chosen = fields.filter { names.isEmpty ? $0.name != "time" && $0.name != "received" && !$0.text.isEmpty : names.contains($0.name) }
    let parts = ["at: \(offset.optionText)"] + chosen.map { "\($0.name): \($0.text.optionText)" }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}
