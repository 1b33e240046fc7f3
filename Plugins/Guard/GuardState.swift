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
    /// Where its row is kept; nil if it goes on at once.
    let place: Int?
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

  init(_ settings: GuardSettings, _ instruments: Instruments, _ columns: BatchColumns = BatchColumns(), limit: Int? = nil) {
    self.settings = settings
    self.instruments = instruments
    ahead = settings.ahead.wholeNanoseconds
    order = TimeOrder(
      late: settings.late?.wholeNanoseconds ?? 0, limit: limit ?? Self.memory / TimeOrder<E>.size(columns: columns.layout.columns.count),
      columns)
    splits = SplitWatch(instruments)
  }

  var due: Int64? { order.due.map { max($0, now) } }

  /// Takes an event of the batch in hand after everything that was due before its receipt has gone. `send` gets the rows that are kept too.
  mutating func take(_ place: UnsafePointer<E>, _ send: (Verdict, KeptRows) -> Void) {
    let event = place.pointee
    let received = event.received.ns
    now = received
    func tell(_ fate: Fate) { send(Verdict(event: event, fate: fate, received: received, isPresent: true, place: nil), order.rows) }
    if event.time.ns > received.addingSaturating(ahead).addingSaturating(event.leeway) {
      counts.ahead += 1
      return tell(.odd)
    }
    if settings.late == nil { return tell(judge(event)) }
    if order.isTooLate(event) {
      counts.tooLate += 1
      return tell(settings.tooLate == .drop ? .dropped : judge(event))
    }
    let number = order.insert(place)
    letGo(at: received, present: number, send)
    while order.isFull {
      order.makeRoom()
      counts.early += letGo(at: received, present: number, send)
    }
  }

  /// Lets those go that have waited long enough at `time`.
  mutating func advance(to time: Int64, _ send: (Verdict, KeptRows) -> Void) {
    while let due = order.due, due <= time {
      order.expire()
      letGo(at: max(due, now), present: 0, send)
    }
    now = max(now, time)
  }

  /// Returns how many went.
  @discardableResult
  private mutating func letGo(at received: Int64, present: Int, _ send: (Verdict, KeptRows) -> Void) -> Int {
    var count = 0
    while let held = order.next() {
      let fate = judge(held.event)
      send(Verdict(event: held.event, fate: fate, received: received, isPresent: held.number == present, place: held.place), order.rows)
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
