internal import StockbusPlugin

/// Decides which channels get a notification, and records the results. It has no side effects except logging and counting; its owner makes
/// the deliveries.
struct DeliveryQueues: Sendable {
  private(set) var queues: [DeliveryQueue]
  private let quiet: QuietClock?
  private let context: Context

  init(_ channels: [OpenedChannel], queue: Int, quiet: QuietClock?, context: Context) {
    queues = channels.map { DeliveryQueue($0, queue: queue, context: context) }
    self.quiet = quiet
    self.context = context
  }

  /// True if no notification waits or is being delivered.
  var isIdle: Bool { queues.allSatisfy(\.isIdle) }

  func number(of name: String) -> Int? { queues.firstIndex { $0.name == name } }

  /// Takes a notification for the channels of these names, or for all if `names` is nil; never waits.
  mutating func offer(_ notification: Notification, to names: [String]?) {
    let uptime = context.clock.uptime
    let isQuiet = !notification.isUrgent && (quiet?.isQuiet(at: context.clock.wall) ?? false)
    for i in queues.indices where queues[i].channel != nil && names?.contains(queues[i].name) ?? true {
      if queues[i].isSilent(at: uptime) {
        queues[i].count(.silenced)
      } else if isQuiet, queues[i].heedsQuietHours {
        queues[i].count(.quiet)
      } else if !queues[i].hasRoomInRate(at: uptime) {
        queues[i].count(.limited)
        if !queues[i].isLimiting {
          context.logger.warning("channel \(shown(queues[i].name)): more alerts than its rate limit; some are dropped")
        }
        queues[i].isLimiting = true
      } else {
        queues[i].isLimiting = false
        enqueue(notification, i)
      }
    }
  }

  /// Queues a notification for a channel, whether the channel is switched on or not.
  mutating func enqueue(_ notification: Notification, _ channel: Int) {
    var notification = notification
    notification.memory = context.receipts?.nextMemory ?? 0
    if let displaced = queues[channel].waiting.append(notification) {
      queues[channel].count(.overflowed)
      if !queues[channel].isOverflowing {
        context.logger.warning("channel \(shown(queues[channel].name)): too many alerts wait; the oldest are dropped")
      }
      queues[channel].isOverflowing = true
      context.reject(displaced.json, origin: "channel \(queues[channel].name)", reason: "too many alerts waited for the channel")
    } else {
      queues[channel].isOverflowing = false
    }
    queues[channel].bell.wake()
  }

  /// Takes a notification that an earlier run had for the channel of this name.
  mutating func restore(_ notification: Notification, to name: String) {
    if let number = number(of: name), queues[number].channel != nil { enqueue(notification, number) }
  }

  /// What each channel has not delivered, by its name.
  var undelivered: [(channel: String, notification: Notification)] {
    queues.flatMap { queue in
      // It may be delivered and not be noted as such yet.
      let current = queue.current.flatMap { $0.delivery == queue.channel?.place?.delivery || wasConfirmed($0, queue) ? nil : $0 }
      return ([current].compactMap(\.self) + queue.waiting.all).map { (queue.name, $0) }
    }
  }

  /// The next notification for a channel, which then counts as being delivered; nil if none waits.
  mutating func next(_ channel: Int) -> Notification? {
    guard let next = queues[channel].waiting.popFirst() else { return nil }
    queues[channel].current = next
    return next
  }

  /// What a channel confirms. One that can be set back needs no receipts.
  func receipt(for notification: Notification, _ queue: DeliveryQueue) -> String? {
    context.receipts == nil || queue.channel?.place != nil ? nil : "\(context.id) \(queue.name) \(notification.delivery)"
  }

  /// True if the channel has confirmed it to this run or to one before.
  func wasConfirmed(_ notification: Notification, _ queue: DeliveryQueue) -> Bool {
    receipt(for: notification, queue).map { context.receipts?.contains($0) ?? false } ?? false
  }

  /// The current delivery is not made, as an earlier run has made it.
  mutating func skip(_ channel: Int) { queues[channel].current = nil }

  /// Records the result of the current delivery; a cancelled one stays, to be counted at the end.
  mutating func settle(_ channel: Int, _ outcome: NotificationDelivery.Outcome) {
    switch outcome {
    case .delivered:
      queues[channel].count(.delivered)
      if let since = queues[channel].trouble.end() {
        let time = (context.clock.uptime - since).roughText
        context.logger.notice("channel \(shown(queues[channel].name)) delivers again, after \(time)")
        reportTrouble()
      }
    case .failed(let attempts, let reason, _):
      queues[channel].count(.failed)
      // Each failed delivery becomes a dead letter; the log reports a reason only once.
      if note(reason, channel) { context.logger.warning("channel \(shown(queues[channel].name)) cannot deliver: \(reason)") }
      if let notification = queues[channel].current {
        let times = attempts == 1 ? "" : " after \(attempts) attempts"
        context.reject(notification.json, origin: "channel \(queues[channel].name)", reason: "not delivered\(times): \(reason)")
      }
    case .cancelled: return
    }
    queues[channel].current = nil
  }

  /// Records an attempt that failed and is repeated after a pause.
  mutating func retry(_ channel: Int, after error: DeliveryError, in pause: Duration) {
    queues[channel].count(.retries)
    let level: Logger.Level = note(error.description, channel) ? .warning : .info
    context.logger.log(level: level, "channel \(shown(queues[channel].name)): \(error); retrying in \(pause.roughText)")
  }

  private mutating func note(_ reason: String, _ channel: Int) -> Bool {
    let isNew = queues[channel].trouble.note(reason, at: context.clock.uptime)
    if isNew { reportTrouble() }
    return isNew
  }

  /// Reports why channels that are switched on cannot deliver.
  private func reportTrouble() {
    let troubles = queues.compactMap { queue in
      queue.isEnabled ? queue.trouble.present.map { "channel \(shown(queue.name)) cannot deliver: \($0)" } : nil
    }
    context.report(trouble: troubles.isEmpty ? nil : troubles.joined(separator: "; "))
  }

  /// Drops all notifications that have not been delivered; returns how many.
  mutating func abandon() -> Int {
    var count = 0
    for i in queues.indices {
      while let left = queues[i].current ?? queues[i].waiting.popFirst() {
        queues[i].current = nil
        count += 1
        context.reject(left.json, origin: "channel \(queues[i].name)", reason: "not delivered before the end")
      }
    }
    return count
  }

  /// For the end of the run: for every channel with undelivered alerts, their number and the reason of its last failed attempt.
  var failures: [String] {
    queues.compactMap { queue in
      guard let reason = queue.trouble.last else { return nil }
      let count = queue.total(.failed) + queue.waiting.count + (queue.current == nil ? 0 : 1)
      if count == 0 { return nil }
      return "channel \(shown(queue.name)): \(count) \(count == 1 ? "alert" : "alerts") not delivered: \(reason)"
    }
  }

  mutating func setEnabled(_ channel: Int, _ isEnabled: Bool) {
    queues[channel].isEnabled = isEnabled
    queues[channel].mutedUntil = nil
    if queues[channel].trouble.present != nil { reportTrouble() }
  }

  mutating func mute(_ channel: Int, until: Duration) { queues[channel].mutedUntil = until }
}
