internal import StockbusExpressions
internal import StockbusPlugin
internal import StockbusRuntime
internal import StockbusWeb

/// A client's request to see a component's events.
struct TapRequest: Sendable {
  enum Format: String {
    case json, csv
  }

  /// Why the events cannot be shown.
  struct Mistake: Error {
    let code: String
    let message: String
  }

  var condition: String?
  /// The fields to show; nil for all of them.
  var fields: [String]?
  var format = Format.json
  var limit = Int.max
  /// Nil for as long as the component publishes.
  var time: Duration?

  init(_ target: WebTarget) throws(Mistake) {
    condition = target["where"]
    fields = target["fields"].map { $0.split(separator: ",").map(String.init) }
    if let text = target["format"] {
      guard let format = Format(rawValue: text) else { throw Mistake(code: "format", message: "'format' is json or csv") }
      self.format = format
    }
    if let text = target["limit"] {
      guard let limit = Int(text), limit > 0 else { throw Mistake(code: "limit", message: "'limit' is a whole number from 1 on") }
      self.limit = limit
    }
    if let text = target["for"] {
      guard let time = WatchTime.tap.read(text) else { throw Mistake(code: "for", message: "'for' \(WatchTime.tap.usage)") }
      self.time = time
    }
  }
}

/// Sends a client the events of one topic as they are published, as server-sent events (the HTML standard, 9.2): each is a `data:` with one
/// record; `header` has the names of CSV; `left_out` is the number of events left out so far because the client was too slow; `end` is
/// last.
///
/// The run never waits for a client: events not taken in time are left out and counted. A topic without clients has no extra cost.
struct Tap: Sendable {
  private let follow: @Sendable (WebStream) async -> Void

  /// Throws if the topic's events have no such fields, or the condition is not about them.
  init(_ topic: any AnyTopic, _ request: TapRequest, clock: any Timekeeper) throws(TapRequest.Mistake) {
    func open<E: Event>(_: E.Type) throws(TapRequest.Mistake) -> @Sendable (WebStream) async -> Void {
      guard let topic = topic as? Topic<E> else { preconditionFailure("the topic has another event type than declared") }
      let records = try TapRecords<E>(request, topic.columns)
      return { stream in await Self.follow(topic, records, stream, request.time, clock) }
    }
    follow = try open(topic.eventType)
  }

  var response: WebResponse {
    var response = WebResponse(200, type: "text/event-stream")
    response.stream = follow
    return response
  }

  /// The interval of messages that show a client that the connection is still open.
  private static let pulse = Duration.seconds(15)

  private static func follow<E: Event>(
    _ topic: Topic<E>, _ records: TapRecords<E>, _ stream: WebStream, _ time: Duration?, _ clock: any Timekeeper
  ) async {
    let (news, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let options = SubscriptionOptions(overflow: .dropOldest, capacity: 8192)
    let subscription = topic.subscribeToRows(options: options) { event, row in if records.take(event, row) { bell.yield() } }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await subscription.finished()
        records.end("the component has ended, or was removed from the run")
        bell.yield()
      }
      group.addTask {
        while (try? await clock.sleep(for: pulse)) != nil { bell.yield() }
      }
      if let time {
        group.addTask {
          guard (try? await clock.sleep(for: time)) != nil else { return }
          records.end("the time is over")
          bell.yield()
        }
      }
      // Records that are already present are sent at once, with the head of the response.
      bell.yield()
      for await _ in news {
        let (bytes, isOver) = records.drain(alsoLeftOut: subscription.counts.dropped)
        if await !stream.write(bytes) || isOver { break }
      }
      subscription.cancel()
      group.cancelAll()
    }
  }
}

/// The records that wait for one client.
private final class TapRecords<E: Event>: Sendable {
  private struct State {
    var out: [UInt8] = []
    var left: Int
    var leftOut = 0
    /// The number of left-out events that was last sent to the client.
    var reported = 0
    var end: String?
  }

  /// The most bytes that wait.
  private static var most: Int { 1 << 20 }

  private let condition: Expression<E>?
  private let encoder: EventEncoder<E>
  private let format: TapRequest.Format
  private let state: Guarded<State>

  init(_ request: TapRequest, _ columns: ColumnLayout) throws(TapRequest.Mistake) {
    do throws(ExpressionError) {
      condition = try request.condition.map { text throws(ExpressionError) in
        try Expression<E>(
          text, in: .withoutMemory("a tap sees each event by itself; a filter in the configuration remembers them"), reading: columns)
      }
    } catch {
      throw TapRequest.Mistake(code: "where", message: "'where': \(error)")
    }
    if let fields = request.fields {
      let known = E.schema.fields.map(\.name) + columns.names
      guard !fields.isEmpty, Set(fields).count == fields.count, let encoder = EventEncoder<E>(fields: fields, columns: columns) else {
        let wrong = fields.first { !known.contains($0) }.map { shown($0) } ?? "no field, or a field twice"
        throw TapRequest.Mistake(code: "fields", message: "'fields' names \(wrong); there are \(known.joined(separator: ", "))")
      }
      self.encoder = encoder
    } else {
      encoder = EventEncoder(columns: columns)
    }
    format = request.format
    var state = State(left: request.limit)
    if format == .csv { state.out = Array("event: header\ndata: \(encoder.csvHeader)\n\n".utf8) }
    self.state = Guarded(state)
  }

  /// Returns true if the client is to be written to.
  func take(_ event: E, _ row: [Int64]) -> Bool {
    if let condition, !condition.matches(event, row: row) { return false }
    return state.withLock { state in
      if state.left == 0 { return false }
      if state.out.count > Self.most {
        state.leftOut += 1
        return false
      }
      state.left -= 1
      let isFirst = state.out.isEmpty
      state.out += Array("data: \(record(event, row))\n\n".utf8)
      if state.left == 0 { state.end = "the limit is reached" }
      return isFirst || state.left == 0
    }
  }

  private func record(_ event: E, _ row: [Int64]) -> String {
    var out = ByteWriter()
    if format == .json {
      encoder.encodeJSON(event, row: row, to: &out)
      return out.string
    }
    encoder.encodeCSV(event, row: row, to: &out)
    // A quoted text may have several lines; each is a line of the event.
    return out.string.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" }.map { String($0) }
      .joined(separator: "\ndata: ")
  }

  func end(_ reason: String) { state.withLock { $0.end = $0.end ?? reason } }

  /// The bytes to be written; never empty, so that a closed client is noticed.
  /// - Parameter alsoLeftOut: the events that were lost before they reached this client's queue.
  func drain(alsoLeftOut: Int) -> (bytes: [UInt8], isOver: Bool) {
    state.withLock { state in
      let leftOut = state.leftOut + alsoLeftOut
      if leftOut > state.reported {
        state.out += Array("event: left_out\ndata: \(leftOut)\n\n".utf8)
        state.reported = leftOut
      }
      if let end = state.end { state.out += Array("event: end\ndata: \(end)\n\n".utf8) }
      let bytes = state.out.isEmpty ? Array(":\n\n".utf8) : state.out
      state.out = []
      return (bytes, state.end != nil)
    }
  }
}
