import MarketData
import StockbusPlugin
import StockbusRuntime
import StockbusViewing

/// A rehearsal as text: a summary by rule, or its alerts one by one.
struct RehearsalText {
  private let rehearsal: Rehearsal
  private let before: Rehearsal?
  private let changes: RehearsalChanges?
  private let accounts: AccountText

  init(_ rehearsal: Rehearsal, against before: Rehearsal? = nil) {
    self.rehearsal = rehearsal
    self.before = before
    changes = before.map { RehearsalChanges(from: $0.alerts, to: rehearsal.alerts) }
    accounts = AccountText(rehearsal.accounts, against: before?.accounts)
  }

  func text(_ format: PrintFormat) -> String {
    switch format {
    case .table: ([summary, accountLines].filter { !$0.isEmpty }.joined(separator: [""]) + differences).joined(separator: "\n")
    case .json: (records.map(json) + accounts.json).joined(separator: "\n")
    case .csv: ([csv] + (accounts.isEmpty ? [] : [""] + accounts.csv)).joined(separator: "\n")
    }
  }

  // MARK: A summary

  /// One rule of one component.
  private struct Subject: Hashable {
    let component: String
    let rule: String
  }

  private var summary: [String] {
    let alerts = Self.bySubject(rehearsal)
    let old = before.map(Self.bySubject)
    let subjects = subjects
    if subjects.isEmpty { return [] }
    let hasSeveral = Set(subjects.map(\.component)).count > 1
    let resolves = rehearsal.alerts.contains { $0.alert.status == .resolved }
    var rows = [["RULE", "ALERTS"] + (old == nil ? [] : ["BEFORE"]) + (resolves ? ["OVER"] : []) + ["FIRST", "LAST", "INSTRUMENTS"]]
    for subject in subjects {
      let own = alerts[subject] ?? []
      let fired = own.filter { $0.alert.status == .firing }
      var row = [hasSeveral ? "\(subject.component): \(visible(subject.rule))" : visible(subject.rule), Ledger.grouped(fired.count)]
      if let old { row.append(Ledger.grouped((old[subject] ?? []).count { $0.alert.status == .firing })) }
      if resolves { row.append(Ledger.grouped(own.count - fired.count)) }
      for end in [fired.first, fired.last] { row.append(end.map { "\($0.alert.time)" } ?? "") }
      rows.append(row + [Self.instruments(of: fired)])
    }
    return TextTable(rows: rows).lines(width: PageWidth.ofTerminal) + chart
  }

  private var accountLines: [String] {
    accounts.isEmpty ? [] : TextTable(rows: accounts.rows).lines(width: PageWidth.ofTerminal)
  }

  private static func bySubject(_ rehearsal: Rehearsal) -> [Subject: [RehearsedAlert]] {
    Dictionary(grouping: rehearsal.alerts) { Subject(component: $0.component, rule: $0.alert.rule) }
  }

  /// The rules of both configurations, also those that have not fired, in their order.
  private var subjects: [Subject] {
    var subjects: [Subject] = []
    for rule in rehearsal.plan.rules + (before?.plan.rules ?? []) {
      let subject = Subject(component: rule.component, rule: rule.name)
      if !subjects.contains(subject) { subjects.append(subject) }
    }
    return subjects
  }

  /// `AAPL 12, MSFT 3 and 4 others`, the most alerts first.
  private static func instruments(of alerts: [RehearsedAlert]) -> String {
    let counts = Dictionary(grouping: alerts, by: { $0.alert.symbol.description }).map { (name: $0.key, count: $0.value.count) }
    let ordered = counts.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    let shown = ordered.prefix(4).map { "\(visible($0.name)) \($0.count)" }.joined(separator: ", ")
    return ordered.count > 4 ? "\(shown) and \(ordered.count - 4) others" : shown
  }

  private static let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  /// In seconds.
  private static let spans = [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 604_800, 2_592_000, 31_536_000, 315_360_000]

  /// How many alerts came when.
  private var chart: [String] {
    // In seconds from the first one, which begins a bar.
    let seconds = rehearsal.alerts.filter { $0.alert.status == .firing }.map { Int($0.alert.time.ns / 1_000_000_000) }
    guard let first = seconds.first, let last = seconds.last, first < last else { return [] }
    func before(_ span: Int) -> Int { first - (first % span + span) % span }
    let span = Self.spans.first { (last - before($0)) / $0 < 60 } ?? Self.spans[Self.spans.count - 1]
    let begin = before(span)
    func bar(_ time: Int) -> Int { min(59, (time - begin) / span) }
    var counts = Array(repeating: 0, count: bar(last) + 1)
    for time in seconds { counts[bar(time)] += 1 }
    let most = counts.max() ?? 1
    let bars = String(counts.map { Self.blocks[($0 * 8 + most - 1) / most] })
    return [
      "",
      "\(Timestamp(ns: Int64(begin) * 1_000_000_000)) ▏\(bars)▕ a bar is \(Duration.seconds(span).optionText), the highest \(Ledger.grouped(most))",
    ]
  }

  // MARK: What differs

  private static var mostLines: Int { 50 }

  private var differences: [String] {
    guard let changes else { return [] }
    func words(_ alert: RehearsedAlert) -> String { "\(visible(alert.alert.rule))  \(visible(alert.alert.message, limit: 200))" }
    let lines =
      changes.more.map { (alert: $0, text: "+ \($0.alert.time)  \(words($0))") }
      + changes.less.map { (alert: $0, text: "- \($0.alert.time)  \(words($0))") }
      + changes.moved.map { (alert: $0.after, text: "~ \($0.after.alert.time)  was \($0.before.alert.time)  \(words($0.after))") }
    let counts =
      "\(Ledger.grouped(changes.same)) the same, \(Ledger.grouped(changes.more.count)) more, "
      + "\(Ledger.grouped(changes.less.count)) less, \(Ledger.grouped(changes.moved.count)) at another time"
    let ordered = lines.sorted { $0.alert.isBefore($1.alert) }.map(\.text)
    let rest = ordered.count - Self.mostLines
    return ["", counts] + ordered.prefix(Self.mostLines)
      + (rest > 0 ? ["… and \(Ledger.grouped(rest)) more; --format csv lists all"] : [])
  }

  // MARK: One by one

  private struct Record {
    let change: String
    let alert: RehearsedAlert
    var was: Timestamp?
  }

  /// The alerts; with another configuration only what differs.
  private var records: [Record] {
    guard let changes else { return rehearsal.alerts.map { Record(change: "", alert: $0) } }
    let all =
      changes.more.map { Record(change: "more", alert: $0) } + changes.less.map { Record(change: "less", alert: $0) }
      + changes.moved.map { Record(change: "moved", alert: $0.after, was: $0.before.alert.time) }
    return all.sorted { $0.alert.isBefore($1.alert) }
  }

  private func json(_ record: Record) -> String {
    var members = ["\"component\":\"\(record.alert.component)\""]
    if changes != nil { members.append("\"change\":\"\(record.change)\"") }
    if let was = record.was { members.append("\"was\":\"\(was)\"") }
    return "{\(members.joined(separator: ",")),\(Alert.schema.json(record.alert.alert).dropFirst())"
  }

  private var csv: String {
    let encoder = EventEncoder<Alert>()
    var out = ByteWriter()
    out.append((changes == nil ? "component," : "component,change,was,") + encoder.csvHeader)
    for record in records {
      let was = record.was.map { "\($0)" } ?? ""
      out.append(changes == nil ? "\n\(record.alert.component)," : "\n\(record.alert.component),\(record.change),\(was),")
      encoder.encodeCSV(record.alert.alert, to: &out)
    }
    return out.string
  }
}
