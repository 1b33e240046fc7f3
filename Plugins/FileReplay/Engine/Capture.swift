internal import MarketData
internal import StockbusDecoding

/// What reading a raw capture needs beside its lines.
struct Capture<E: ReplayEvent>: ~Copyable {
  /// False for files of rows.
  let isOpen: Bool
  fileprivate var reader: MessageReader?
  fileprivate let component: String
  /// Events of a message that have not been handed out, from `next` on.
  fileprivate var waiting: [E] = []
  fileprivate var next = 0
  private var gaps: [SequenceGap] = []
  private var isTelling = true

  init() {
    isOpen = false
    component = ""
    reader = nil
  }

  /// Throws where the spec cannot be used.
  init(_ options: ReplayOptions) throws(ReplayError) {
    isOpen = true
    component = options.component
    guard let kind = E.decodedKind else {
      reader = nil
      return
    }
    do throws(DecodingSpecError) {
      reader = try MessageReader(options.decoding, event: kind, symbols: options.symbols, limit: options.lineLimit)
    } catch { throw ReplayError(code: .badOption, file: "file_replay", place: nil, message: error.description) }
  }

  /// The breaks in sequence numbers since the last call.
  mutating func takeGaps() -> [SequenceGap] {
    if gaps.isEmpty { return [] }
    defer { gaps.removeAll() }
    return gaps
  }

  /// Unknown messages by shape.
  var shapes: [(shape: String, count: Int)] {
    switch reader {
    case .some(let reader): reader.tally.shapes
    case .none: []
    }
  }

  fileprivate mutating func reconnected() { reader?.reconnected() }

  /// Reads a message; its events then wait.
  fileprivate mutating func read(_ text: UnsafeBufferPointer<UInt8>, _ received: Timestamp) -> Verdict? {
    waiting.removeAll(keepingCapacity: true)
    next = 0
    let verdict = E.decode(CapturedMessage(component: component, received: received, text: text), &reader) { waiting.append($0) }
    if let found = reader?.gaps, !found.isEmpty { gaps += found }
    return verdict
  }
}

extension FileCursor {
  /// `next` for raw captures: a line may hold several events, or none.
  mutating func nextCaptured(
    limit: Int, into body: (E) -> Void, malformed: (MalformedRow) -> MalformedPolicy
  ) throws(ReplayError) -> Int {
    var count = 0
    defer { counts.events += count }
    do throws(ReplayError) {
      while count < limit {
        if capture.next < capture.waiting.count {
          let event = capture.waiting[capture.next]
          capture.next += 1
          let time = event.received.ns
          if time < from || (time >= until && hasUntil) {
            counts.outside &+= 1
          } else {
            body(event)
            count &+= 1
          }
          continue
        }
        if isAtEnd { break }
        switch try reader.next() {
        case .end: isAtEnd = true
        case .tooLong: try reject("the line is longer than \(reader.limit) bytes", malformed)
        case .line: try read(CaptureLine(reader.bytes), malformed)
        }
      }
    } catch {
      isAtEnd = true
      capture.next = capture.waiting.count
      throw error
    }
    return count
  }

  private mutating func read(_ line: CaptureLine, _ malformed: (MalformedRow) -> MalformedPolicy) throws(ReplayError) {
    switch line {
    case .message(let received, let text):
      guard let verdict = capture.read(text, received) else { return }
      try judge(verdict, malformed)
    case .connected: capture.reconnected()
    case .sent, .blank: break
    case .malformed(let reason): try reject(reason, malformed)
    }
  }

  /// What is no event and no talk is told.
  private mutating func judge(_ verdict: Verdict, _ malformed: (MalformedRow) -> MalformedPolicy) throws(ReplayError) {
    switch verdict {
    case .malformed(let reason): try reject(reason, malformed)
    case .unknown: counts.unknown += 1
    case .several(let parts): for part in parts { try judge(part, malformed) }
    case .events, .acknowledgement, .authenticated, .refusal, .heartbeat, .other: break
    }
  }
}
