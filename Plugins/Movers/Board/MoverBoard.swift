internal import EventBus
internal import MarketData
internal import StockbusInstruments

/// The movers of a feed: the state of each symbol, the lists, and when they change.
///
/// The result depends only on the events and their times, not on how they are divided into batches, nor on how often `advance` is called in
/// between. An event that was received at `r` implies that everything up to `r − 1 ns` has been received.
struct MoverBoard {
  /// The part of an event that a board needs; prices and sizes are billionths, times nanoseconds.
  struct Sample: BitwiseCopyable {
    var symbol: Symbol
    var price: Int64
    var volume: Int128
    var turnover: Int128
    var time: Int64
    var received: Int64
    var priceDecimals: UInt8
    var sizeDecimals: UInt8
    /// The time may stand for a date.
    var isDated = false
    /// True if the time is that of a bar of a day or more.
    var isDay = false
    /// The condition of a print of an auction, which may belong to a session just beside its time; otherwise regular.
    var auction = TradeCondition.regular
    /// False for a trade of which only the size counts.
    var countsForLast = true
  }

  /// The times of all events that are sent for one cause.
  struct Cause: BitwiseCopyable {
    var time: Int64
    var received: Int64
  }

  let rules: Rules
  let reference: MarketReference
  /// How long after the end of a period late events count in it, in nanoseconds.
  let wait: Int64
  /// By symbol handle: the number of its standing, or `unknown`.
  private var entries: ContiguousArray<UInt32> = []
  private static var unknown: UInt32 { .max }
  /// In the order of first appearance, which decides ties.
  var standings: ContiguousArray<MoverStanding> = []
  var lists: MoverLists
  /// The latest receipt time.
  var received = Int64.min
  /// The earliest moment at which time changes something.
  var nextDue = Int64.max
  /// Counts since the owner took them.
  var leftOut = LeftOut()
  /// Counts the changes by time.
  var changeByTime: UInt32 = 0
  /// By calendar.
  var clocks: [PeriodClock]
  /// Only if the period is rolling.
  var window: RollingWindow?

  /// - Parameters:
  ///   - top: the number of ranks in a list; 1 to 65,535.
  ///   - window: the buckets of a rolling period; nil for periods of a calendar.
  init(_ rules: Rules, _ reference: MarketReference, top: Int, wait: Int64, window: RollingWindow? = nil) {
    self.rules = rules
    self.reference = reference
    self.wait = wait
    self.window = window
    lists = MoverLists(top: top)
    clocks = Array(repeating: PeriodClock(), count: max(1, reference.calendars.count))
  }

  /// Makes all changes that are due up to and including `time`, each at its own moment.
  mutating func advance<Output: MoverOutput & ~Copyable>(to time: Int64, into output: inout Output) {
    // The largest time means that nothing is due, also at the end of all progress.
    while nextDue <= time, nextDue < .max { makeDueChange(into: &output) }
  }

  @inline(never)
  private mutating func makeDueChange<Output: MoverOutput & ~Copyable>(into output: inout Output) {
    if window != nil { return moveWindow(into: &output) }
    let due = nextDue
    for calendar in clocks.indices where clocks[calendar].due == due {
      let end = clocks[calendar].span?.end ?? due
      close(calendar, Cause(time: end, received: max(due, received)), into: &output)
    }
    nextDue = clocks.map(\.due).min() ?? .max
  }

  /// Takes an event.
  @inline(__always)
  mutating func take<Output: MoverOutput & ~Copyable>(_ sample: Sample, into output: inout Output) {
    let now = max(received, sample.received)
    // Changes caused by time are sent first, with the moments at which they were due.
    if nextDue < now { advance(to: now - 1, into: &output) }
    received = now
    var time = EventClock.fair(Timestamp(ns: sample.time), received: Timestamp(ns: sample.received)).ns
    let entry = entry(of: sample, at: time)
    let cause = Cause(time: time, received: received)
    if sample.isDated, window == nil {
      time = reference.calendars[Int(standings[entry].calendar)].moment(ofBarAt: time, isDay: sample.isDay)
    }
    if sample.auction != .regular, window == nil {
      time = reference.calendars[Int(standings[entry].calendar)].moment(of: sample.auction, at: time)
    }
    let isIn = window != nil ? isInWindow(time) : place(time, calendar: Int(standings[entry].calendar), cause, into: &output)
    let hadJumped = standings[entry].flags.contains(.isJump)
    switch isIn {
    case .counts where !sample.countsForLast:
      if sample.volume == 0 || !addVolume(sample, to: entry, at: time) { return output.filter(1) }
    case .counts:
      if time >= standings[entry].nextSplit { applySplits(to: entry, at: time) }
      if window?.add(entry, sample, at: time) == true { nextDue = window?.due ?? .max }
      rules.take(sample.price, decimals: sample.priceDecimals, at: time, in: &standings[entry])
      standings[entry].add(volume: sample.volume, turnover: sample.turnover)
      if sample.sizeDecimals > standings[entry].sizeDecimals { standings[entry].sizeDecimals = sample.sizeDecimals }
    case .late:
      guard sample.countsForLast, correctReference(of: entry, sample.price, at: time) else { return output.filter(1) }
    case .outside:
      return output.filter(1)
    }
    if !rank(entry, hadJumped, cause, into: &output) { output.filter(1) }
  }

  /// Counts a trade at a price that does not count; false if the symbol has had no price yet, and then nothing counts.
  @inline(never)
  private mutating func addVolume(_ sample: Sample, to entry: Int, at time: Int64) -> Bool {
    if standings[entry].time == .min { return false }
    if time >= standings[entry].nextSplit { applySplits(to: entry, at: time) }
    var sample = sample
    sample.price = standings[entry].price
    if window?.add(entry, sample, at: time) == true { nextDue = window?.due ?? .max }
    standings[entry].add(volume: sample.volume, turnover: sample.turnover)
    if sample.sizeDecimals > standings[entry].sizeDecimals { standings[entry].sizeDecimals = sample.sizeDecimals }
    return true
  }

  /// The position of an event's time relative to its symbol's period.
  enum Standpoint { case counts, late, outside }

  /// Updates the lists after a change of one symbol, and sends the differences; returns true if anything was sent.
  @inline(__always)
  private mutating func rank<Output: MoverOutput & ~Copyable>(
    _ entry: Int, _ hadJumped: Bool, _ cause: Cause, into output: inout Output
  ) -> Bool {
    let keys = rules.keys(&standings[entry], &leftOut)
    let counts = (lists.gainers.members.count, lists.losers.members.count, lists.active.members.count)
    let changes = lists.update(UInt32(truncatingIfNeeded: entry), keys, &standings[entry].flags)
    let isSilent =
      changes.gainers == .init() && changes.losers == .init() && changes.active == .init()
      && hadJumped == standings[entry].flags.contains(.isJump)
    if isSilent { return false }
    var hasSent = false
    hasSent = send(changes.gainers, lists.gainers.members, .gainers, counts.0, entry, cause, into: &output) || hasSent
    hasSent = send(changes.losers, lists.losers.members, .losers, counts.1, entry, cause, into: &output) || hasSent
    if rules.ranksPercent, !hasSent, hadJumped != standings[entry].flags.contains(.isJump) {
      // A jump, and the return from one, is never omitted silently.
      let list = standings[entry].flags.contains(.jumpedUp) ? MoverList.gainers : .losers
      output.send(mover(entry, list, 0, 0, cause))
      hasSent = true
    }
    return send(changes.active, lists.active.members, .active, counts.2, entry, cause, into: &output) || hasSent
  }

  // MARK: Symbols

  @inline(__always)
  private mutating func entry(of sample: Sample, at time: Int64) -> Int {
    let id = Int(sample.symbol.id)
    if id < entries.count, entries[id] != Self.unknown { return Int(entries[id]) }
    return admit(sample, at: time)
  }

  @inline(never)
  private mutating func admit(_ sample: Sample, at time: Int64) -> Int {
    let symbol = sample.symbol
    let entry = enter(symbol)
    let calendar = calendar(of: symbol)
    var standing = MoverStanding(symbol: symbol, calendar: UInt16(truncatingIfNeeded: calendar))
    let time = sample.isDated && window == nil ? reference.calendars[calendar].moment(ofBarAt: time, isDay: sample.isDay) : time
    let begin = window.map { $0.startTime(at: received) } ?? reference.calendars[calendar].span(at: time)?.start ?? time
    if let close = reference.close(symbol, begin) { standing.setReference(close.price.raw, time: close.time) }
    let known = standing.referenceTime == .min ? time : min(time, standing.referenceTime)
    standing.nextSplit = reference.split(symbol, known)?.time ?? .max
    standings.append(standing)
    lists.extend(to: standings.count, rules)
    window?.extend(to: standings.count)
    return entry
  }

  /// The number of a symbol's next standing.
  private mutating func enter(_ symbol: Symbol) -> Int {
    let id = Int(symbol.id)
    entries.grow(toHold: id, filling: Self.unknown)
    entries[id] = UInt32(truncatingIfNeeded: standings.count)
    return standings.count
  }

  func calendar(of symbol: Symbol) -> Int { min(max(0, reference.calendar(symbol)), clocks.count - 1) }

  /// Takes a standing of an earlier board. The lists have room for it.
  mutating func list(_ standing: MoverStanding) {
    let entry = enter(standing.symbol)
    standings.append(standing)
    // Not an event, and so not counted.
    var unused = LeftOut()
    let keys = rules.keys(&standings[entry], &unused)
    _ = lists.update(UInt32(truncatingIfNeeded: entry), keys, &standings[entry].flags)
  }

  @inline(never)
  private mutating func applySplits(to entry: Int, at time: Int64) {
    while standings[entry].nextSplit <= time {
      let due = standings[entry].nextSplit
      guard due > .min, let split = reference.split(standings[entry].symbol, due - 1), split.time == due else {
        standings[entry].nextSplit = .max
        return
      }
      standings[entry].apply(split, at: time)
      window?.apply(split, to: entry)
      standings[entry].nextSplit = reference.split(standings[entry].symbol, due).map { $0.time > due ? $0.time : .max } ?? .max
    }
  }

  /// Takes a price from before the period as the reference, if it is later than the present one; returns true if it was taken. A price that
  /// would be a jump is not taken.
  private mutating func correctReference(of entry: Int, _ price: Int64, at time: Int64) -> Bool {
    let standing = standings[entry]
    let known = standing.flags.contains(.hasReference) && !standing.flags.contains(.isFirstPrice)
    if known, time < standing.referenceTime || rules.isJump(from: standing.reference, to: price) { return false }
    if standing.flags.contains(.isSplit) { return false }
    standings[entry].setReference(price, time: time)
    if time >= standing.time {
      standings[entry].price = price
      standings[entry].time = time
    }
    return true
  }
}
