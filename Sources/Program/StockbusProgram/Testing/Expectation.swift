import MarketData
import StockbusConfig
import StockbusPlugin

/// An event as text: its fields by their names.
struct ToldEvent: Sendable {
  var fields: [(name: String, text: String)]
  var time: Timestamp

  subscript(name: String) -> String? { fields.first { $0.name == name }?.text }
}

/// What a component should publish.
struct Expectation {
  /// One event: those of its fields that matter.
  struct Row {
    let mark: ConfigNode.Mark
    let fields: [(key: String, text: String, mark: ConfigNode.Mark)]
    /// Since the start of the test; nil if the time does not matter.
    let at: Duration?
  }

  enum Form {
    /// All events, in their order.
    case all([Row])
    /// Among others, in their order.
    case contains([Row])
    case count(Int)
  }

  let component: String
  let mark: ConfigNode.Mark
  let form: Form

  /// Reads `alerts: [{ at: 5m, rule: high }]`, `alerts: { contains: [...] }` or `alerts: { count: 2 }`.
  init?(_ entry: ConfigNode.Entry, from start: Timestamp, _ problems: inout Problems) {
    component = entry.key
    mark = entry.mark
    if case .list(let items) = entry.value.value {
      form = .all(items.compactMap { Self.row($0, &problems) })
      return
    }
    let keys = TestFile.entries(
      entry.value, "what \(shown(entry.key)) should give is a list of events, or", ["contains", "count"], &problems)
    if let count = keys["count"] {
      guard case .scalar(let text) = count.value, let number = Int(text), number >= 0 else {
        problems.add("'count' must be a whole number, got \(count.shownText)", at: count.mark)
        return nil
      }
      form = .count(number)
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
    var fields: [(String, String, ConfigNode.Mark)] = []
    var at: Duration?
    for entry in entries {
      if entry.key == "at" {
        at = TestInput.offset(entry.value, "at", &problems)
      } else if case .scalar(let text) = entry.value.value {
        fields.append((entry.key, text, entry.mark))
      } else {
        problems.add("\(shown(entry.key)) of an event must be a text or a number, got \(entry.value.kind)", at: entry.value.mark)
      }
    }
    return Row(mark: node.mark, fields: fields, at: at)
  }

  // MARK: Comparing

  /// What is wrong with the events that came, one line each; empty if they are as expected.
  func faults(of events: [ToldEvent], from start: Timestamp) -> [Problem] {
    switch form {
    case .count(let count):
      return events.count == count
        ? []
        : [
          Problem(
            "\(component) gave \(events.count) \(events.count == 1 ? "event" : "events"), not \(count)\(told(events, start))", at: mark)
        ]
    case .contains(let rows):
      var place = 0
      for row in rows {
        while place < events.count, !row.fits(events[place], start) { place += 1 }
        if place == events.count { return [Problem("\(component) did not give \(row.text)\(told(events, start))", at: row.mark)] }
        place += 1
      }
      return []
    case .all(let rows): return differences(rows, events, start)
    }
  }

  /// The events that came, as the end of a sentence.
  private func told(_ events: [ToldEvent], _ start: Timestamp) -> String {
    if events.isEmpty { return "; it gave none" }
    let names = Self.names(form)
    let some = events.prefix(5).map { $0.text(names, from: start) }.joined(separator: ", ")
    return "; it gave \(some)\(events.count > 5 ? " and \(events.count - 5) more" : "")"
  }

  /// The fields that are compared, in the order in which they are first written.
  private static func names(_ form: Form) -> [String] {
    let rows: [Row] =
      switch form {
      case .all(let rows), .contains(let rows): rows
      case .count: []
      }
    var names: [String] = []
    for field in rows.flatMap(\.fields) where !names.contains(field.key) { names.append(field.key) }
    return names
  }

  /// Rows that did not come, and events that are in no row: what is left beside the longest common part.
  private func differences(_ rows: [Row], _ events: [ToldEvent], _ start: Timestamp) -> [Problem] {
    var problems: [Problem] = []
    var (begin, ends) = (0, (rows: rows.count, events: events.count))
    while begin < min(rows.count, events.count), rows[begin].fits(events[begin], start) { begin += 1 }
    while ends.rows > begin, ends.events > begin, rows[ends.rows - 1].fits(events[ends.events - 1], start) {
      ends = (ends.rows - 1, ends.events - 1)
    }
    let names = Self.names(form)
    let (left, more) = (Array(rows[begin..<ends.rows]), Array(events[begin..<ends.events]))
    for (row, event) in zip(left, more) {
      problems.append(Problem("\(component) gave \(event.text(names, from: start)), not \(row.text)", at: row.mark))
    }
    for row in left.dropFirst(more.count) { problems.append(Problem("\(component) did not give \(row.text)", at: row.mark)) }
    let rest = more.dropFirst(left.count)
    for event in rest.prefix(5) { problems.append(Problem("\(component) also gave \(event.text(names, from: start))", at: mark)) }
    if rest.count > 5 { problems.append(Problem("\(component) gave \(rest.count - 5) more events", at: mark)) }
    return problems
  }
}

extension Expectation.Row {
  func fits(_ event: ToldEvent, _ start: Timestamp) -> Bool {
    if let at, event.time != start.moved(by: at) { return false }
    return fields.allSatisfy { field in event[field.key].map { Self.isSame($0, field.text) } ?? false }
  }

  /// Numbers are the same whatever their zeros.
  private static func isSame(_ a: String, _ b: String) -> Bool {
    if a == b { return true }
    guard let a = try? Price(option: a), let b = try? Price(option: b) else { return false }
    return a == b
  }

  /// `{ at: 5m, rule: high }`.
  var text: String {
    let parts = (at.map { ["at: \($0.optionText)"] } ?? []) + fields.map { "\($0.key): \($0.text.optionText)" }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}

extension ToldEvent {
  /// The same form, with these fields; all without any.
  func text(_ names: [String], from start: Timestamp) -> String {
    let offset = Duration.nanoseconds(time.ns.subtractingSaturating(start.ns))
    let chosen = fields.filter { names.isEmpty ? $0.name != "time" && $0.name != "received" && !$0.text.isEmpty : names.contains($0.name) }
    let parts = ["at: \(offset.optionText)"] + chosen.map { "\($0.name): \($0.text.optionText)" }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}
