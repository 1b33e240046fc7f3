internal import EventBus
internal import MarketData
internal import StockbusExpressions
internal import StockbusInstruments
internal import StockbusPlugin

/// All rules, with their state for each symbol.
///
/// An event of a symbol without rules costs one look-up in a table. Memory: a few dozen bytes for each pair of a rule and a symbol, and the
/// windows' points.
struct RuleBook: Sendable {
  /// A rule has fired, or what it has fired for is over.
  struct Firing: Sendable {
    enum Kind: Sendable {
      case fires
      /// What the rule has fired for is over.
      case ends
      /// The rule has ended before that was over.
      case endsWithRule
    }

    let rule: Int
    let symbol: Symbol
    let price: Price
    let decimals: UInt8
    let time: Timestamp
    /// The reference price; nil if the price was only compared with the threshold.
    let reference: Price?
    /// True if the reference is the first price, because no close is known.
    var lacksClose = false
    var kind = Kind.fires
    /// False if nothing of the symbol has come; the price is zero then.
    var hasPrice = true
  }

  /// By number; nil if a rule was removed, so that the others keep their numbers.
  private(set) var rules: [Rule?] = []
  /// By number; separate from the rules, because reading it must not count references.
  private(set) var switches: ContiguousArray<Bool> = []
  /// By symbol handle: -1 has not arrived yet, -2 has arrived but its rules must be found again, 0 no rules, otherwise the index in
  /// `watches` plus one.
  private(set) var places: ContiguousArray<Int32> = []
  var watches: ContiguousArray<ContiguousArray<RuleWatch>> = []
  /// The symbols, parallel to `watches`.
  private(set) var symbols: ContiguousArray<Symbol> = []
  /// The event clocks of the symbols, parallel to `watches`.
  private(set) var clocks: ContiguousArray<EventClock> = []
  let windowLimit: Int
  /// The previous closes, used only if a rule counts from them.
  private(set) var closes: PreviousCloses?
  private(set) var usesCloses: Bool
  /// Which events leave the rules of a symbol as they are, parallel to `watches`.
  private var calms: ContiguousArray<RuleCalm> = []
  /// The close from which the symbol's changes count, parallel to `watches`; nil before the first price that required it.
  private(set) var starts: ContiguousArray<Start?> = []
  /// Nil if no instrument has been split.
  private(set) var splits: SplitWatch?
  /// The sessions of rules that fire once in each.
  private(set) var sessions: InstrumentSessions
  /// Those that count for silence, unless a rule has its own.
  private(set) var counted: CountedSessions
  /// What rules have to do at times at which no event comes.
  var times = Times()
  /// The last price, parallel to `watches`; only of a book with rules that need it because they fire without an event.
  var latest: ContiguousArray<LastPrice?> = []
  /// True if rules wait for time, or say when they are over, so that events are taken by `processInTime`.
  private(set) var isInTime: Bool
  /// The last price, parallel to `watches`; only if there are splits.
  private(set) var lasts: ContiguousArray<Int64?> = []

  struct Start: BitwiseCopyable, Sendable, Codable {
    var price: Int64
    /// True if the start is the first price of the date, because no close is known.
    var lacksClose: Bool
  }

  /// How many places for prices the windows of all watches may still allocate.
  var windowRoom: Int
  var asides = Asides()

  /// Counts of suppressed alerts and corrected times.
  struct Asides: Hashable, Sendable {
    /// Alerts suppressed by a cooldown, and by a switch.
    var suppressed = 0
    var silenced = 0
    /// The number of event times that were not used because they were ahead of the clock, and of clocks that were set back.
    var datedAhead = 0
    /// Verdicts of rules that were open.
    var notReady = 0
    /// The number of opened trading dates without a known earlier close.
    var withoutClose = 0
  }

  /// - Parameters:
  ///   - windowLimit: the largest number of prices stored for one rule and symbol.
  ///   - windowRoom: the largest number of prices stored for all of them.
  ///   - closes: the previous closes; without them, changes since then count from the first price.
  ///   - splits: the splits of the instruments.
  ///   - sessions: the trading dates of the instruments.
  ///   - counted: the sessions that count for silence.
  init(
    _ rules: [Rule], windowLimit: Int, windowRoom: Int = .max, closes: PreviousCloses? = nil, splits: SplitWatch? = nil,
    sessions: InstrumentSessions = InstrumentSessions(Instruments(), .all), counted: CountedSessions = .all
  ) {
    self.closes = closes
    self.splits = splits
    self.sessions = sessions
    self.counted = counted
    isInTime = rules.contains { $0.test.needsTime || $0.test.resolves }
    usesCloses = rules.contains { $0.isSinceClose }
    self.windowLimit = windowLimit
    self.windowRoom = windowRoom
    self.rules = rules
    switches = ContiguousArray(rules.map(\.isEnabled))
    for number in rules.indices { schedule(number) }
  }

  /// Goes on with a book that was written: `saved` was checked when it was decoded. `connect` gives it the instruments.
  init(_ saved: Saved) {
    self.init([], windowLimit: saved.windowLimit, closes: saved.closes, splits: saved.splits)
    (rules, isInTime, usesCloses) = (saved.rules, saved.isInTime, saved.usesCloses)
    switches = ContiguousArray(rules.map { $0?.isEnabled ?? true })
    for known in saved.symbols {
      places.grow(toHold: Int(known.symbol.id), filling: -1)
      guard let watched = known.watched else {
        // Its rules are found again with its next event.
        places[Int(known.symbol.id)] = -2
        continue
      }
      watches.append(
        ContiguousArray(
          watched.rules.compactMap { watch in rules[watch.rule].map { RuleWatch(watch, of: $0, windowLimit: windowLimit) } }))
      symbols.append(known.symbol)
      clocks.append(watched.clock)
      calms.append(RuleCalm())
      starts.append(watched.start)
      lasts.append(watched.last)
      latest.append(watched.latest)
      places[Int(known.symbol.id)] = Int32(watches.count)
    }
    windowRoom = max(0, saved.windowRoom - windowPlaces)
    times.reached = saved.reached
    times.received = saved.received
    times.awaited = Set(saved.awaited)
    for entry in saved.deadlines { times.deadlines.add(entry) }
  }

  /// Lets the book go on with the instruments of this run.
  mutating func connect(_ past: PastPrices, _ instruments: Instruments, counted: CountedSessions) {
    closes = PreviousCloses(past, instruments, after: closes)
    splits = SplitWatch(instruments, after: splits)
    sessions = InstrumentSessions(instruments, .all)
    self.counted = counted
  }

  /// Takes a batch of prices; returns the rules that have fired, in order.
  ///
  /// - Parameter verdicts: those of the rules' expressions, which have judged the events; nil without any. Events whose price does not count
  ///   are judged too.
  mutating func process<E: PricedEvent>(_ events: Span<E>, _ verdicts: RuleVerdicts? = nil, isSilent: Bool) -> [Firing] {
    var fired: [Firing] = []
    if let verdicts {
      for part in verdicts.parts { process(events, part, verdicts, isSilent, &fired) }
    } else {
      process(events, RuleVerdicts.Part(range: 0..<events.count), nil, isSilent, &fired)
    }
    return fired
  }

  @inline(__always)
  private mutating func process<E: PricedEvent>(
    _ events: Span<E>, _ part: RuleVerdicts.Part, _ verdicts: RuleVerdicts?, _ isSilent: Bool, _ fired: inout [Firing]
  ) {
    for i in part.range {
      let id = Int(events[i].symbol.id)
      // The usual case: no rule applies to the symbol.
      if id < places.count, places[id] == 0 { continue }
      // No `||`: the optimizer of Swift 6.3 fails on a span in an autoclosure.
      if events[i].hasLeft { continue }
      let isCounted = events[i].condition.countsForLast
      if !isCounted, verdicts == nil { continue }
      let place = arrive(events[i], id, isCounted: isCounted)
      if place < 0 { continue }
      let (price, calm) = (events[i].lastPrice.raw, calms[place])
      var isCalm = isCounted ? price >= calm.low && price <= calm.high : calm.low <= calm.high
      if isCalm, let verdicts, !calm.isUntouched(by: part) { isCalm = !verdicts.mayChange(calm, i, of: part) }
      if !isCalm {
        look(at: events[i], i, isCounted: isCounted, place, verdicts, isSilent, &fired)
        continue
      }
      var (busy, isChanged) = (calm.busy, false)
      while busy != 0 {
        let k = busy.trailingZeroBitCount
        busy &= busy &- 1
        if isCounted, watches[place][k].hasOnlyPrices {
          let (outcome, reference) = watches[place][k].step(
            price, at: clocks[place].now, isSilent: isSilent || !switches[watches[place][k].rule], room: &windowRoom)
          if outcome != .nothing { note(outcome, of: k, at: place, events[i], reference, &fired) }
        } else if step(k, at: place, events[i], i, isCounted: isCounted, verdicts, isSilent, &fired) {
          isChanged = true
        }
      }
      if isChanged { calms[place] = RuleCalm(watches[place], verdicts) }
    }
  }

  /// All rules of a symbol look at an event.
  @inline(never)
  private mutating func look<E: PricedEvent>(
    at event: E, _ i: Int, isCounted: Bool, _ place: Int, _ verdicts: RuleVerdicts?, _ isSilent: Bool, _ fired: inout [Firing]
  ) {
    var isChanged = !calms[place].isKnown
    for k in watches[place].indices {
      if step(k, at: place, event, i, isCounted: isCounted, verdicts, isSilent, &fired) { isChanged = true }
    }
    if isChanged { calms[place] = RuleCalm(watches[place], verdicts) }
  }

  /// A rule looks at an event; returns true if other events than before change it now.
  @inline(never)
  private mutating func step<E: PricedEvent>(
    _ k: Int, at place: Int, _ event: E, _ i: Int, isCounted: Bool, _ verdicts: RuleVerdicts?, _ isSilent: Bool, _ fired: inout [Firing]
  ) -> Bool {
    let (number, phase, test) = (watches[place][k].rule, watches[place][k].phase, watches[place][k].test)
    let when = test.hasWhen ? verdicts?.when(number, i) : nil
    if when == .undecided { asides.notReady += 1 }
    let (outcome, reference) = watches[place][k].step(
      isCounted ? event.lastPrice.raw : nil, when: when, rearm: test.hasRearmWhen ? verdicts?.rearm(number, i) : nil, at: clocks[place].now,
      isSilent: isSilent || !switches[number], room: &windowRoom)
    note(outcome, of: k, at: place, event, reference, &fired)
    return watches[place][k].phase != phase && !watches[place][k].hasReference
  }

  /// Brings what is known of an event's symbol up to date; returns its place, which is negative if no rule applies to it.
  @inline(__always)
  mutating func arrive<E: PricedEvent>(_ event: E, _ id: Int, isCounted: Bool) -> Int {
    if id >= places.count || places[id] < 0 { meet(event.symbol) }
    let place = Int(places[id]) - 1
    if place < 0 { return place }
    let reading = clocks[place].take(event.time, received: event.received)
    if reading != .fair { correct(place, reading) }
    if isCounted, splits != nil { split(event, place) }
    if isCounted, usesCloses { open(event, place) }
    return place
  }

  /// Notes the result of a rule.
  @inline(__always)
  mutating func note<E: PricedEvent>(
    _ outcome: RuleState.Outcome, of watch: Int, at place: Int, _ event: E, _ reference: Int64, _ fired: inout [Firing]
  ) {
    switch outcome {
    case .nothing: break
    case .suppressed: asides.suppressed += 1
    case .silenced: asides.silenced += 1
    case .fires:
      fire(
        watch, at: place, clock: clocks[place].now, LastPrice(event), time: EventClock.fair(event.time, received: event.received),
        reference, &fired)
    }
  }

  /// A rule fires.
  ///
  /// - Parameters:
  ///   - clock: the time for its session.
  ///   - price: nil if nothing of the symbol has come.
  mutating func fire(
    _ watch: Int, at place: Int, clock: Int64, _ price: LastPrice?, time: Timestamp, _ reference: Int64, _ fired: inout [Firing]
  ) {
    let number = watches[place][watch].rule
    if rules[number]?.isOncePerSession == true {
      watches[place][watch].beQuiet(until: sessions.session(of: symbols[place], at: Timestamp(ns: clock)).upperBound.ns)
    }
    fired.append(
      Firing(
        rule: number, symbol: symbols[place], price: price?.price ?? 0, decimals: price?.decimals ?? 0, time: time,
        reference: rules[number]?.reference == nil ? nil : Price(raw: reference), lacksClose: starts[place]?.lacksClose ?? false,
        hasPrice: price != nil))
  }

  /// Applies the splits since the symbol's last price to all values with which its price is compared.
  @inline(never)
  private mutating func split<E: PricedEvent>(_ event: E, _ place: Int) {
    while let split = splits?.take(event) {
      let last = lasts[place].flatMap { split.adjust($0) }
      lasts[place] = last
      for i in watches[place].indices { watches[place][i].apply(split, last: last) }
      calms[place] = RuleCalm()
    }
    lasts[place] = event.lastPrice.raw
  }

  /// Begins a trading date of the symbol with its first price.
  @inline(never)
  private mutating func open<E: PricedEvent>(_ event: E, _ place: Int) {
    var isDated = false
    if let bar = event as? Bar { isDated = bar.length == .unknown || bar.length >= .day }
    guard let time = closes?.moment(of: event),
      let opening = closes?.take(event.symbol, event.lastPrice, at: time, isDated: isDated)
    else { return }
    let start = Start(price: (opening.close ?? event.lastPrice).raw, lacksClose: opening.close == nil)
    starts[place] = start
    if start.lacksClose { asides.withoutClose += 1 }
    for i in watches[place].indices { watches[place][i].open(from: start.price) }
  }

  /// Handles an event that was dated ahead, and a clock that was set back.
  @inline(never)
  private mutating func correct(_ place: Int, _ reading: EventClock.Reading) {
    asides.datedAhead += 1
    guard reading == .setBack else { return }
    for i in watches[place].indices { watches[place][i].setBack(to: clocks[place].now) }
  }

  /// Finds the rules for a symbol that arrives for the first time, or for the first time since a rule for it was added.
  @inline(never)
  mutating func meet(_ symbol: Symbol) {
    let id = Int(symbol.id)
    places.grow(toHold: id, filling: -1)
    var found: ContiguousArray<RuleWatch> = []
    for (number, rule) in rules.enumerated() {
      guard let rule, rule.concerns(symbol) else { continue }
      found.append(RuleWatch(rule: number, of: rule, windowLimit: windowLimit))
    }
    guard !found.isEmpty else {
      places[id] = 0
      return
    }
    watches.append(found)
    symbols.append(symbol)
    clocks.append(EventClock())
    calms.append(RuleCalm())
    starts.append(nil)
    lasts.append(nil)
    latest.append(nil)
    places[id] = Int32(watches.count)
    if isInTime { listen(at: watches.count - 1) }
  }

  /// The existing rules, in the order of their numbers.
  var present: [Rule] {
    var present: [Rule] = []
    for rule in rules { if let rule { present.append(rule) } }
    return present
  }

  /// A rule's number; nil if there is no rule of this name.
  func number(of name: String) -> Int? { rules.firstIndex { $0?.name == name } }

  /// Adds a rule. It gets prices from now on; for a known symbol the next price counts as the first.
  mutating func add(_ rule: Rule) {
    usesCloses = usesCloses || rule.isSinceClose
    isInTime = isInTime || rule.test.needsTime || rule.test.resolves
    unsettle()
    let number = rules.firstIndex { $0 == nil } ?? rules.count
    if number == rules.count {
      rules.append(rule)
      switches.append(rule.isEnabled)
    } else {
      rules[number] = rule
      switches[number] = rule.isEnabled
    }
    for (id, place) in places.enumerated() where place >= 0 {
      let symbol = Symbol(id: UInt32(id))
      guard rule.concerns(symbol) else { continue }
      if place == 0 {
        // The symbol's rules are found again with its next event.
        places[id] = -2
      } else {
        var watch = RuleWatch(rule: number, of: rule, windowLimit: windowLimit)
        if let start = starts[Int(place) - 1] { watch.open(from: start.price) }
        watches[Int(place) - 1].append(watch)
        listen(at: Int(place) - 1)
      }
    }
    schedule(number)
  }

  /// The rules change, and with them the numbers of their expressions.
  private mutating func unsettle() { for place in calms.indices { calms[place] = RuleCalm() } }

  mutating func remove(_ number: Int) {
    rules[number] = nil
    unsettle()
    times.deadlines.removeAll(of: number)
    for place in watches.indices {
      for watch in watches[place] where watch.rule == number { windowRoom += watch.places }
      watches[place].removeAll { $0.rule == number }
    }
  }

  /// Replaces written rules by others, distinguished by their names. Unchanged rules keep their state, and so do rules that were added
  /// otherwise, unless a written one has their name now.
  mutating func change(from before: [Rule], to after: [Rule]) {
    let old = Dictionary(before.map { ($0.name, $0) }) { first, _ in first }
    let new = Dictionary(after.map { ($0.name, $0) }) { first, _ in first }
    for rule in before where new[rule.name] != rule { if let number = number(of: rule.name) { remove(number) } }
    for rule in after where old[rule.name] != rule {
      if let number = number(of: rule.name) { remove(number) }
      add(rule)
    }
  }

  mutating func setEnabled(_ number: Int, _ isEnabled: Bool) {
    rules[number]?.isEnabled = isEnabled
    switches[number] = isEnabled
  }

  /// The states of the rules for a symbol; empty if no rule applies to it, or if it has not arrived.
  func watches(of symbol: Symbol) -> ContiguousArray<RuleWatch> {
    guard case let id = Int(symbol.id), id < places.count, case let place = Int(places[id]) - 1, place >= 0 else { return [] }
    return watches[place]
  }

  func hasCome(_ symbol: Symbol) -> Bool { Int(symbol.id) < places.count && places[Int(symbol.id)] != -1 && !isAwaited(symbol) }

  /// The symbols that have arrived.
  var comers: some Sequence<Symbol> {
    places.indices.lazy.filter { places[$0] != -1 && !isAwaited(Symbol(id: UInt32($0))) }.map { Symbol(id: UInt32($0)) }
  }

  /// How many symbols a rule checks, and for how many of them it will not fire again.
  func symbols(of number: Int) -> (watched: Int, spent: Int) {
    let own = watches.lazy.joined().filter { $0.rule == number }
    return (own.count, own.count { $0.phase == .spent })
  }

  /// Prices that were dropped from windows for lack of room.
  var cut: Int { watches.lazy.joined().reduce(0) { $0 + $1.cut } }

  /// The counts since the last call.
  mutating func takeAsides() -> Asides {
    defer { asides = Asides() }
    return asides
  }
}
