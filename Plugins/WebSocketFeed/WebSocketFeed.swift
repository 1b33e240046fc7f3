internal import StockbusDecoding
internal import StockbusNetwork
public import StockbusPlugin

extension Plugin {
  /// Takes a venue's prices from its WebSocket.
  public static let webSocketFeed = Plugin(
    "websocket", "Receives trades, quotes or bars from a venue's WebSocket: a known venue by its name, any other by a description.",
    option: "event",
    variants: [
      "trade": .source(WebSocketFeed<Trade>.self), "quote": .source(WebSocketFeed<Quote>.self),
      "bar": .source(WebSocketFeed<Bar>.self), "raw": .source(WebSocketFeed<RawMessage>.self),
    ]
  ).example("preset: coinbase_exchange\nsymbols: [BTC-USD, ETH-USD]")
}

/// A venue's feed: connects, authenticates, subscribes, decodes, and repeats this when the connection is lost.
///
/// Messages without events are reported and counted: refusals and malformed messages become dead letters, unknown kinds are counted by
/// shape and logged once, breaks in the venue's numbers are published as gaps, or filled from its REST. A connection without messages for too long is closed; a
/// symbol without trades for hours is no reason for that.
///
/// It runs on its socket's thread, so that a message changes threads only once, on its way to the readers.
actor WebSocketFeed<E: FeedEvent>: LiveSource, ThreadedComponent, DecodingComponent {
  private let thread = NetworkThread.next()
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }
  nonisolated var ownExecutor: any OwnExecutor { thread }

  private let settings: WebSocketFeedSettings
  let context: Context
  private let conversation: Conversation
  private let url: WebSocketURL
  let tallies: FeedTallies
  private var isAuthenticated = false
  /// Rings when the venue has replied to the authentication.
  private let reply = Bell()
  /// What is known of the trades' numbers; nil if breaks are only reported.
  var filling: Filling?
  /// The last numbers of the past, and its last times.
  let past: VenueNumbers
  private var border: PastBorder
  /// The present connection.
  private(set) var connection: WebSocketConnection?
  /// Rings when a trade may be missing.
  let fillNews = Bell()
  /// Rings when fetched trades were taken.
  let fillTaken = Bell()
  /// Why the venue has refused the authentication; another attempt would be refused too.
  private var rejection: String?

  static func faults(in settings: WebSocketFeedSettings) -> [(option: String, message: String)] {
    let spec = settings.spec
    var faults: [(option: String, message: String)] = []
    if E.kind != nil || spec.messages != nil {
      faults += spec.decodingFaults(event: E.kind).map { (settings.option(for: $0.option), $0.message) }
    }
    faults += spec.conversationFaults(symbols: settings.symbols, event: E.kind).map { (settings.option(for: $0.option), $0.message) }
    faults += fillFaults(settings, spec)
    guard let text = spec.url else { return faults + [("url", "a 'preset' or a 'url' is needed")] }
    // The credentials are not known here, so their placeholders are replaced by a letter for the check.
    do throws(OptionTextError) { _ = try WebSocketURL(option: text.replacing(/\{[^}]*\}/, with: "x")) } catch {
      faults.append(
        ("decoding.url", "'decoding.url' must be a WebSocket URL such as wss://host/path\(error.mayRepeatText ? "" : error.suffix)"))
    }
    return faults
  }

  private static func fillFaults(_ settings: WebSocketFeedSettings, _ spec: DecodingSpec) -> [(option: String, message: String)] {
    guard settings.gaps == .fill else { return [] }
    if E.kind != .trade { return [("gaps", "'gaps: fill' fetches missed trades, and this source gives none")] }
    let fills = spec.fill?.entries ?? []
    if fills.isEmpty {
      let who = settings.preset.map { "the preset '\($0.optionText)' does not describe" } ?? "nothing describes"
      return [("gaps", "'gaps: fill' needs 'fill' in 'decoding': \(who) how missed trades are fetched")]
    }
    var faults = spec.fillFaults().map { (settings.option(for: $0.option), $0.message) }
    for (name, fill) in fills {
      // Placeholders are replaced by a letter for the check.
      guard let url = fill.url else { continue }
      do throws(HTTPError) { _ = try WebAddress(url.replacing(/\{[^}]*\}/, with: "x")) } catch {
        faults.append((settings.option(for: "fill.\(name).url"), "'decoding.fill.\(visible(name, limit: 64)).url': \(error)"))
      }
      for (header, value) in fill.headers?.entries ?? [] {
        if let fault = HTTPFields.fault(inName: header) ?? HTTPFields.fault(inValue: value.revealed) {
          faults.append((settings.option(for: "fill.\(name).headers"), "'headers.\(visible(header))': \(fault)"))
        }
      }
    }
    return faults
  }

  /// What it subscribes to, if that is not all symbols of the venue.
  static func knownSymbols(_ settings: WebSocketFeedSettings) -> [String]? {
    let names = settings.symbols.map(\.description)
    return E.kind == nil || names.isEmpty || names.contains { $0.contains("*") } ? nil : names
  }

  init(_ settings: WebSocketFeedSettings, _ context: Context) throws {
    self.settings = settings
    self.context = context
    let conversation = try Conversation(settings.spec, symbols: settings.symbols, event: E.kind)
    self.conversation = conversation
    do throws(OptionTextError) { url = try WebSocketURL(option: conversation.address?.text ?? "") } catch {
      throw EnvironmentFailure("the address is not a WebSocket URL", isPermanent: true)
    }
    tallies = FeedTallies(context)
    past = context.recall(VenueNumbers.memory) ?? VenueNumbers()
    border = PastBorder(context)
  }

  /// Another instance, or another run, goes on with the numbers.
  func keepMemory() {
    guard let ends = filling?.filler.ends, !ends.numbers.isEmpty else { return }
    context.remember(ends.numbers, VenueNumbers.memory)
    context.remember(ends.end, PastEnd.memory)
  }

  func stop() { keepMemory() }

  func run(into output: inout Outlet<E>) async throws {
    var kept = settings.connection
    kept.idleDeadline = kept.idleDeadline ?? conversation.silence
    let link = try WebSocketLink(url, kept, context, thread: thread)
    var reader = try makeReader()
    var passedOver = PassedOver(context)
    let earlier = tallies.messages.total
    // Raw messages have no symbols.
    var expectedSymbols = ExpectedSymbols(
      E.kind == nil ? [] : settings.symbols.map(\.description), after: context.recall(ExpectedSymbols.memory))
    defer {
      context.remember(expectedSymbols, ExpectedSymbols.memory)
      // Reported only at the end, because another instance may follow a failure. If the venue has sent nothing, the connection's states say
      // why.
      if Task.isCancelled, tallies.messages.total > 0 {
        context.note(expectedSymbols)
        passedOver.note(Self.tallies(of: reader))
        // A description that fits nothing must not pass for a quiet market.
        if E.kind != nil, earlier == 0, let misfit = Self.tallies(of: reader).first?.misfit {
          context.reject(firstUnknown, origin: "\(url)", reason: misfit)
        }
      }
    }
    if settings.gaps == .fill || !past.isEmpty {
      let plans = settings.gaps == .fill ? try FillPlan.all(of: settings.spec, limit: FillLimits.pageBytes) : []
      filling = Filling(plans, series: Self.series(of: reader), after: past, settings.connection, context)
    }
    // What is still missing at an end of any kind is a gap.
    defer {
      filling?.filler.tellAll()
      reportTold()
    }
    // Time also continues without a connection.
    output.beginIdle()
    defer { output.endIdle() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      if filling != nil { group.addTask { await self.fillGaps() } }
      defer { group.cancelAll() }
      try await receiveAll(over: link, &reader, &passedOver, &expectedSymbols, into: &output)
    }
  }

  private func receiveAll(
    over link: WebSocketLink, _ reader: inout MessageReader?, _ passedOver: inout PassedOver, _ expectedSymbols: inout ExpectedSymbols,
    into output: inout Outlet<E>
  ) async throws {
    try await link.run { connection in
      tallies.connections.add(1)
      self.connection = connection
      defer { self.connection = nil }
      if filling?.ready != nil { connection.wake() }
      isAuthenticated = false
      reader?.reconnected()
      let before = brought(by: reader)
      defer { if brought(by: reader) > before { connection.noteData() } }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await self.talk(over: connection) }
        defer { group.cancelAll() }
        while true {
          let messages = try await receive(over: connection)
          output.endIdle()
          for message in messages { take(message, &reader, &expectedSymbols, into: &output) }
          sendFetched(into: &output)
          passedOver.count(Self.tallies(of: reader))
          try await output.flush()
          output.beginIdle()
          if let rejection {
            throw EnvironmentFailure("\(url): the venue rejected the login: \(rejection)", isPermanent: true)
          }
        }
      }
    }
  }

  /// The counts of the messages by kind; none for raw messages.
  private static func tallies(of reader: borrowing MessageReader?) -> [MessageTally] {
    switch reader {
    case .some(let reader): [reader.tally]
    case .none: []
    }
  }

  /// The names of the series of numbers; none for raw messages.
  private static func series(of reader: borrowing MessageReader?) -> [String] {
    switch reader {
    case .some(let reader): reader.series
    case .none: []
    }
  }

  /// How many messages, or events of them, belong to the subscriptions. The reader counts them anyway, so messages cost no more.
  private func brought(by reader: borrowing MessageReader?) -> Int {
    switch reader {
    case .some(let reader): E.kind == nil ? reader.tally.data : reader.tally.events
    case .none: tallies.messages.total
    }
  }

  private func makeReader() throws -> MessageReader? {
    let spec = settings.spec
    if E.kind == nil, spec.messages == nil { return nil }
    return try MessageReader(
      spec, event: E.kind, symbols: settings.symbols, limit: settings.connection.frameLimit.bytes, intake: context.symbols,
      filled: Set(settings.gaps == .fill ? (spec.fill?.entries ?? []).map(\.name) : []).union(past.last.map(\.series)))
  }

  // MARK: Out

  /// Sends all messages of a new connection, and then keep-alive messages.
  private func talk(over connection: WebSocketConnection) async throws {
    do {
      try await say(conversation.authentication, over: connection)
      if conversation.waitsForAuthentication {
        let deadline = context.clock.uptime + settings.connection.handshakeDeadline
        await reply.wait(until: deadline, context.clock) { !isAuthenticated }
        try Task.checkCancellation()
        if !isAuthenticated { return connection.fail(.timedOut(.reply)) }
      }
      try await say(conversation.subscriptions, over: connection)
      guard let interval = conversation.keepaliveInterval else { return }
      var number = conversation.subscriptions.count
      while true {
        try await context.clock.sleep(for: interval)
        number += 1
        if let keepalive = conversation.keepalive(number) { try await connection.send(keepalive.text) }
      }
    } catch is WebSocketError {}  // the receiving loop gets the same error
  }

  private func say(_ messages: [OutgoingMessage], over connection: WebSocketConnection) async throws {
    for (place, message) in messages.enumerated() {
      if place > 0, conversation.pace > .zero { try await context.clock.sleep(for: conversation.pace) }
      context.logger.debug("\(url): sent \(message)")
      try await connection.send(message.text)
    }
  }

  // MARK: In

  /// The next messages. An error that ends the connection may be due to a message; it is reported like a malformed one.
  private func receive(over connection: WebSocketConnection) async throws -> [WebSocketMessage] {
    do { return try await connection.receive() } catch let error as WebSocketError {
      // Unless the connection has a limit of its own, that of the venue holds.
      if case .idle(let silence, _) = error, settings.connection.idleDeadline == nil {
        throw WebSocketError.idle(silence, option: "silence")
      }
      let beginning: String? =
        switch error {
        case .tooLarge(_, _, let beginning), .invalidText(let beginning): beginning
        case .protocolViolation: ""
        default: nil
        }
      if let beginning {
        tallies.malformed.add(1)
        context.reject(beginning, origin: "\(url)", reason: "\(error)")
      }
      throw error
    }
  }

  private func take(
    _ message: WebSocketMessage, _ reader: inout MessageReader?, _ expectedSymbols: inout ExpectedSymbols, into output: inout Outlet<E>
  ) {
    tallies.messages.add(1)
    if message.kind == .text {
      read(message, &reader, &expectedSymbols, into: &output)
    } else {
      unpack(message, &reader, &expectedSymbols, into: &output)
    }
  }

  /// Decodes a binary message: some venues send their JSON in binary messages, some compress it.
  private func unpack(
    _ message: WebSocketMessage, _ reader: inout MessageReader?, _ expectedSymbols: inout ExpectedSymbols, into output: inout Outlet<E>
  ) {
    switch message.decompressed(limit: settings.connection.frameLimit.bytes) {
    case .plain where message.isText: read(message, &reader, &expectedSymbols, into: &output)
    case .contents(let bytes): read(WebSocketMessage(binary: bytes), &reader, &expectedSymbols, into: &output)
    case .plain:
      tallies.unknown.add(1)
      if isFirst("binary") {
        let size = ByteSize(bytes: message.count)
        context.reject(
          message.hexadecimal, origin: "\(url)",
          reason: "a binary message of \(size) that is neither text nor gzip nor deflate; further ones are only counted")
      }
    case .unreadable(let reason):
      tallies.malformed.add(1)
      context.reject(message.hexadecimal, origin: "\(url)", reason: reason)
    }
  }

  private func read(
    _ message: WebSocketMessage, _ reader: inout MessageReader?, _ expectedSymbols: inout ExpectedSymbols, into output: inout Outlet<E>
  ) {
    let received = output.receipt(context.clock.now)
    let verdict = message.withBytes { bytes in
      E.read(bytes, &reader, by: context.id, at: received) { event, number in
        if !admits(event, number) { return }
        if !expectedSymbols.isComplete, let symbol = E.schema.symbol(of: event) { expectedSymbols.meet(symbol) }
        output.send(event)
      }
    }
    if let verdict { judge(verdict, message, &expectedSymbols) }
    reportGaps(reader?.gaps ?? [])
    if filling != nil {
      reportTold()
      if filling?.filler.takeOpened() == true { fillNews.ring() }
    }
    if let kept = reader?.takeKept() { context.report(kept, of: "\(url)") }
  }

  /// False if an event has come before, and must not be sent again. Its number knows better than its time.
  @inline(__always)
  private func admits(_ event: E, _ number: EventNumber) -> Bool {
    if number.series >= 0 { return admits(number) }
    return border.isOver || border.admits(event)
  }

  private func reportGaps(_ gaps: [SequenceGap]) {
    for gap in gaps { context.gap(in: gap.stream, expected: gap.expected, got: gap.got) }
  }

  private func judge(_ verdict: MessageOutcome, _ message: WebSocketMessage, _ expectedSymbols: inout ExpectedSymbols) {
    switch verdict {
    case .events, .other: break
    case .heartbeat: tallies.heartbeats.add(1)
    case .acknowledgement(let kind): context.logger.debug("\(url): \(kind): \(message.beginning(200))")
    case .authenticated:
      isAuthenticated = true
      reply.ring()
    case .refusal(_, let text):
      tallies.refusals.add(1)
      if conversation.waitsForAuthentication, !isAuthenticated { rejection = text }
      let said = text + " " + message.beginning()
      expectedSymbols.excuse { conversation.isNamed($0, in: said) }
      context.reject(message.beginning(), origin: "\(url)", reason: "the venue reports an error: \(text)")
    case .notJSON(let text):
      tallies.unknown.add(1)
      // One dead letter for each text: a venue may send it every few seconds.
      if isFirst(text) { context.reject(message.beginning(), origin: "\(url)", reason: MessageOutcome.words(ofNoJSON: text)) }
    case .unknown(let shape):
      tallies.unknown.add(1)
      if isFirst(shape) {
        if firstUnknown.isEmpty { firstUnknown = message.beginning() }
        context.logger.warning("\(url): unknown message \(shape): \(message.beginning(200))")
      }
    case .malformed(let reason):
      tallies.malformed.add(1)
      context.reject(message.beginning(), origin: "\(url)", reason: reason)
    case .several(let verdicts): for each in verdicts { judge(each, message, &expectedSymbols) }
    }
  }

  /// True for the first unknown message of a shape, or a text; never after many.
  private func isFirst(_ shape: String) -> Bool { known.count < Self.shown && known.insert(shape).inserted }

  /// How many shapes of unknown messages are reported.
  private static var shown: Int { 20 }
  private var known: Set<String> = []
  /// The beginning of the first unknown message.
  private var firstUnknown = ""
}
