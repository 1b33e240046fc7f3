internal import StockbusPlugin

/// The intervals of all symbols: the state of the plugin, without tasks and clocks.
///
/// A symbol's interval begins with an event that is sent, and contains the receipts from then until before its end. What comes inside waits,
/// each event in the place of the one before; at the end what waits is sent, and begins the next interval. All intervals have one length, so
/// they end in the order in which they began, and a list is enough for their order.
///
/// An event received at `r` implies that everything received before `r` is here, so all intervals that end at or before `r` end before the
/// event counts. The result is the same for any batches and any calls of `advance`.
struct SampleBook<E: Event>: ~Copyable {
  enum State: UInt8 {
    case closed, open
    /// The interval is open, and the symbol's last event waits for its end.
    case waiting
  }

  /// A symbol's interval.
  struct Interval {
    var end: Int64
    /// The number of the waiting event, in the order of arrival.
    var number: Int
    /// The symbol whose interval ends next after this one; -1 if there is none.
    var next: Int32
    var state: State
  }

  let every: Int64
  private let fields = EventFields<E>()
  /// The place of each symbol by its small number; -1 if it has none.
  private var places: [Int32] = []
  var intervals: ContiguousArray<Interval> = []
  /// The last event of each symbol that was sent or waits.
  var events: ContiguousArray<E> = []
  /// The columns beside these events.
  var rows: KeptRows
  /// The first and the last place in the list of open intervals; -1 if there is none.
  var first = -1
  var last = -1
  /// When the first of them ends.
  private var nextEnd = Int64.max
  private var arrivals = 0

  /// Everything received before this time is here.
  var now = Int64.min
  /// The latest receipt of an event.
  var newest = Int64.min
  /// The latest end at which an event was sent.
  var lastEnd = Int64.min
  /// No event is sent with an earlier receipt: what an instance with another length has sent.
  private var floor = Int64.min

  /// How many events did not take the place of a waiting one since the owner took this number, because their price does not count.
  var passedOver = 0

  init(every: Int64, _ columns: BatchColumns = BatchColumns()) {
    self.every = every
    rows = KeptRows(columns)
  }

  /// The last moment of the interval that ends next; nil if none is open.
  var due: Int64? { nextEnd == .max ? nil : nextEnd - 1 }

  mutating func take(_ batch: Span<E>, into output: inout Outlet<E>) {
    batch.withUnsafeBufferPointer { batch in
      guard let base = batch.baseAddress else { return }
      var i = 0
      while i < batch.count {
        let replacing = replaceWaiting(base + i, count: batch.count &- i)
        if replacing > 0 { output.filter(replacing) }
        i &+= replacing
        if i == batch.count { return }
        take(base + i, into: &output)
        i &+= 1
      }
    }
  }

  /// Lets the first of these events take the places of waiting ones, as long as it does nothing else; returns how many they were. With many
  /// events of a symbol in an interval that is nearly all there is to do.
  private mutating func replaceWaiting(_ batch: UnsafePointer<E>, count: Int) -> Int {
    if !rows.isEmpty || nextEnd == .max { return 0 }
    let replaced = Self.replace(
      batch, count, before: nextEnd, fields, places, &intervals, &events, arrivals: arrivals, newest: &newest)
    arrivals &+= replaced
    now = max(now, newest)
    return replaced
  }

  private static func replace(
    _ batch: UnsafePointer<E>, _ count: Int, before nextEnd: Int64, _ fields: EventFields<E>, _ places: [Int32],
    _ intervals: inout ContiguousArray<Interval>, _ events: inout ContiguousArray<E>, arrivals: Int, newest: inout Int64
  ) -> Int {
    let places = places.span
    var intervals = intervals.mutableSpan
    var events = events.mutableSpan
    var i = 0
    while i < count {
      let event = batch + i
      let (receipt, kind) = (fields.receipt(of: event), fields.kind(of: event))
      if receipt >= nextEnd || kind >= places.count || fields.hidesPrice(event) { break }
      let place = Int(places[kind])
      if place < 0 || intervals[place].state != .waiting { break }
      i &+= 1
      newest = max(newest, receipt)
      events[place] = event.pointee
      intervals[place].number = arrivals &+ i
    }
    return i
  }

  @inline(__always)
  private mutating func take(_ event: UnsafePointer<E>, into output: inout Outlet<E>) {
    let receipt = fields.receipt(of: event)
    if receipt > newest {
      newest = receipt
      if receipt > now { now = receipt }
      if receipt >= nextEnd { close(into: &output) }
    }
    arrivals &+= 1
    let kind = fields.kind(of: event)
    let place = kind < places.count ? Int(places[kind]) : -1
    if place < 0 { return begin(kind, event, into: &output) }
    switch intervals[place].state {
    case .closed:
      keep(event, at: place)
      open(place, at: now)
      output.pass(event)
    case .open:
      keep(event, at: place)
      intervals[place].state = .waiting
      intervals[place].number = arrivals
    case .waiting:
      // Whichever of the two is not sent.
      output.filter()
      if fields.hidesPrice(event), countsForLast(place) {
        passedOver += 1
        return
      }
      keep(event, at: place)
      intervals[place].number = arrivals
    }
  }

  @inline(__always)
  private mutating func keep(_ event: UnsafePointer<E>, at place: Int) {
    events[place] = event.pointee
    rows.keep(event, at: place)
  }

  private func countsForLast(_ place: Int) -> Bool {
    withUnsafePointer(to: events[place]) { !fields.hidesPrice($0) }
  }

  @inline(never)
  private mutating func begin(_ kind: Int, _ event: UnsafePointer<E>, into output: inout Outlet<E>) {
    let place = addPlace(kind, event.pointee)
    open(place, at: now)
    output.pass(event)
  }

  private mutating func addPlace(_ kind: Int, _ event: E) -> Int {
    places.grow(toHold: kind, filling: -1)
    places[kind] = Int32(intervals.count)
    intervals.append(Interval(end: .min, number: 0, next: -1, state: .closed))
    events.append(event)
    return intervals.count - 1
  }

  private mutating func open(_ place: Int, at start: Int64) { append(place, end: start.addingSaturating(every), .open) }

  /// Adds an interval that ends after all others, or with the last of them.
  private mutating func append(_ place: Int, end: Int64, _ state: State) {
    intervals[place].end = end
    intervals[place].state = state
    intervals[place].next = -1
    if last < 0 {
      first = place
      nextEnd = end
    } else {
      intervals[last].next = Int32(place)
    }
    last = place
  }

  /// Does what is due by `time`, when everything received up to and including it is here.
  mutating func advance(to time: Int64, into output: inout Outlet<E>) {
    now = max(now, time.addingSaturating(1))
    if now >= nextEnd { close(into: &output) }
  }

  /// Ends the intervals whose end has come. What waits is sent in the order of the ends; of the same end, in the order in which the intervals
  /// began.
  @inline(never)
  private mutating func close(into output: inout Outlet<E>) {
    // An interval that would end after the end of time does not end.
    while first >= 0, intervals[first].end <= now, intervals[first].end < .max {
      let place = first
      first = Int(intervals[place].next)
      if first < 0 { last = -1 }
      let end = max(intervals[place].end, floor)
      if intervals[place].state == .waiting {
        lastEnd = max(lastEnd, end)
        rows.send(fields.received(events[place], at: end), place, into: &output)
        open(place, at: end)
      } else {
        intervals[place].state = .closed
      }
    }
    nextEnd = first < 0 ? .max : intervals[first].end
  }

  /// Sends what waits when the input has ended, in the order of arrival, with the latest receipt so far: time has not come to its end.
  mutating func drain(into output: inout Outlet<E>) {
    let waiting = intervals.indices.filter { intervals[$0].state == .waiting }.sorted { intervals[$0].number < intervals[$1].number }
    for place in waiting {
      intervals[place].state = .open
      rows.send(fields.received(events[place], at: max(newest, lastEnd)), place, into: &output)
    }
  }

  // MARK: Between instances

  /// Continues with an interval of an earlier instance, which ends after those that were added before. Ignored if its symbol has one.
  mutating func restore(_ event: E, _ row: [String: Int64]?, end: Int64, waiting number: Int?) {
    let kind = withUnsafePointer(to: event) { fields.kind(of: $0) }
    if kind < places.count, places[kind] >= 0 { return }
    let place = addPlace(kind, event)
    rows.restore(row, at: place)
    // In order whatever was left, as the list has to be.
    let earliest = last < 0 ? Int64.min : intervals[last].end
    append(place, end: max(earliest, min(end, floor.addingSaturating(every))), number == nil ? .open : .waiting)
    if let number {
      intervals[place].number = number
      arrivals = max(arrivals, number)
    }
  }

  /// Continues at the time of an earlier instance; before its intervals.
  mutating func restoreTime(now: Int64, newest: Int64, lastEnd: Int64) {
    (self.now, self.newest, self.lastEnd) = (max(now, newest), newest, lastEnd)
    floor = max(newest, lastEnd)
  }
}
