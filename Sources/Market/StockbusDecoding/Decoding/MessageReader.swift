package import MarketData

/// Reads a venue's messages one by one according to a spec: the part of `MessageDecoder` that does not depend on the event type.
///
/// Every input has a verdict; no input traps. The reader keeps the state of the connection (channel ids, sequence numbers), so call
/// `reconnected()` after each new connection. For one task at a time.
package struct MessageReader: ~Copyable {
  /// The default for the longest message in bytes.
  package static let messageLimit = 16 << 20
  /// The longest number, time or name in bytes; longer ones are invalid values.
  static let valueLimit = 512
  /// The most sale conditions of a trade.
  static let conditionLimit = 16
  /// How many messages without events in a list are examined one by one; later ones are only counted.
  static let reportLimit = 16

  /// Counts since the reader was created.
  package internal(set) var tally: MessageTally
  /// The breaks in sequence numbers that the last message revealed.
  package internal(set) var gaps: [SequenceGap] = []

  let book: MessageRules
  /// The index in `EventKind.allCases`; -1 if no events are wanted.
  let wanted: Int8
  let fields: (prices: [String], sizes: [String])
  /// Messages of exactly these bytes, without surrounding blanks, are ignored.
  private let ignored: [[UInt8]]
  var tape: JSONTape
  var names: SymbolNames
  var memory: ChannelMemory
  var sequences: SequenceBook
  var scratch = ByteWriter(capacity: 256)
  var values = DecodedValues()
  /// The place of the present message's id in `memory`; -1 if it has none.
  var recalled = -1
  /// The most decimals of the prices, or of the sizes, read so far.
  var decimals: UInt8 = 0
  /// The key of the item that is being decoded, if `each` iterates over an object; otherwise -1.
  var key = -1
  /// Errors among a message's items: the first reason, and their number.
  var faults: (first: String, count: Int) = ("", 0)
  /// How many messages without events the present list has had so far; the first of them are described.
  var eventless = 0
  /// The values that did not fit, since the last `takeKept` and in all, and descriptions of the first ones.
  var kept = KeptValues()
  var described = KeptValues()
  var remarks: [String] = []
  /// True if a side of the present quote has no offer.
  var isOneSided = false
  /// The symbol of rows that have none of their own.
  var asked = Symbol(id: 0)
  /// The number of messages so far whose items share a sequence number.
  var shared: UInt64 = 0

  /// Reads messages of at most `limit` bytes. `event` is the wanted kind, nil for verdicts only. `spec` is complete, with the preset and
  /// the configuration merged. `symbols` are the configuration's symbols, under whose names events are emitted; others are emitted under
  /// the venue's names, and become symbols through `intake`. The numbers of the series in `filled` are passed on with their events, and breaks
  /// in them are not reported. Throws all reasons why the spec cannot be used.
  package init(
    _ spec: DecodingSpec, event: EventKind?, symbols: [Symbol] = [], limit: Int = messageLimit, intake: SymbolIntake = .open,
    filled: Set<String> = []
  ) throws(DecodingSpecError) {
    let found = spec.decodingFaults(event: event)
    guard found.isEmpty else { throw DecodingSpecError(found) }
    self.init(checked: spec, event: event, symbols: symbols, limit: limit, intake: intake, filled: filled)
  }

  /// For a spec without faults, in which rows may have no symbol.
  init(checked spec: DecodingSpec, event: EventKind?, symbols: [Symbol], limit: Int, intake: SymbolIntake, filled: Set<String>) {
    let book = MessageRules(spec, filled: filled)
    memory = ChannelMemory(slots: book.memorySlots)
    sequences = SequenceBook(series: book.series.count)
    let wanted = event.flatMap { EventKind.allCases.firstIndex(of: $0) }.map { Int8($0) } ?? -1
    self.wanted = wanted
    tally = MessageTally(
      kinds: book.names.map { ($0, 0) },
      fates: book.rules.map { rule in
        switch rule.role {
        case .data: wanted < 0 || rule.event == wanted ? .event : .passedOver
        case .other: .passedOver
        case .correction: .correction
        case .acknowledgement, .authenticated, .error, .heartbeat: .service
        }
      })
    self.book = book
    fields = (event.map(EventFields.prices) ?? [], event.map(EventFields.sizes) ?? [])
    ignored = (spec.ignore ?? []).map { Array(TextualMessage.trimmed(Array($0.utf8)[...])) }
    tape = JSONTape(limit: limit, takesWords: true)
    names = SymbolNames(SymbolTemplate(spec.symbol), listed: symbols, intake: intake)
  }

  /// The names of the series of numbers, by the index in `DecodedValues.series`.
  package var series: [String] { book.series }

  /// Resets the state of a connection: channel ids, and numbers that count its messages.
  package mutating func reconnected() {
    memory.forget()
    sequences.reconnected()
  }

  /// Reads one message; calls `body` with each event's values. Errors in some items do not affect the others.
  package mutating func read(
    _ message: UnsafeBufferPointer<UInt8>, received: Timestamp, into body: (borrowing DecodedValues) -> Void
  ) -> MessageOutcome {
    if !gaps.isEmpty { gaps.removeAll(keepingCapacity: true) }
    do throws(JSONProblem) { try tape.read(message) } catch { return unreadable(message, error) }
    values.received = received
    eventless = 0
    guard book.splits, tape.nodes[0].kind == .array else { return unit(0, body) }
    return parts(body)
  }

  /// Handles a message that is not JSON: an ignored text, another text, or a damaged object or list.
  @inline(never)
  private mutating func unreadable(_ message: UnsafeBufferPointer<UInt8>, _ problem: JSONProblem) -> MessageOutcome {
    let text = TextualMessage(message)
    if isIgnored(text) { return passOver(text) }
    if text.beginsAsJSON || problem.code == .tooLong {
      tally.malformed &+= 1
      return .malformed(reason: problem.description)
    }
    tally.add(shape: text.name)
    return .notJSON(text: text.name)
  }

  /// True if the spec ignores messages of this text.
  func isIgnored(_ text: TextualMessage) -> Bool { ignored.contains { text.bytes.elementsEqual($0) } }

  mutating func passOver(_ text: TextualMessage) -> MessageOutcome {
    tally.ignored += 1
    return .heartbeat(kind: text.name)
  }

  /// Handles a list whose items are messages. The cost of reporting messages without events does not grow with the list.
  @inline(never)
  private mutating func parts(_ body: (borrowing DecodedValues) -> Void) -> MessageOutcome {
    var found = Parts()
    let end = Int(tape.nodes[0].next)
    var at = 1
    while at < end {
      if eventless >= Self.reportLimit, book.readsObjectsOnly, isEmptyOrNoObject(at) {
        // Such items have a byte or two each: handled as messages they would take many times as long as messages of as many bytes.
        eventless += 1
        tally.addUnlisted()
        found.addOmitted()
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

/// The combined verdict on the messages of a list.
private struct Parts {
  private var events = 0
  private var isOfUse = false
  private var others: [MessageOutcome] = []
  private var isAuthenticated = false
  private var omitted = 0

  mutating func add(_ verdict: MessageOutcome) {
    switch verdict {
    case .events(let count):
      events &+= count
      isOfUse = true
    case .other(let kind) where isOfUse || others.contains(.other(kind: kind)): break
    case .authenticated where isAuthenticated: break
    case .authenticated:
      // Always included, because authentication waits for it.
      isAuthenticated = true
      others.append(verdict)
    case _ where others.count < MessageReader.reportLimit: others.append(verdict)
    case .other: break
    default: omitted += 1
    }
  }

  /// Counts a message without events that is not reported.
  mutating func addOmitted() { omitted += 1 }

  var verdict: MessageOutcome {
    // Known messages without use are not reported beside useful ones.
    var others = others
    if isOfUse { others.removeAll { if case .other = $0 { true } else { false } } }
    if omitted > 0 { others.append(.malformed(reason: "\(omitted) more messages of the list are not events")) }
    if others.isEmpty { return .events(events) }
    if others.count == 1, !isOfUse { return others[0] }
    return .several((isOfUse ? [.events(events)] : []) + others)
  }
}
