import EventBus
import MarketData
import StockbusConfig
import StockbusRuntime

/// An alert of a rehearsal, and which component has sent it.
struct RehearsedAlert: Hashable, Sendable {
  let component: String
  let alert: Alert

  /// By time, then by component, rule and symbol.
  func isBefore(_ other: RehearsedAlert) -> Bool {
    (alert.time, component, alert.rule, alert.symbol.description)
      < (other.alert.time, other.component, other.alert.rule, other.alert.symbol.description)
  }
}

/// What a configuration makes of the past.
struct Rehearsal {
  let plan: RehearsalPlan
  /// In the order of their times; of equal ones, in the order of the components.
  let alerts: [RehearsedAlert]
  /// Those of its paper brokers.
  let accounts: [RehearsedAccount]
  let report: RunReport
  /// True if somebody has stopped it before the recordings ended.
  let wasStopped: Bool

  /// What recordings have and their sources would not have had, one line each: `live: left out 2 symbols …`.
  var leftOut: [String] {
    report.ledger.notes.filter { plan.symbols[$0.component] != nil }.map { "\($0.component): \($0.text)" }
  }

  /// Runs a plan until its recordings end.
  static func run(_ plan: RehearsalPlan, logLevel: LogLevel) async throws -> Rehearsal {
    let pipeline = try LongCommand.pipeline(plan.topology, logLevel: logLevel)
    let readers = plan.dispatchers.compactMap { id in
      (pipeline.topic(id) as? Topic<Alert>)?.folded(into: [RehearsedAlert]()) { $0.append(RehearsedAlert(component: id, alert: $1)) }
    }
    let bookReaders = plan.brokers.map { broker, parts in
      // Its accounts first, which are in the order in which they were opened.
      parts.reversed().compactMap { pipeline.topic($0).flatMap(AccountBook(broker).reading) }
    }
    var report: RunReport?
    let isInterrupted = Guarded(false)
    await LongCommand.run(pipeline, interrupted: { isInterrupted.withLock { $0 = true } }) { report = $0 }
    var alerts: [RehearsedAlert] = []
    for reader in readers { alerts += await reader.value }
    var accounts: [RehearsedAccount] = []
    for (broker, readers) in zip(plan.brokers, bookReaders) {
      var book = AccountBook(broker.broker)
      for reader in readers { book.add(await reader.value) }
      accounts += book.accounts
    }
    guard let report else { throw CancellationError() }
    // A sort that keeps the order of equal ones.
    let order = alerts.indices.sorted { (alerts[$0].alert.time, $0) < (alerts[$1].alert.time, $1) }
    return Rehearsal(
      plan: plan, alerts: order.map { alerts[$0] }, accounts: accounts, report: report, wasStopped: isInterrupted.withLock { $0 })
  }
}

/// How the alerts of two configurations differ over the same past.
struct RehearsalChanges {
  /// An alert that both have, at another time.
  struct Move {
    let before: RehearsedAlert
    let after: RehearsedAlert
  }

  /// One rule and one instrument.
  private struct Subject: Hashable {
    let component: String
    let rule: String
    let symbol: Symbol
    let status: AlertStatus

    init(_ alert: RehearsedAlert) {
      (component, rule, symbol, status) = (alert.component, alert.alert.rule, alert.alert.symbol, alert.alert.status)
    }
  }

  private(set) var same = 0
  /// Only with the present configuration, and only with the old one.
  private(set) var more: [RehearsedAlert] = []
  private(set) var less: [RehearsedAlert] = []
  private(set) var moved: [Move] = []

  /// Alerts of one rule and one instrument at the same time are the same. Of what is left, those belong together that have no nearer one on the
  /// other side. Both are in the order of their times.
  init(from before: [RehearsedAlert], to after: [RehearsedAlert]) {
    var old = Dictionary(grouping: before, by: Subject.init)
    for (subject, new) in Dictionary(grouping: after, by: Subject.init) { compare(old.removeValue(forKey: subject) ?? [], new) }
    less += old.values.joined()
    less.sort { $0.isBefore($1) }
    more.sort { $0.isBefore($1) }
    moved.sort { $0.after.isBefore($1.after) }
  }

  /// Compares the alerts of one subject.
  private mutating func compare(_ old: [RehearsedAlert], _ new: [RehearsedAlert]) {
    var (left, open): ([RehearsedAlert], [RehearsedAlert]) = ([], [])
    var i = 0
    for alert in new {
      while i < old.count, old[i].alert.time < alert.alert.time {
        left.append(old[i])
        i += 1
      }
      if i < old.count, old[i].alert.time == alert.alert.time {
        i += 1
        same += 1
      } else {
        open.append(alert)
      }
    }
    left += old[i...]
    pair(left, open)
  }

  /// Both are in the order of their times.
  private mutating func pair(_ left: [RehearsedAlert], _ open: [RehearsedAlert]) {
    func distance(_ i: Int, _ j: Int) -> UInt64 {
      i < left.count && j < open.count ? left[i].alert.time.ns.subtractingSaturating(open[j].alert.time.ns).magnitude : .max
    }
    var (i, j) = (0, 0)
    while i < left.count, j < open.count {
      let own = distance(i, j)
      if distance(i + 1, j) < own {
        less.append(left[i])
        i += 1
      } else if distance(i, j + 1) < own {
        more.append(open[j])
        j += 1
      } else {
        moved.append(Move(before: left[i], after: open[j]))
        (i, j) = (i + 1, j + 1)
      }
    }
    less += left[i...]
    more += open[j...]
  }
}
