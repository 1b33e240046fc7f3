public import MarketData

/// Reads a venue's messages one by one, by a spec: the part of `MessageDecoder` that knows no event type.
///
/// Everything that a venue can send has a verdict; nothing traps. It remembers what the connection has said (channel ids, sequence
/// numbers): say `reconnected()` when there is a new one. It belongs to one task at a time.
public struct MessageReader: ~Copyable {
  /// The longest message that is read, where nothing else is said.
  public static let messageLimit = 16 << 20
  /// The longest number, time or name that is read; whatever a venue means by longer ones, it is none of those.
  static let valueLimit = 512
  /// How many of a list's messages that are no events are looked at one by one; further ones are counted only.
  static let toldLimit = 16

  /// Counts since it was made.
  public internal(set) var tally: MessageTally
  /// The breaks in sequence numbers that the last message showed.
  public internal(set) var gaps: [SequenceGap] = []

  let book: RuleBook
  /// The index in `EventKind.allCases`; -1 where no events are wanted.
  let wanted: Int8
  let fields: (prices: [String], sizes: [String])
  var tape: JSONTape
  var names: SymbolNames
  var memory: ChannelMemory
  var sequences: SequenceBook
  var scratch = ByteWriter(capacity: 256)
  var values = DecodedValues()
  /// The place of the present message's id in `memory`; -1 where it has none.
  var recalled = -1
  /// The most decimals of the prices, or of the sizes, that have been read.
  var decimals: UInt8 = 0
  /// The key of the item that is being decoded, where `each` goes through an object; else -1.
  var key = -1
  /// What was malformed among a message's items: the first reason, and how many.
  var faults: (first: String, count: Int) = ("", 0)
  /// How many of the present list's messages were looked at that are no events.
  var told = 0
  /// Messages with items that share a number, so far.
  var shared: UInt64 = 0

  /// Reads messages of at most `limit` bytes; `event` is what is wanted, nil for verdicts only. `spec` is whole: a preset's and
  /// what was written. `symbols` are the configuration's, under whose names events come out; others come out under the venue's, and
  /// become symbols through `intake`.
  /// Throws every reason why the spec cannot be used.
  public init(
    _ spec: DecodingSpec, event: EventKind?, symbols: [Symbol] = [], limit: Int = messageLimit, intake: SymbolIntake = .open
  ) throws(DecodingSpecError) {
    let found = spec.decodingFaults(event: event)
    guard found.isEmpty else { throw DecodingSpecError(found) }
    let book = RuleBook(spec)
    tally = MessageTally(kinds: book.names.map { ($0, 0) })
    memory = ChannelMemory(slots: book.memorySlots)
    sequences = SequenceBook(series: book.series.count)
    self.book = book
    wanted = event.flatMap { EventKind.allCases.firstIndex(of: $0) }.map { Int8($0) } ?? -1
    fields = (event.map(EventFields.prices) ?? [], event.map(EventFields.sizes) ?? [])
    tape = JSONTape(limit: limit)
    names = SymbolNames(SymbolTemplate(spec.symbol), listed: symbols, intake: intake)
  }

  /// Forgets what belongs to a connection: channel ids, and numbers that count its messages.
  public mutating func reconnected() {
    memory.forget()
    sequences.reconnected()
  }

  /// Reads one message; `body` gets each event's values. What is wrong with some items does not keep the others back.
  public mutating func read(
    _ message: UnsafeBufferPointer<UInt8>, received: Timestamp, into body: (borrowing DecodedValues) -> Void
  ) -> Verdict {
    if !gaps.isEmpty { gaps.removeAll(keepingCapacity: true) }
    do throws(JSONProblem) { try tape.read(message) } catch {
      tally.malformed &+= 1
      return .malformed(reason: error.description)
    }
    values.received = received
    told = 0
    guard book.splits, tape.nodes[0].kind == .array else { return unit(0, body) }
    return parts(body)
  }

  /// A list whose items are messages. However many are no events: what is said about them does not grow with the list.
  @inline(never)
  private mutating func parts(_ body: (borrowing DecodedValues) -> Void) -> Verdict {
    var found = Parts()
    let end = Int(tape.nodes[0].next)
    var at = 1
    while at < end {
      if told >= Self.toldLimit, book.readsObjectsOnly, isEmptyOrNoObject(at) {
        // A byte or two each: what is done for a message would take many times what as many bytes of messages take.
        told += 1
        tally.addUnlisted()
        found.addUntold()
        at = Int(tape.nodes[at].next)
        continue
      }
      let verdict = unit(at, body)
      if case .several(let verdicts) = verdict {
        for each in verdicts { found.add(each) }
      } else {
        found.add(verdict)
      }
      at = Int(tape.nodes[at].next)
    }
    return found.verdict
  }

  @inline(__always)
  private func isEmptyOrNoObject(_ node: Int) -> Bool { tape.nodes[node].kind != .object || Int(tape.nodes[node].next) == node &+ 1 }
}

/// What the messages of a list are together.
private struct Parts {
  private var events = 0
  private var isOfUse = false
  private var others: [Verdict] = []
  private var isAuthenticated = false
  private var untold = 0

  mutating func add(_ verdict: Verdict) {
    switch verdict {
    case .events(let count):
      events &+= count
      isOfUse = true
    case .other(let kind) where isOfUse || others.contains(.other(kind: kind)): break
    case .authenticated where isAuthenticated: break
    case .authenticated:
      // Never left out: somebody waits for it.
      isAuthenticated = true
      others.append(verdict)
    case _ where others.count < MessageReader.toldLimit: others.append(verdict)
    case .other: break
    default: untold += 1
    }
  }

  /// One more that is no event, where enough are told.
  mutating func addUntold() { untold += 1 }

  var verdict: Verdict {
    // Known messages of no use beside useful ones are not worth telling.
    var others = others
    if isOfUse { others.removeAll { if case .other = $0 { true } else { false } } }
    if untold > 0 { others.append(.malformed(reason: "\(untold) more messages of the list are no events")) }
    if others.isEmpty { return .events(events) }
    if others.count == 1, !isOfUse { return others[0] }
    return .several((isOfUse ? [.events(events)] : []) + others)
  }
}
