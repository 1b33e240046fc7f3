internal import EventBus
internal import StockbusPlugin

/// One channel's way: its switches, its queue and its account.
struct Lane: Sendable {
  let name: String
  /// `webhook`, `file` …
  let kind: String
  /// Nil where it cannot be used here.
  let channel: (any Channel)?
  /// Why it cannot.
  let fault: String?
  let heedsQuietHours: Bool
  let random: RandomStream
  /// Wakes whoever delivers.
  let bell = Parker()

  var isEnabled: Bool
  /// Silent until the run's clock shows this.
  var mutedUntil: Duration?
  var queue: Queue<Notification>
  /// The one that is being delivered.
  var current: Notification?
  private var limiter: RateLimiter
  /// True while alerts are being left out by the rate, so that it is said once.
  var isLimiting = false
  var isOverflowing = false

  let delivered: Counter
  let failed: Counter
  let retries: Counter
  let overflowed: Counter
  let limited: Counter
  let quiet: Counter
  let silenced: Counter

  init(_ opened: OpenedChannel, queue: Int, context: Context) {
    name = opened.name
    kind = opened.kind
    channel = opened.channel
    fault = opened.fault
    heedsQuietHours = opened.options.heedsQuietHours
    isEnabled = opened.options.enabled
    limiter = RateLimiter(opened.options.rate)
    self.queue = Queue(limit: queue)
    random = context.random(seed: context.seed ^ UInt64(opened.number))
    delivered = context.counter("\(name) delivered", "Alerts that arrived by this channel.")
    failed = context.counter("\(name) failed", "Alerts that this channel could not deliver.")
    retries = context.counter("\(name) retries", "Attempts of this channel beyond the first.")
    overflowed = context.counter("\(name) overflowed", "Alerts left out because too many waited for this channel.")
    limited = context.counter("\(name) limited", "Alerts left out because of this channel's rate.")
    quiet = context.counter("\(name) quiet", "Alerts left out in quiet hours.")
    silenced = context.counter("\(name) silenced", "Alerts left out while this channel was switched off.")
  }

  var isIdle: Bool { queue.count == 0 && current == nil }

  func isSilent(at uptime: Duration) -> Bool { !isEnabled || mutedUntil.map { uptime < $0 } ?? false }

  mutating func hasRoomInRate(at uptime: Duration) -> Bool { limiter.passes(at: uptime) }
}
