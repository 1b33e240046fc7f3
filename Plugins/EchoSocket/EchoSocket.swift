internal import StockbusNetwork
public import StockbusPlugin

extension Plugin {
  /// Sends events to an echo server and publishes the echoed events.
  public static let echoSocket = Plugin(
    "echo_socket", "Sends events to a WebSocket echo server and publishes what comes back, each event once and in order.",
    EchoSocketPlugin.self,
    hot: [.relay(EchoSocket<Trade>.self), .relay(EchoSocket<Quote>.self), .relay(EchoSocket<Bar>.self), .relay(EchoSocket<Ranked>.self)])
}

enum EchoSocketPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .relay(EchoSocket<E>.self) }
}

/// Sends each event as a JSON text message and publishes the echoed events.
///
/// Events without a reply are kept, and sent again on the next connection when one is lost; duplicate replies are recognised. So each event
/// is published once, in the order of its arrival, across any number of lost connections. An event with an unusable reply becomes a dead
/// letter; one that has no reply after `attempts`, or at the end, is reported as lost.
///
/// It runs on its socket's thread, so that a message changes threads once on its way in and once on its way out.
package actor EchoSocket<E: Event>: Source, Sink, TimedRelay, BackgroundComponent, ThreadedComponent {
  package typealias Input = E
  package typealias Output = E

  private let thread = NetworkThread.next()
  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }
  package nonisolated var ownExecutor: any OwnExecutor { thread }

  let settings: EchoSocketSettings
  let context: Context
  let tallies: EchoTallies
  var window: EchoWindow<E>
  var trips = RoundTrips()
  private var server: WebSocketServer?
  private(set) var link: WebSocketLink?
  private(set) var connection: WebSocketConnection?
  /// Rings when the window has room again, and when it is empty.
  let progress = Bell()
  /// A buffer for a message to send, or for the reply that is expected.
  var frame = ByteWriter(capacity: 1024)
  /// By how many this connection's messages that are no replies exceed the replies.
  var strays = 0
  /// True when no further connection will be made although events still arrive.
  private var isAway = false
  /// The time up to which everything was received here, if no event has arrived since.
  private var reached: Timestamp?
  /// Echoed events may not be in the ring yet.
  private var isPublishing = false
  /// Since when replies have been read without a long break; nil while downstream has no room for them.
  var readingSince: Duration?

  package init(_ settings: EchoSocketSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    tallies = EchoTallies(context)
    window = EchoWindow(capacity: settings.inFlight)
  }

  package func start() async throws {
    let url: WebSocketURL
    switch settings.url {
    case .embedded:
      var own = WebSocketServer.Settings()
      own.frameLimit = settings.connection.frameLimit
      let server = try await WebSocketServer.start(own, clock: context.clock, .echo)
      self.server = server
      url = server.url
    case .server(let given): url = given
    }
    link = try WebSocketLink(url, settings.connection, context, thread: thread)
  }

  // MARK: Out

  package func advance(to time: Timestamp) {
    reached = time
    passTimeOn()
  }

  /// Passes the time on once everything received before it is echoed and published.
  private func passTimeOn() {
    if window.isEmpty, !isPublishing, let reached { context.advanceOutput(to: reached) }
  }

  package func receive(_ events: Span<E>) async throws {
    reached = nil
    for i in events.indices {
      if window.isFull { try await waitForRoom() }
      window.append(events[i])
      if isAway {
        setAside()
        window.skipDropped()
      }
    }
    transmit()
    // Waits while the socket accepts no more data. The end of a connection is handled by the receiving loop.
    do { try await connection?.flush() } catch is WebSocketError {}
  }

  private func waitForRoom() async throws {
    transmit()
    connection?.flushWithoutWaiting()
    while window.isFull {
      let heard = progress.rings
      await progress.wait(after: heard)
      if Task.isCancelled { throw CancellationError() }
    }
  }

  /// Queues unsent events on the current connection: one frame for each event, and one write for all of them.
  private func transmit() {
    guard let connection else { return }
    let now = context.clock.uptime
    var sent = 0
    var again = 0
    while let next = window.takeNext(at: now) {
      frame.clear()
      EchoEnvelope.write(next.number, next.payload, to: &frame)
      if frame.count > settings.connection.frameLimit.bytes {
        refuse(next.number, next.payload, at: now)
        continue
      }
      frame.withBytes { connection.queue(text: $0) }
      sent += 1
      if next.isAgain { again += 1 }
    }
    tallies.sent.add(sent)
    tallies.sentAgain.add(again)
  }

  /// Does not send an event whose reply would be too long.
  private func refuse(_ number: Int64, _ event: E, at now: Duration) {
    _ = window.drop(number, at: now)
    context.reject(
      E.schema.json(event), origin: "event \(number)",
      reason: "\(frame.count) bytes as a message; the limit is \(settings.connection.frameLimit)")
    window.skipDropped()
    progress.ring()
  }

  // MARK: In

  package func run(into output: inout Outlet<E>) async throws {
    try await link?.run { connection in
      begin(connection)
      let before = tallies.echoed.total
      defer {
        if tallies.echoed.total > before { connection.noteData() }
        end()
      }
      do {
        while true {
          let batch = try await connection.receive()
          try take(batch, into: &output)
          try await publish(&output)
          transmit()
          connection.flushWithoutWaiting()
        }
      } catch let error as WebSocketError {
        note(error)
        // After an event was dropped, those after it may have replies already.
        hand(over: &output)
        try await publish(&output)
        throw error
      }
    }
    // At the end of the input no event is in flight any more. Otherwise the run is being stopped, the server cannot be reached, and events
    // may still arrive.
    isAway = true
    setAside()
    hand(over: &output)
    try await publish(&output)
  }

  /// Makes dead letters of the events that will get no reply any more.
  private func setAside() {
    window.dropOpen { number, event in
      context.reject(E.schema.json(event), origin: "event \(number)", reason: "the server could not be reached when the run was stopped")
    }
  }

  private func begin(_ connection: WebSocketConnection) {
    tallies.connections.add(1)
    self.connection = connection
    readingSince = context.clock.uptime
    strays = 0
    window.rewind()
    transmit()
    // This must not wait: the receiving loop would not read replies meanwhile, and the server may not read while it cannot write.
    connection.flushWithoutWaiting()
  }

  private func end() {
    connection = nil
    readingSince = nil
  }

  private func take(_ batch: [WebSocketMessage], into output: inout Outlet<E>) throws(WebSocketError) {
    let now = context.clock.uptime
    for message in batch { try take(message, at: now) }
    hand(over: &output)
  }

  /// Publishes the events with replies, up to the first without one.
  private func hand(over output: inout Outlet<E>) {
    var count = 0
    isPublishing = true
    window.takeAnswered { event in
      output.send(event)
      count += 1
    }
    tallies.echoed.add(count)
    progress.ring()
  }

  /// Flushes. The time spent waiting for downstream does not count against the server's deadline.
  private func publish(_ output: inout Outlet<E>) async throws {
    let before = context.clock.uptime
    let since = readingSince
    readingSince = nil
    isPublishing = true
    try await output.flush()
    isPublishing = false
    passTimeOn()
    let after = context.clock.uptime
    if connection == nil { return }
    readingSince = after - before > settings.deadline / 8 ? after : since
  }

  // MARK: The end

  package func drain() async throws {
    let patience = settings.patience
    await progress.wait(until: context.clock.uptime + patience, context.clock) { !window.isEmpty }
    if Task.isCancelled { throw CancellationError() }
    context.lose(window.removeAll(), "no reply within \(patience.optionText) of the end")
    link?.finish()
  }

  package func stop() async {
    context.lose(window.removeAll(), "cut off before the replies came")
    tallies.report(trips, context)
    await server?.stop()
    server = nil
    link = nil
  }
}
