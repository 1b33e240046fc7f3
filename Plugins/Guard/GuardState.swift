internal import StockbusInstruments
internal import StockbusPlugin

/// What becomes of each event, and when.
struct GuardState<E: GuardedEvent> {
  enum Fate {
    case kept
    case odd
    case dropped
  }

  /// What has become of an event.
  struct Verdict {
    let event: E
    let fate: Fate
    /// The receipt with which it goes: when it was let go.
    let received: Int64
    /// True if it has not waited.
    let isPresent: Bool
  }

  /// How many, since they were last told.
  struct Counts: Equatable {
    var tooLate = 0
    var ahead = 0
    var odd = 0
    var levels = 0
    var early = 0
  }

  private let settings: GuardSettings
  private let ahead: Int64
  private(set) var order: TimeOrder<E>
  private(set) var windows: [Symbol: PriceWindow] = [:]
  /// Nil if no instrument has been split.
  private var splits: SplitWatch?
  private let instruments: Instruments
  /// The last receipt or time; events whose wait ends earlier because of a change of `late` go with this.
  private var now = Int64.min
  var counts = Counts()

  /// Events that wait take at most so many bytes.
  static var memory: Int { 64 << 20 }

  init(_ settings: GuardSettings, _ instruments: Instruments, limit: Int = Self.memory / TimeOrder<E>.size) {
    self.settings = settings
    self.instruments = instruments
    ahead = settings.ahead.wholeNanoseconds
    order = TimeOrder(late: settings.late?.wholeNanoseconds ?? 0, limit: limit)
    splits = SplitWatch(instruments)
  }

  var due: Int64? { order.due.map { max($0, now) } }

  /// Takes an event after everything that was due before its receipt has gone.
  mutating func take(_ event: E, _ send: (Verdict) -> Void) {
    let received = event.received.ns
    now = received
    func verdict(_ fate: Fate) -> Verdict { Verdict(event: event, fate: fate, received: received, isPresent: true) }
    if event.time.ns > received.addingSaturating(ahead).addingSaturating(event.leeway) {
      counts.ahead += 1
      return send(verdict(.odd))
    }
    if settings.late == nil { return send(verdict(judge(event))) }
    if order.isTooLate(event) {
      counts.tooLate += 1
      return send(verdict(settings.tooLate == .drop ? .dropped : judge(event)))
    }
    let number = order.insert(event)
    letGo(at: received, present: number, send)
    while order.isFull {
      order.makeRoom()
      counts.early += letGo(at: received, present: number, send)
    }
  }

  /// Lets those go that have waited long enough at `time`.
  mutating func advance(to time: Int64, _ send: (Verdict) -> Void) {
    while let due = order.due, due <= time {
      order.expire()
      letGo(at: max(due, now), present: 0, send)
    }
    now = max(now, time)
  }

  /// Returns how many went.
  @discardableResult
  private mutating func letGo(at received: Int64, present: Int, _ send: (Verdict) -> Void) -> Int {
    var count = 0
    while let held = order.next() {
      send(Verdict(event: held.event, fate: judge(held.event), received: received, isPresent: held.number == present))
      count += 1
    }
    return count
  }

  /// Compares a price with those of its symbol before it.
  private mutating func judge(_ event: E) -> Fate {
    guard let limit = settings.odd else { return .kept }
    while let split = splits?.take(event) { windows[event.symbol]?.apply(split) }
    guard let price = event.comparedPrice else { return .kept }
    switch windows[event.symbol, default: PriceWindow()].take(price, of: settings.of, within: limit) {
    case .accepted: return .kept
    case .newLevel:
      counts.levels += 1
      return .kept
    case .odd:
      counts.odd += 1
      return .odd
    }
  }
}

extension GuardState {
  /// What one instance leaves to the next.
  struct Snapshot: Codable, Sendable {
    var order: TimeOrder<E>.Snapshot
    var windows: [Symbol: PriceWindow]
    var splits: SplitWatch?
    var now: Int64
  }

  /// How far an instance has come: small enough to be remembered with every call.
  struct Progress: Codable, Sendable {
    var calls = 0
    var waiting = 0
    var newest = Int64.min
    var reached = Int64.min
    var now = Int64.min
  }

  func progress(calls: Int) -> Progress {
    Progress(calls: calls, waiting: order.count, newest: order.newest, reached: order.reached, now: now)
  }

  mutating func goOn(after progress: Progress) {
    order.goOn(newest: progress.newest, reached: progress.reached)
    now = progress.now
  }

  var snapshot: Snapshot { Snapshot(order: order.snapshot, windows: windows, splits: splits, now: now) }

  mutating func restore(_ snapshot: Snapshot) {
    order.restore(snapshot.order)
    windows = snapshot.windows
    splits = SplitWatch(instruments, after: snapshot.splits)
    now = snapshot.now
  }
}
