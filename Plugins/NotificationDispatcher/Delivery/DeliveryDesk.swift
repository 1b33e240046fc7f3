internal import EventBus
internal import MarketData
internal import StockbusPlugin

/// Who gets which notification, and what became of it. Pure but for logging and counting; whoever owns it does the deliveries.
struct DeliveryDesk: Sendable {
  private(set) var lanes: [Lane]
  private let quiet: QuietClock?
  private let context: Context

  init(_ channels: [OpenedChannel], queue: Int, quiet: QuietClock?, context: Context) {
    lanes = channels.map { Lane($0, queue: queue, context: context) }
    self.quiet = quiet
    self.context = context
  }

  /// True where nothing waits and nothing is on its way.
  var isIdle: Bool { lanes.allSatisfy(\.isIdle) }

  func number(of name: String) -> Int? { lanes.firstIndex { $0.name == name } }

  /// Takes a notification for the channels of these names, for all where there are none; never waits.
  mutating func offer(_ notification: Notification, to names: [String]?) {
    let uptime = context.clock.uptime
    let isQuiet = !notification.isUrgent && (quiet?.isQuiet(at: context.clock.now) ?? false)
    for i in lanes.indices where lanes[i].channel != nil && names?.contains(lanes[i].name) ?? true {
      if lanes[i].isSilent(at: uptime) {
        lanes[i].count(.silenced)
      } else if isQuiet, lanes[i].heedsQuietHours {
        lanes[i].count(.quiet)
      } else if !lanes[i].hasRoomInRate(at: uptime) {
        lanes[i].count(.limited)
        if !lanes[i].isLimiting { context.logger.warning("channel \(shown(lanes[i].name)): more alerts than its rate; some are left out") }
        lanes[i].isLimiting = true
      } else {
        lanes[i].isLimiting = false
        enqueue(notification, i)
      }
    }
  }

  /// Sends one to a channel whatever its switches say.
  mutating func enqueue(_ notification: Notification, _ lane: Int) {
    if let displaced = lanes[lane].queue.append(notification) {
      lanes[lane].count(.overflowed)
      if !lanes[lane].isOverflowing {
        context.logger.warning("channel \(shown(lanes[lane].name)): too many alerts wait; the oldest are left out")
      }
      lanes[lane].isOverflowing = true
      context.reject(displaced.json, origin: "channel \(lanes[lane].name)", reason: "too many alerts waited for the channel")
    } else {
      lanes[lane].isOverflowing = false
    }
    lanes[lane].bell.wake()
  }

  /// The next one for a channel, which is then on its way; nil where none waits.
  mutating func next(_ lane: Int) -> Notification? {
    guard let next = lanes[lane].queue.popFirst() else { return nil }
    lanes[lane].current = next
    return next
  }

  /// What became of the one on its way; a cancelled one stays, to be counted at the end.
  mutating func settle(_ lane: Int, _ outcome: Delivery.Outcome) {
    switch outcome {
    case .delivered:
      lanes[lane].count(.delivered)
      lanes[lane].trouble.end()
    case .failed(let attempts, let reason):
      lanes[lane].count(.failed)
      // Every one is a dead letter; the log says once what keeps the channel from delivering.
      if lanes[lane].trouble.note(reason) { context.logger.warning("channel \(shown(lanes[lane].name)) cannot deliver: \(reason)") }
      if let notification = lanes[lane].current {
        let times = attempts == 1 ? "" : " after \(attempts) attempts"
        context.reject(notification.json, origin: "channel \(lanes[lane].name)", reason: "not delivered\(times): \(reason)")
      }
    case .cancelled: return
    }
    lanes[lane].current = nil
  }

  /// Gives up what has not been delivered; answers how many.
  mutating func abandon() -> Int {
    var count = 0
    for i in lanes.indices {
      while let left = lanes[i].current ?? lanes[i].queue.popFirst() {
        lanes[i].current = nil
        count += 1
        context.reject(left.json, origin: "channel \(lanes[i].name)", reason: "not delivered before the end")
      }
    }
    return count
  }

  /// For the end of the run: of every channel that has alerts left or gave some up, how many, and why its last attempt failed that did.
  var failures: [String] {
    lanes.compactMap { lane in
      guard let reason = lane.trouble.last else { return nil }
      let count = lane.total(.failed) + lane.queue.count + (lane.current == nil ? 0 : 1)
      if count == 0 { return nil }
      return "channel \(shown(lane.name)): \(count) \(count == 1 ? "alert" : "alerts") not delivered: \(reason)"
    }
  }

  mutating func setEnabled(_ lane: Int, _ isEnabled: Bool) {
    lanes[lane].isEnabled = isEnabled
    lanes[lane].mutedUntil = nil
  }

  mutating func mute(_ lane: Int, until: Duration) { lanes[lane].mutedUntil = until }
}
