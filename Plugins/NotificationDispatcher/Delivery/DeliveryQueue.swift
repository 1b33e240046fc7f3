internal import StockbusPlugin

/// The state of one channel: its switches, its queue and its counters.
struct DeliveryQueue: Sendable {
  let name: String
  /// `webhook`, `file` …
  let kind: String
  /// Nil if the channel cannot be used here.
  let channel: (any Channel)?
  /// Why the channel cannot be used.
  let fault: String?
  let heedsQuietHours: Bool
  let random: RandomStream
  /// Wakes the delivery task.
  let bell = Parker()
  var trouble = Trouble()

  var isEnabled: Bool
  /// Silent until this time of the run's clock.
  var mutedUntil: Duration?
  var waiting: Queue<Notification>
  /// The notification that is being delivered.
  var current: Notification?
  private var limiter: RateLimiter
  /// True while alerts are left out because of the rate, so that this is logged once.
  var isLimiting = false
  var isOverflowing = false

  private let context: Context

  init(_ opened: OpenedChannel, queue: Int, context: Context) {
    name = opened.name
    kind = opened.kind
    channel = opened.channel
    fault = opened.fault
    heedsQuietHours = opened.options.heedsQuietHours
    isEnabled = opened.options.enabled
    limiter = RateLimiter(opened.options.rate)
    waiting = Queue(limit: queue)
    random = context.random(seed: context.seed ^ UInt64(opened.number))
    self.context = context
    // These two are always shown, even if they are zero.
    if channel != nil { for account in [Account.delivered, .failed] { count(account, 0) } }
  }

  /// The counters of a channel; all except the first two appear when they are first used.
  enum Account: String {
    case delivered = "Alerts that this channel delivered."
    case failed = "Alerts that this channel could not deliver."
    case retries = "Further attempts of this channel to deliver an alert, after the first."
    case overflowed = "Alerts dropped because too many waited for this channel."
    case limited = "Alerts dropped because of this channel's rate limit."
    case quiet = "Alerts suppressed in quiet hours."
    case silenced = "Alerts suppressed while this channel was disabled."
  }

  func count(_ account: Account, _ number: Int = 1) { counter(account).add(number) }

  func total(_ account: Account) -> Int { counter(account).total }

  private func counter(_ account: Account) -> Counter { context.counter("\(name) \(account)", account.rawValue) }

  var isIdle: Bool { waiting.count == 0 && current == nil }

  func isSilent(at uptime: Duration) -> Bool { !isEnabled || mutedUntil.map { uptime < $0 } ?? false }

  mutating func hasRoomInRate(at uptime: Duration) -> Bool { limiter.passes(at: uptime) }
}
