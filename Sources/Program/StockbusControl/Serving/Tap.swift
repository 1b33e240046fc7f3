internal import StockbusPlugin
internal import StockbusRuntime
internal import StockbusWeb

/// A client's request to see a component's events.
struct TapRequest: Sendable {
  enum Format: String {
    case json, csv, arrow
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
      guard let format = Format(rawValue: text) else { throw Mistake(code: "format", message: "'format' is json, csv or arrow") }
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

/// Sends a client the events of one topic as they are published, as server-sent events or as an Arrow stream, from which it also learns how
/// many events were left out because it was too slow, and why the end comes.
///
/// The run never waits for a client: events not taken in time are left out and counted. A topic without clients has no extra cost.
struct Tap: Sendable {
  private let follow: @Sendable (WebStream) async -> Void
  private let format: TapRequest.Format

  /// Throws if the topic's events have no such fields, or the condition is not about them.
  init(_ topic: any AnyTopic, _ request: TapRequest, clock: any Timekeeper) throws(TapRequest.Mistake) {
    func open<E: Event>(_: E.Type) throws(TapRequest.Mistake) -> @Sendable (WebStream) async -> Void {
      guard let topic = topic as? Topic<E> else { preconditionFailure("the topic has another event type than declared") }
      let records = try TapRecords<E>(request, topic.columns)
      return { stream in await Self.follow(topic, records, stream, request, clock) }
    }
    format = request.format
    follow = try open(topic.eventType)
  }

  var response: WebResponse {
    var response = WebResponse(200, type: format == .arrow ? "application/vnd.apache.arrow.stream" : "text/event-stream")
    response.stream = follow
    return response
  }

  /// The interval of messages that show a client that the connection is still open.
  private static let pulse = Duration.seconds(15)

  private static func follow<E: Event>(
    _ topic: Topic<E>, _ records: TapRecords<E>, _ stream: WebStream, _ request: TapRequest, _ clock: any Timekeeper
  ) async {
    let (news, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // Of some millions of events a second these are a hundredth, in which a batch is encoded and tasks get their turn.
    let options = SubscriptionOptions(overflow: .dropOldest, capacity: request.format == .arrow ? 1 << 16 : 8192)
    let subscription = topic.subscribeToBatches(options: options) { batch, columns in if records.take(batch, columns) { bell.yield() } }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await subscription.finished()
        records.end("the component has ended, or was removed from the run")
        bell.yield()
      }
      group.addTask {
        while (try? await clock.sleep(for: pulse)) != nil { bell.yield() }
      }
      if let time = request.time {
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
