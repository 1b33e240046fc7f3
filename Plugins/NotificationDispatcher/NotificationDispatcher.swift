internal import StockbusExpressions
internal import StockbusFiles
internal import StockbusInstruments
public import StockbusPlugin

extension Plugin {
  /// Checks prices against rules and sends alerts.
  public static let notificationDispatcher = Plugin(
    "notification_dispatcher", "Checks prices against rules, publishes alerts, and delivers them by desktop, web, mail, file and program.",
    NotificationDispatcherPlugin.self,
    hot: [
      .relay(NotificationDispatcher<Trade>.self, as: .sink), .relay(NotificationDispatcher<Quote>.self, as: .sink),
      .relay(NotificationDispatcher<Bar>.self, as: .sink), .relay(NotificationDispatcher<Ranked>.self, as: .sink),
    ], emits: Alert.schema.name
  ).example("rules:\n  - { name: high, symbol: AAPL, crosses_above: 200 }\nchannels: [{ console: {} }]")
}

enum NotificationDispatcherPlugin: PricedEventPlugin {
  static func bind<E: PricedEvent>(_: E.Type) -> Blueprint { .relay(NotificationDispatcher<E>.self, as: .sink) }
}

/// Checks prices against rules. When a rule fires, an `Alert` is published and sent through the channels.
///
/// Three loops run on one actor: `receive` evaluates the rules, `run` publishes, `background` delivers, with one task for each channel. A
/// slow channel delays only itself. A slow reader of the alerts that loses nothing (`block`) delays the prices, as on any edge.
package actor NotificationDispatcher<E: PricedEvent>: TimedSink, Source, BackgroundComponent, ExplainingComponent,
  FileWritingComponent, PastNeedingComponent
{
  package typealias Input = E
  package typealias Output = Alert

  let settings: NotificationSettings
  let context: Context
  private let tools: ChannelTools
  var book: RuleBook
  /// Nil if no rule has expressions.
  private(set) var conditions: RuleConditions<E>?
  private var hasHadEvents = false
  var deliveries: DeliveryQueues
  var switches = Switches()
  var numbers: [OpenAlert: AlertNumbers] = [:]
  /// The alerts that are not over, of rules that say when they are.
  var unresolved: [OpenAlert: Sent] = [:]
  /// What an earlier run has left to the channels, until they are open.
  var left: (undelivered: [Knowledge.Undelivered], ends: [String: FileMark])
  /// Alerts that have not been published yet.
  var unpublished: [Alert] = []
  private var hasEnded = false
  /// True once the deliveries are waited for.
  private var isEnding = false
  private(set) var hasStopped = false
  /// Wakes whoever publishes, and whoever waits until there is room again, or until everything is delivered.
  private let bell = Parker()
  private let room = Parker()
  private let idle = Parker()
  private let fired: Counter
  private let suppressed: Counter
  private let silenced: Counter

  package init(_ settings: NotificationSettings, _ context: Context) {
    self.init(settings, context, .system(context))
  }

  init(_ settings: NotificationSettings, _ context: Context, _ tools: ChannelTools) {
    self.settings = settings
    self.context = context
    self.tools = tools
    let memory = context.recall(Self.known)
    let written = settings.rules.map { Rule($0) }
    let added = (memory?.added ?? []).filter { rule in !written.contains { $0.name == rule.name } }
    var kept = memory?.book
    kept?.connect(context.past, context.instruments, counted: settings.sessions)
    if memory?.isForAnotherRun == true { kept?.resume(at: context.clock.now) }
    book =
      kept
      ?? RuleBook(
        written + added, windowLimit: settings.windowPrices, windowRoom: settings.windowRoom,
        closes: PreviousCloses(context.past, context.instruments), splits: SplitWatch(context.instruments),
        sessions: InstrumentSessions(context.instruments, .all), counted: settings.sessions)
    conditions = RuleConditions(book.rules, context.functionSettings(settings.sessions, for: E.self), context.takeFunctions())
    switches = memory?.switches ?? Switches(isEnabled: settings.enabled)
    if let end = memory?.mutedUntil {
      switches.mutedUntil = context.clock.uptime + .nanoseconds(end.ns.subtractingSaturating(context.clock.now.ns))
    }
    unpublished = (memory?.unpublished ?? []).compactMap { $0.event(Alert.self) }
    left = (memory?.undelivered ?? [], memory?.ends ?? [:])
    for alert in memory?.alerts ?? [] {
      numbers[alert.subject] = alert.numbers
      unresolved[alert.subject] = alert.sent
    }
    deliveries = DeliveryQueues([], queue: settings.queue, quiet: nil, context: context)
    fired = context.counter("alerts", "Alerts that were published.")
    suppressed = context.counter("in cooldown", "Alerts that were suppressed by a cooldown.")
    silenced = context.counter("silenced", "Alerts that were suppressed because their rule was disabled.")
  }

  package func start() throws {
    let channels = try OpenedChannel.open(
      settings.channels, tools, opened: context.recall(Self.opened) ?? [],
      keepsPlaces: context.isRemembered, mark: { [left, context] name in left.ends[name].map { ($0, context.followsEndedRun) } },
      files: context.files
    ) { [context] sentence in context.logger.notice("\(sentence)") }
    context.remember((context.recall(Self.opened) ?? []).union(settings.channels.compactMap(\.filePath)), Self.opened)
    for channel in channels {
      if let fault = channel.fault { context.logger.notice("channel \(shown(channel.name)) is off: \(fault)") }
    }
    var quiet: QuietClock?
    do throws(ZoneProblem) { quiet = try settings.quietHours.map(QuietClock.init) } catch {
      throw EnvironmentFailure(error.message, isPermanent: true)
    }
    deliveries = DeliveryQueues(channels, queue: settings.queue, quiet: quiet, context: context)
    // What is for other channels stays for a run that has them: the past is played without any.
    for each in left.undelivered where channels.contains(where: { $0.name == each.channel }) {
      if let notification = Notification(each.notification, component: context.id) { deliveries.restore(notification, to: each.channel) }
    }
    left.undelivered.removeAll { each in channels.contains { $0.name == each.channel } }
    for channel in channels { left.ends[channel.name] = nil }
    endWithoutRule()
    if !Self.worksWithTime(settings), book.present.contains(where: \.test.needsTime) {
      context.logger.warning(
        "rules that commands have added wait for time, which this component gets only if its configuration has such a rule")
    }
  }

  package func receive(_ events: Span<E>) async throws {
    hasHadEvents = true
    let isSilent = switches.isSilent(at: context.clock)
    let found = conditions == nil && !book.isInTime ? book.process(events, isSilent: isSilent) : judge(events, isSilent: isSilent)
    // The usual case.
    if found.isEmpty { return }
    await publish(found)
  }

  // MARK: Time

  package static func worksWithTime(_ settings: NotificationSettings) -> Bool { settings.rules.contains(where: \.needsTime) }

  package var due: Timestamp? { book.due }

  package func advance(to time: Timestamp) async throws {
    var found: [RuleBook.Firing] = []
    book.advance(to: time.ns, isSilent: switches.isSilent(at: context.clock), &found)
    if found.isEmpty { countAsides() } else { await publish(found) }
  }

  // MARK: Alerts

  private func publish(_ found: [RuleBook.Firing]) async {
    for firing in found { publish(firing) }
    countAsides()
    bell.wake()
    while unpublished.count >= Self.mostUnpublished, !Task.isCancelled { await room.sleepCancellably() }
  }

  private static var mostUnpublished: Int { 4096 }

  private func judge(_ events: Span<E>, isSilent: Bool) -> [RuleBook.Firing] {
    conditions?.judge(events)
    defer { countAsides() }
    if book.isInTime { return book.processInTime(events, conditions?.verdicts, isSilent: isSilent) }
    return book.process(events, conditions?.verdicts, isSilent: isSilent)
  }

  /// Makes the program of the rules' expressions anew, after a change of the rules. What they remember stays, as far as they still have it.
  func renewConditions() {
    if conditions == nil, !book.present.contains(where: \.hasExpressions) { return }
    countFunctions()
    leaveFunctions()
    conditions = RuleConditions(book.rules, context.functionSettings(settings.sessions, for: E.self), context.takeFunctions())
  }

  private func countFunctions() { if let use = conditions?.memoryUse { context.count(use) } }

  func leaveFunctions() { context.leaveFunctions(conditions?.snapshot(), hasHadEvents: hasHadEvents) }

  private func countAsides() {
    let asides = book.takeAsides()
    suppressed.add(asides.suppressed)
    silenced.add(asides.silenced)
    context.count(datedAhead: asides.datedAhead)
    if asides.notReady > 0 { context.notReady.add(asides.notReady) }
    if asides.withoutClose > 0 {
      context.counter(
        "without a close", "Symbols whose change counts from their first price of a date, because no earlier close is known."
      ).add(asides.withoutClose)
    }
  }

  private func publish(_ firing: RuleBook.Firing) {
    guard let rule = book.rules[firing.rule] else { return }
    let alert = Alert(
      symbol: firing.symbol, rule: rule.name, message: RuleMessage(rule: rule, firing: firing).text, price: firing.price,
      time: firing.time, priceDecimals: firing.decimals, status: firing.kind == .fires ? .firing : .resolved)
    let subject = OpenAlert(rule: rule.name, symbol: firing.symbol)
    let notification = notification(of: alert, id: unresolved[subject]?.id, isUrgent: rule.isUrgent)
    if firing.kind != .fires {
      unresolved[subject] = nil
    } else if rule.test.resolves {
      unresolved[subject] = Sent(id: notification.id, channels: rule.channels, isUrgent: rule.isUrgent)
    }
    publish(notification, to: rule.channels)
  }

  private func publish(_ notification: Notification, to channels: [String]?) {
    if notification.alert.status == .firing {
      fired.add(1)
    } else {
      context.counter("resolved", "Alerts that were published because what a rule had fired for was over.").add(1)
    }
    unpublished.append(notification.alert)
    deliveries.offer(notification, to: channels)
  }

  /// Says of alerts that they are over because their rule is gone, or written otherwise now.
  func endWithoutRule() {
    let left = unresolved.filter { !book.isOpen($0.key.rule, $0.key.symbol) }
    for (subject, sent) in left.sorted(by: { ($0.key.rule, $0.key.symbol.description) < ($1.key.rule, $1.key.symbol.description) }) {
      unresolved[subject] = nil
      let alert = Alert(
        symbol: subject.symbol, rule: subject.rule, message: "over: \(subject.symbol), because the rule has ended", price: 0,
        time: book.newest.map { Timestamp(ns: $0) } ?? context.clock.now, status: .resolved)
      publish(notification(of: alert, id: sent.id, isUrgent: sent.isUrgent), to: sent.channels)
    }
    if !left.isEmpty { bell.wake() }
  }

  func notification(of alert: Alert, id: String? = nil, isUrgent: Bool = false) -> Notification {
    let subject = OpenAlert(rule: alert.rule, symbol: alert.symbol)
    let number = numbers[subject, default: AlertNumbers()].next(at: alert.time)
    return Notification(alert, component: context.id, number: number, id: id, isUrgent: isUrgent)
  }

  package func run(into output: inout Outlet<Alert>) async throws {
    while true {
      while !unpublished.isEmpty {
        let batch = unpublished
        unpublished = []
        room.wake()
        for alert in batch { output.send(alert) }
        try await output.flush()
      }
      if hasEnded { return }
      try Task.checkCancellation()
      await bell.sleepCancellably()
    }
  }

  package func background() async {
    await withTaskGroup(of: Void.self) { group in
      for (number, queue) in deliveries.queues.enumerated() {
        guard let channel = queue.channel else { continue }
        var delivery = NotificationDelivery(channel: channel, clock: context.clock, random: queue.random)
        delivery.confirmed = { [deliveries, context] notification in
          if let receipt = deliveries.receipt(for: notification, queue) { context.receipts?.add(receipt) }
        }
        group.addTask { await self.serve(number, delivery, queue) }
      }
    }
  }

  /// Makes one channel's deliveries, one after the other, until the task is cancelled.
  private func serve(_ number: Int, _ delivery: NotificationDelivery, _ queue: DeliveryQueue) async {
    while !Task.isCancelled {
      guard let notification = deliveries.next(number) else {
        await queue.bell.sleepCancellably()
        continue
      }
      if deliveries.receipt(for: notification, queue) != nil {
        if deliveries.wasConfirmed(notification, queue) {
          deliveries.skip(number)
          if deliveries.isIdle { idle.wake() }
          continue
        }
        // First it is kept that the alert was due, so that another run does not send it under another id.
        if !isEnding { await context.receipts?.memoryIsKept(notification.memory) }
      }
      let outcome = await delivery.attempt(notification) { error, pause in await retry(number, after: error, in: pause) }
      deliveries.settle(number, outcome)
      if deliveries.isIdle { idle.wake() }
      // Cancelled with the task.
      if case .failed(_, _, let pause?) = outcome { try? await context.clock.sleep(for: pause) }
    }
  }

  private func retry(_ channel: Int, after error: DeliveryError, in pause: Duration) {
    deliveries.retry(channel, after: error, in: pause)
  }

  /// Waits for the deliveries, up to the deadline.
  package func drain() async {
    for sentence in book.missing { context.note(sentence) }
    await handOver()
  }

  package func handOver() async {
    // No memory is taken meanwhile.
    isEnding = true
    countAsides()
    let deadline = context.clock.uptime + settings.deadline
    // A cancelled task does not wait for the deliveries.
    while !deliveries.isIdle, context.clock.uptime < deadline, !Task.isCancelled { await idle.sleep(until: deadline, context.clock) }
    hasEnded = true
    bell.wake()
  }

  package func renewFiles() async -> [String] {
    var paths: [String] = []
    for queue in deliveries.queues { if let path = await queue.channel?.renew() { paths.append(path) } }
    return paths
  }

  package func stop() async {
    hasStopped = true
    countFunctions()
    remember(forAnotherRun: context.goesOnInAnotherRun)
    if book.cut > 0 { context.logger.warning("\(book.cut) prices did not fit into a window: see 'window_prices' and 'window_memory'") }
    for sentence in deliveries.failures { context.note(sentence) }
    if !context.goesOnInAnotherRun {
      context.lose(deliveries.abandon(), "alerts that were not delivered before the end")
    } else if !deliveries.undelivered.isEmpty {
      context.note("alerts that the next run delivers: \(deliveries.undelivered.count)")
    }
    for queue in deliveries.queues { await queue.channel?.close() }
  }
}
