internal import EventBus
internal import MarketData
internal import StockbusExpressions
internal import StockbusInstruments

// Rules that wait for time (`for`, `silent_for`), and what says that an alert is over (`resolve`).
//
// Time is that of receipts: an event received at `r` makes due what is due before `r`, before it is taken itself, and so does `advance`. So
// what fires, and when, depends neither on batches nor on how often `advance` is called.
extension RuleBook {
  /// How far time has come, and what is due next.
  struct Times: Sendable {
    var deadlines = RuleDeadlines()
    /// Everything due up to this time is done; `Int64.min` before the first time is known.
    var reached = Int64.min
    /// The largest receipt so far.
    var received = Int64.min
    /// Symbols whose silence is watched and that had not come when that began.
    var awaited: Set<Symbol> = []
    /// When a run has begun that goes on with what an earlier one has left, until time has come so far.
    var resumes: Int64?
  }

  /// A price, for an alert without an event.
  struct LastPrice: Sendable, Codable {
    let price: Price
    let decimals: UInt8

    @inline(__always)
    init<E: PricedEvent>(_ event: E) {
      price = event.lastPrice
      decimals = event.priceDecimals
    }
  }

  /// The next time for which a rule waits; one that has passed to begin with the present one.
  var due: Timestamp? {
    if times.reached == .min, !times.awaited.isEmpty { return Timestamp(ns: .min) }
    return times.deadlines.first.map { Timestamp(ns: $0) }
  }

  /// The newest time that is known; nil before the first.
  var newest: Int64? {
    let newest = clocks.reduce(times.reached) { max($0, $1.now) }
    return newest == .min ? nil : newest
  }

  /// Takes a batch of a component some of whose rules wait for time or say when they are over.
  ///
  /// - Parameter verdicts: those of the rules' expressions; nil without any.
  mutating func processInTime<E: PricedEvent>(_ events: Span<E>, _ verdicts: RuleVerdicts?, isSilent: Bool) -> [Firing] {
    var fired: [Firing] = []
    for i in events.indices {
      // A receipt that goes back counts as the largest one before it.
      times.received = max(times.received, E.schema.receipt(of: events[i]).ns)
      advance(to: times.received.subtractingSaturating(1), isSilent: isSilent, &fired)
      let id = Int(events[i].symbol.id)
      if id < places.count, places[id] == 0 { continue }
      if events[i].hasLeft { continue }
      let isCounted = events[i].condition.countsForLast
      let place = arrive(events[i], id, isCounted: isCounted)
      if place < 0 { continue }
      for k in watches[place].indices {
        let number = watches[place][k].rule
        if watches[place][k].hasHeld(until: clocks[place].now) { lapse(k, at: place, watches[place][k].heldMoment, isSilent, &fired) }
        let when = verdicts?.when(number, i)
        if when == .undecided { asides.notReady += 1 }
        let (outcome, reference) = watches[place][k].step(
          isCounted ? events[i].lastPrice.raw : nil, when: when, rearm: verdicts?.rearm(number, i), at: clocks[place].now,
          received: times.received, isSilent: isSilent || !switches[number], room: &windowRoom)
        note(outcome, of: k, at: place, events[i], reference, &fired)
        if watches[place][k].takeEnd() {
          fired.append(
            Firing(
              rule: number, symbol: events[i].symbol, price: events[i].lastPrice, decimals: events[i].priceDecimals,
              time: EventClock.fair(events[i].time, received: events[i].received), reference: nil, kind: .ends))
        }
        queue(k, at: place)
      }
      if isCounted || latest[place] == nil { latest[place] = LastPrice(events[i]) }
    }
    return fired
  }

  /// Does what is due by `time`.
  mutating func advance(to time: Int64, isSilent: Bool, _ fired: inout [Firing]) {
    if times.reached == .min { begin(at: time) }
    if let begin = times.resumes, time >= begin { listenAgain(from: begin) }
    while let entry = times.deadlines.popFirst(upTo: time) { take(entry, isSilent, &fired) }
    times.reached = max(times.reached, time)
    times.received = max(times.received, time)
  }

  /// Silence counts from the first time that is known.
  private mutating func begin(at time: Int64) {
    times.reached = time
    for place in watches.indices { listen(at: place) }
  }

  /// Goes on with what an earlier run has left, in a run that has begun at this time. Nobody has listened in between, unless what comes is older,
  /// as in a replay.
  mutating func resume(at time: Timestamp) { times.resumes = time.ns }

  private mutating func listenAgain(from time: Int64) {
    times.resumes = nil
    for place in watches.indices {
      for k in watches[place].indices { watches[place][k].listenAgain(from: time) }
    }
  }

  /// Watches the silence of the symbol at a place from now on, for the rules that do not do so yet.
  mutating func listen(at place: Int) {
    if times.reached == .min { return }
    for k in watches[place].indices where watches[place][k].test.silence > 0 && watches[place][k].heard == .min {
      watches[place][k].listen(from: times.reached)
      queue(k, at: place)
    }
  }

  /// Notes when a rule ends, and the symbols for whose silence it waits.
  mutating func schedule(_ number: Int) {
    guard let rule = rules[number] else { return }
    if rule.test.isEndedByTime { times.deadlines.add(.init(moment: rule.test.expires, place: -1, rule: Int32(number))) }
    if rule.test.silence == 0 { return }
    for symbol in rule.symbols?.exact ?? [] {
      let id = Int(symbol.id)
      if id < places.count, places[id] > 0 { continue }
      if !hasCome(symbol) { times.awaited.insert(symbol) }
      meet(symbol)
    }
  }

  /// True if a symbol has not come, but its silence is watched.
  func isAwaited(_ symbol: Symbol) -> Bool {
    guard !times.awaited.isEmpty, times.awaited.contains(symbol), case let place = Int(places[Int(symbol.id)]) - 1, place >= 0 else {
      return false
    }
    return clocks[place].now == .min
  }

  /// Puts a rule's next moment among the deadlines, unless an earlier one of it is there.
  private mutating func queue(_ watch: Int, at place: Int) {
    if watches[place][watch].isQueued || !watches[place][watch].waitsForTime { return }
    guard let moment = deadline(of: watch, at: place) else { return }
    watches[place][watch].isQueued = true
    times.deadlines.add(.init(moment: moment, place: Int32(place), rule: Int32(watches[place][watch].rule)))
  }

  /// When a rule fires if nothing more comes of the symbol; nil for never. In receipts; only later after further events.
  func deadline(of watch: Int, at place: Int) -> Int64? {
    let test = watches[place][watch].test
    let heard = watches[place][watch].heard
    switch watches[place][watch].phase {
    case .holding: return heard.addingSaturating(test.hold)
    case .waiting, .passed, .spent: return nil
    case .unknown, .armed: if test.silence == 0 || heard == .min { return nil }
    }
    let sessions = sessions.counting(rules[watches[place][watch].rule]?.sessions ?? counted)
    var moment = sessions.moment(after: heard, open: test.silence, of: symbols[place])
    // Silence that begins in a cooldown is reported when that is over, if it lasts; not while the market is closed.
    let quiet = max(watches[place][watch].quietUntil, watches[place][watch].lastFired?.addingSaturating(test.cooldown) ?? .min)
    if quiet > moment { moment = sessions.moment(after: quiet, open: 0, of: symbols[place]) }
    return moment == .max ? nil : moment
  }

  private mutating func take(_ entry: RuleDeadlines.Entry, _ isSilent: Bool, _ fired: inout [Firing]) {
    let (place, number) = (Int(entry.place), Int(entry.rule))
    if place < 0 { return end(number, at: entry.moment, &fired) }
    guard let k = watches[place].firstIndex(where: { $0.rule == number }) else { return }
    watches[place][k].isQueued = false
    guard let moment = deadline(of: k, at: place) else { return }
    if moment > entry.moment { return queue(k, at: place) }
    lapse(k, at: place, watches[place][k].phase == .holding ? watches[place][k].heldMoment : moment, isSilent, &fired)
  }

  /// A rule fires because time has passed.
  private mutating func lapse(_ watch: Int, at place: Int, _ time: Int64, _ isSilent: Bool, _ fired: inout [Firing]) {
    let outcome = watches[place][watch].lapse(at: time, isSilent: isSilent || !switches[watches[place][watch].rule])
    switch outcome {
    case .nothing: break
    case .suppressed: asides.suppressed += 1
    case .silenced: asides.silenced += 1
    case .fires:
      fire(
        watch, at: place, clock: time, latest[place], time: Timestamp(ns: time), watches[place][watch].reference, &fired)
    }
  }

  /// A rule has expired: what it has fired for is over.
  private mutating func end(_ number: Int, at moment: Int64, _ fired: inout [Firing]) {
    for place in watches.indices {
      for k in watches[place].indices where watches[place][k].rule == number && watches[place][k].expire() {
        fired.append(ending(of: number, symbols[place], at: moment))
      }
    }
  }

  /// What says that an alert is over because its rule has ended.
  func ending(of number: Int, _ symbol: Symbol, at moment: Int64) -> Firing {
    let price = find(number, symbol).flatMap { latest[$0.place] }
    return Firing(
      rule: number, symbol: symbol, price: price?.price ?? 0, decimals: price?.decimals ?? 0, time: Timestamp(ns: moment), reference: nil,
      kind: .endsWithRule, hasPrice: price != nil)
  }

  /// For how long the condition of a rule has been true for a symbol, as far as time is known; nil if it does not hold.
  func held(_ rule: Int, _ symbol: Symbol) -> Int64? {
    guard let (place, k) = find(rule, symbol), watches[place][k].phase == .holding else { return nil }
    return max(
      0, clocks[place].now.subtractingSaturating(watches[place][k].since), times.reached.subtractingSaturating(watches[place][k].heard))
  }

  /// When a rule fires if nothing more comes of a symbol; nil for never.
  func deadline(of rule: Int, _ symbol: Symbol) -> Int64? { find(rule, symbol).flatMap { deadline(of: $0.watch, at: $0.place) } }

  private func find(_ rule: Int, _ symbol: Symbol) -> (place: Int, watch: Int)? {
    guard places.indices.contains(Int(symbol.id)), case let place = Int(places[Int(symbol.id)]) - 1, place >= 0 else { return nil }
    return watches[place].firstIndex { $0.rule == rule }.map { (place, $0) }
  }

  /// True if a rule has fired for a symbol, and that is not over.
  func isOpen(_ rule: String, _ symbol: Symbol) -> Bool {
    guard let number = number(of: rule), let (place, k) = find(number, symbol) else { return false }
    return watches[place][k].isOpen
  }
}
