internal import MarketData
internal import StockbusDecoding

/// Decodes the lines of a raw capture.
struct Capture<E: ReplayEvent>: ~Copyable {
  /// True for a raw capture, false for a file of rows.
  let isOpen: Bool
  private var reader: MessageReader?
  private let component: String
  /// Events of a message; those from `handed` on have not been returned yet.
  private var waiting: [E] = []
  private var handed = 0
  private var gaps: [SequenceGap] = []
  private(set) var counts = ReplayCounts()
  /// The non-JSON texts so far; the first few of them are reported, each once.
  private var texts: Set<String> = []
  private static var textLimit: Int { 20 }
  /// The first malformed message.
  private(set) var firstMalformed: MalformedRow?
  /// The receipt time of the last event before `from` or not before `until`.
  private(set) var last: Timestamp?
  private let name: String
  private let from: Int64
  private let until: Int64
  private let hasUntil: Bool
  private var isAtEnd = false

  init() {
    isOpen = false
    component = ""
    name = ""
    (from, until, hasUntil) = (.min, .max, false)
    reader = nil
  }

  /// Throws if the spec cannot be used.
  init(_ input: ReplayInput, _ options: ReplayOptions) throws(ReplayError) {
    isOpen = true
    name = input.name
    from = options.from?.ns ?? .min
    until = options.until?.ns ?? .max
    hasUntil = options.until != nil
    component = options.component
    guard let kind = E.decodedKind else {
      reader = nil
      return
    }
    do throws(DecodingSpecError) {
      reader = try MessageReader(options.decoding, event: kind, symbols: options.symbols, limit: options.lineLimit, intake: options.intake)
    } catch { throw ReplayError(code: .badOption, file: "file_replay", place: nil, message: error.description) }
  }

  /// The breaks in sequence numbers since the last call.
  mutating func takeGaps() -> [SequenceGap] {
    if gaps.isEmpty { return [] }
    defer { gaps.removeAll() }
    return gaps
  }

  /// True if events of the last message have not been returned yet.
  var hasEvents: Bool { handed < waiting.count }

  /// Unknown messages by shape.
  var shapes: [(shape: String, count: Int)] {
    switch reader {
    case .some(let reader): reader.tally.shapes
    case .none: []
    }
  }

  /// The counts of the messages by kind; nil if they are not decoded.
  var messages: MessageTally? {
    switch reader {
    case .some(let reader): reader.tally
    case .none: nil
    }
  }

  /// The last numbers of the venue's trades.
  var numbers: VenueNumbers {
    switch reader {
    case .some(let reader): reader.numbers
    case .none: VenueNumbers()
    }
  }

  private mutating func reconnected() { reader?.reconnected() }

  /// Reads a message and stores its events.
  private mutating func read(_ text: UnsafeBufferPointer<UInt8>, _ received: Timestamp) -> MessageOutcome? {
    waiting.removeAll(keepingCapacity: true)
    handed = 0
    let verdict = E.decode(CapturedMessage(component: component, received: received, text: text), &reader) { waiting.append($0) }
    if let found = reader?.gaps, !found.isEmpty { gaps += found }
    return verdict
  }
}

extension Capture {
  /// Appends the next events, as `RowParser.next` does; a line may give several events, or none.
  mutating func next(
    _ reader: inout LineReader, into events: inout OutputSpan<E>, noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    let before = events.count
    defer { counts.events += events.count - before }
    do throws(ReplayError) {
      while !events.isFull {
        if handed < waiting.count {
          let event = waiting[handed]
          handed += 1
          let time = event.received.ns
          if time < from || (time >= until && hasUntil) {
            counts.outside &+= 1
            last = event.received
          } else {
            events.append(event)
          }
          continue
        }
        if isAtEnd { break }
        // Events that have been read must not wait for a pipe.
        reader.waits = events.count == before
        switch try reader.next() {
        case .later: return events.count - before
        case .end: isAtEnd = true
        case .tooLong: try reject("the line is longer than \(reader.limit) bytes ('row_limit')", reader, noted)
        case .line: try take(CaptureLine(reader.bytes), reader, noted)
        }
      }
    } catch {
      isAtEnd = true
      handed = waiting.count
      throw error
    }
    return events.count - before
  }

  private mutating func take(
    _ line: CaptureLine, _ reader: borrowing LineReader, _ noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) {
    switch line {
    case .message(let received, let text):
      let verdict = read(text, received)
      if let kept = self.reader?.takeKept() {
        counts.kept += kept.counts
        for text in kept.remarks { _ = noted(.remark(NotedRemark(kind: .message(text), file: name, line: reader.line, text: text))) }
      }
      guard let verdict else { return }
      try judge(verdict, reader, noted)
    case .connected: reconnected()
    case .sent, .blank: break
    case .malformed(let reason): try reject(reason, reader, noted)
    }
  }

  /// Reports malformed messages and counts unknown ones.
  private mutating func judge(
    _ verdict: MessageOutcome, _ reader: borrowing LineReader, _ noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) {
    switch verdict {
    case .malformed(let reason): try reject(reason, reader, noted)
    case .notJSON(let text) where texts.count < Self.textLimit && texts.insert(text).inserted:
      try reject(MessageOutcome.words(ofNoJSON: text), reader, noted)
    case .unknown, .notJSON: counts.unknown += 1
    case .several(let parts): for part in parts { try judge(part, reader, noted) }
    case .events, .acknowledgement, .authenticated, .refusal, .heartbeat, .other: break
    }
  }

  private mutating func reject(
    _ reason: String, _ reader: borrowing LineReader, _ noted: (RowNote) -> MalformedPolicy
  ) throws(ReplayError) {
    counts.malformed += 1
    let row = MalformedRow(reader, file: name, reason: reason)
    if firstMalformed == nil { firstMalformed = row }
    if noted(.malformed(row)) == .stop { throw ReplayError(malformed: row) }
  }
}
