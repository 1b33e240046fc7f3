internal import StockbusDecoding
internal import StockbusPlugin

/// Knows which trades are missing, which of them to fetch next, and which cannot be had.
struct GapFiller {
  /// A symbol's numbers, from their beginning or the venue's last new beginning.
  struct Key: Hashable, Sendable {
    let series: Int
    let symbol: Symbol
    var generation = 0
  }

  /// A gap that is told.
  struct Told: Hashable {
    let stream: String
    let expected: Int64
    let got: Int64
  }

  /// How a pursuit has ended.
  enum Ending: Hashable {
    /// Nothing more can be had.
    case complete
    /// The pages led no further; asked again at the time given.
    case stalled(until: Duration)
    /// The REST did not reply, or with an error; asked again at the time given.
    case failed(until: Duration)
  }

  /// The pause before a hole is fetched: numbers out of order come by themselves, and a REST may be behind its feed.
  static let pause = Duration.seconds(1)
  /// The most holes of all symbols that wait; further ones are told at once.
  static let holeLimit = 1000
  /// After so many attempts in vain, one after the other, a hole is told.
  static let attemptLimit = 8

  /// The names of the reader's series, and how the missing trades of each are fetched; nil if they cannot be.
  private let series: [String]
  private let plans: [FillPlan?]
  private var numbers: [Symbol: [(key: Key, numbers: TradeNumbers)]] = [:]
  private var open = 0
  private var told: [Told] = []
  private var hasOpened = false
  /// Replies that failed, one after the other.
  private var failures = 0

  /// - Parameters:
  ///   - past: the numbers that had come before.
  ///   - time: the time of a symbol's last trade before.
  init(
    _ plans: [FillPlan], series: [String], after past: VenueNumbers = VenueNumbers(),
    since time: (Symbol) -> Timestamp = { _ in .init(ns: 0) }
  ) {
    self.series = series
    self.plans = series.map { name in plans.first { $0.series == name } }
    for last in past.last {
      guard let place = series.firstIndex(of: last.series) else { continue }
      numbers[last.symbol, default: []].append(
        (Key(series: place, symbol: last.symbol), TradeNumbers(after: last.number, at: time(last.symbol))))
    }
  }

  /// The last numbers, and the times of their trades.
  var ends: (numbers: VenueNumbers, end: PastEnd) {
    let all = numbers.values.joined().sorted { ($0.key.series, $0.key.symbol.id) < ($1.key.series, $1.key.symbol.id) }
    return (
      VenueNumbers(all.map { .init(series: series[$0.key.series], symbol: $0.key.symbol, number: $0.numbers.last) }),
      PastEnd(symbols: all.map { .init(symbol: $0.key.symbol, time: $0.numbers.lastTime, count: 0) })
    )
  }

  func plan(of key: Key) -> FillPlan? { plans[key.series] }

  /// The gaps to tell since the last call.
  mutating func takeTold() -> [Told] {
    if told.isEmpty { return [] }
    defer { told = [] }
    return told
  }

  /// True if a hole was opened since the last call.
  mutating func takeOpened() -> Bool {
    defer { hasOpened = false }
    return hasOpened
  }

  /// Records a trade of the feed; false if it has come before.
  mutating func admit(_ number: Int64, series: Int32, of symbol: Symbol, at time: Timestamp, now: Duration) -> Bool {
    guard plans.indices.contains(Int(series)) else { return true }
    guard let place = numbers[symbol]?.firstIndex(where: { $0.key.series == Int(series) }) else {
      numbers[symbol, default: []].append((Key(series: Int(series), symbol: symbol), TradeNumbers(number, at: time)))
      return true
    }
    switch change(symbol, place, { $0.take(number, at: time, due: now + Self.pause) }) {
    case .next, .fills: return true
    case .double: return false
    case .opens:
      hasOpened = true
      limit(symbol, place)
      return true
    case .restarts:
      restart(symbol, place, number, time)
      return true
    }
  }

  /// Records a fetched trade; false if it has come meanwhile, or its numbers are no longer valid.
  mutating func admit(fetched row: FillPlan.Row, of key: Key) -> Bool {
    guard let place = place(of: key) else { return false }
    return change(key.symbol, place) { $0.remove(row.number, onlyOpen: true) }
  }

  /// The rows that are missing, in order, each once.
  func wanted(_ rows: [FillPlan.Row], of key: Key) -> [FillPlan.Row] {
    guard let numbers = state(of: key) else { return [] }
    var seen: Set<Int64> = []
    return rows.filter { numbers.misses($0.number) && seen.insert($0.number).inserted }.sorted { $0.number < $1.number }
  }

  /// The hole to fetch now: of those that are due, the one that has been due for the longest time.
  func next(at now: Duration) -> Pursuit? {
    guard let (key, hole) = earliest, hole.due <= now, let plan = plan(of: key) else { return nil }
    return Pursuit(key, hole, plan.beginning)
  }

  /// When the next hole is due; nil if there is none.
  var nextDue: Duration? { earliest?.hole.due }

  private var earliest: (key: Key, hole: TradeNumbers.Hole)? {
    if open == 0 { return nil }
    var found: (key: Key, hole: TradeNumbers.Hole)?
    for entry in numbers.values.lazy.joined() {
      for hole in entry.numbers.holes where !hole.isTold {
        if let best = found, (best.hole.due, best.key.symbol.id, best.hole.first) <= (hole.due, entry.key.symbol.id, hole.first) {
          continue
        }
        found = (entry.key, hole)
      }
    }
    return found
  }

  /// Notes what the pages of a pursuit have shown, after their trades were admitted.
  mutating func note(_ pursuit: Pursuit) {
    if let covered = pursuit.covered { tell(covered, of: pursuit.key) }
  }

  /// Notes the end of a pursuit, after its pages were noted.
  mutating func settle(_ pursuit: Pursuit, _ ending: Ending) {
    switch ending {
    case .complete:
      failures = 0
      tell(pursuit.range, of: pursuit.key)
    case .stalled(let due):
      failures = 0
      postpone(pursuit, until: due, wasInVain: pursuit.covered == nil)
      for hole in state(of: pursuit.key)?.holes ?? [] where hole.attempts >= Self.attemptLimit { tell(hole.range, of: pursuit.key) }
    case .failed(let due):
      failures += 1
      if failures >= Self.attemptLimit { return tellAll() }
      postpone(pursuit, until: due, wasInVain: false)
    }
  }

  private mutating func postpone(_ pursuit: Pursuit, until due: Duration, wasInVain: Bool) {
    guard let place = place(of: pursuit.key) else { return }
    change(pursuit.key.symbol, place) { $0.postpone(pursuit.range, until: due, wasInVain: wasInVain) }
  }

  /// Tells all that is missing: at the end, or because the REST does not work.
  mutating func tellAll() {
    failures = 0
    for symbol in numbers.keys.sorted(by: { $0.id < $1.id }) {
      for entry in numbers[symbol] ?? [] { tell(entry.numbers.first...entry.numbers.last, of: entry.key) }
    }
  }

  private mutating func tell(_ range: ClosedRange<Int64>, of key: Key) {
    guard let place = place(of: key) else { return }
    for hole in change(key.symbol, place, { $0.tell(range) }) { tell(hole, of: key) }
  }

  private mutating func tell(_ hole: TradeNumbers.Hole, of key: Key) {
    told.append(Told(stream: "\(series[key.series]) \(key.symbol)", expected: hole.first, got: hole.last + 1))
  }

  /// Keeps the limits after a hole was opened.
  private mutating func limit(_ symbol: Symbol, _ place: Int) {
    guard let key = numbers[symbol]?[place].key else { return }
    if plan(of: key) == nil, let hole = state(of: key)?.holes.last(where: { !$0.isTold }) { tell(hole.range, of: key) }
    if let forgotten = change(symbol, place, { $0.shrink() }) { tell(forgotten, of: key) }
    if open > Self.holeLimit, let hole = state(of: key)?.holes.last(where: { !$0.isTold }) { tell(hole.range, of: key) }
  }

  private mutating func restart(_ symbol: Symbol, _ place: Int, _ number: Int64, _ time: Timestamp) {
    guard let entry = numbers[symbol]?[place] else { return }
    tell(entry.numbers.first...entry.numbers.last, of: entry.key)
    told.append(Told(stream: "\(series[entry.key.series]) \(symbol)", expected: entry.numbers.last &+ 1, got: number))
    var key = entry.key
    key.generation += 1
    numbers[symbol]?[place] = (key, TradeNumbers(number, at: time))
  }

  private func place(of key: Key) -> Int? { numbers[key.symbol]?.firstIndex { $0.key == key } }
  private func state(of key: Key) -> TradeNumbers? { place(of: key).flatMap { numbers[key.symbol]?[$0].numbers } }

  /// Changes the numbers at a place that exists, and counts the open holes.
  @discardableResult
  private mutating func change<R>(_ symbol: Symbol, _ place: Int, _ body: (inout TradeNumbers) -> R) -> R {
    func changed(_ list: inout [(key: Key, numbers: TradeNumbers)]) -> (R, Int) {
      let before = list[place].numbers.openCount
      let result = body(&list[place].numbers)
      return (result, list[place].numbers.openCount - before)
    }
    let (result, more) = changed(&numbers[symbol, default: []])
    open += more
    return result
  }
}
