internal import StockbusDecoding
internal import StockbusNetwork
public import StockbusPlugin
internal import StockbusSystem

extension Plugin {
  /// Fetches a JSON document again and again.
  public static let httpPoll = Plugin(
    "http_poll", "Fetches a JSON document at an interval, and publishes its trades, quotes or bars if it has changed.",
    option: "event",
    variants: [
      "trade": .source(HTTPPoll<Trade>.self), "quote": .source(HTTPPoll<Quote>.self), "bar": .source(HTTPPoll<Bar>.self),
    ]
  ).example(
    """
    url: https://example.org/prices.json
    decoding:
      time: iso8601
      messages:
        prices:
          when: { prices: "[]" }
          each: [prices]
          event: trade
          fields: { symbol: name, price: last, time: at }
    """)
}

/// Fetches a document, decodes it and publishes its events; publishes the document's state on `connections`.
///
/// It never fails because of the server: one that cannot be reached, refuses, redirects in circles or sends malformed data is queried again
/// later. A document that has not changed, by its `ETag`, its `Last-Modified` or its bytes, is not published again.
actor HTTPPoll<E: DecodedEvent>: LiveSource, DecodingComponent {
  private let settings: HTTPPollSettings
  private let context: Context
  private let transport: any HTTPTransport
  private let address: WebAddress
  private var decoder: MessageDecoder<E>
  private var passedOver: PassedOver
  private var document: Document
  private var schedule: PollSchedule
  private var state: ConnectionStatus.State?
  private var expectedSymbols: ExpectedSymbols
  private var border: PastBorder
  private let fetches: Counter
  private let unchanged: Counter
  private let failures: Counter
  private let malformed: Counter

  static func faults(in settings: HTTPPollSettings) -> [(option: String, message: String)] {
    settings.spec.decodingFaults(event: E.decodedKind).map { ("decoding.\($0.option)", $0.message) }
  }

  init(_ settings: HTTPPollSettings, _ context: Context) throws {
    self.settings = settings
    self.context = context
    address = try WebAddress(settings.url.revealed)
    transport = NetworkTransport(
      certificates: settings.certificates, proxiesFrom: settings.proxy ? ProcessEnvironment.variables : [:])
    decoder = try MessageDecoder<E>(settings.spec, symbols: settings.symbols, limit: settings.limit.bytes, intake: context.symbols)
    passedOver = PassedOver(context)
    document = context.recall(Self.seen) ?? Document()
    schedule = PollSchedule(
      interval: settings.interval,
      pauses: RetryPauses(first: settings.backoff, most: settings.backoffLimit, random: context.random()))
    expectedSymbols = ExpectedSymbols(settings.symbols.map(\.description), after: context.recall(ExpectedSymbols.memory))
    border = PastBorder(context)
    fetches = context.counter("fetches", "Requests for the document.")
    unchanged = context.counter("unchanged", "Fetches of an unchanged document.")
    failures = context.counter("failures", "Fetches that failed.")
    malformed = context.counter("malformed", "Malformed documents.")
  }

  func run(into output: inout Outlet<E>) async throws {
    schedule.begin(at: context.clock.uptime)
    // Reports missing symbols at any end, unless no event arrived at all, because then the connection's states say more.
    defer {
      if expectedSymbols.hasMet { context.note(expectedSymbols) }
      passedOver.note([decoder.tally])
    }
    var count = 0
    while true {
      let outcome = try await fetch(&output)
      try await output.flush()
      count += 1
      if let most = settings.fetches, count >= most { return }
      let next = schedule.next(after: outcome, at: context.clock.uptime)
      try await output.whileIdle { try await context.clock.sleep(until: next) }
    }
  }

  /// The last document, so that it is not published again.
  private static var seen: MemoryKey<Document> { MemoryKey("document", whenOptionsChange: .drop) }

  func keepMemory() {
    context.remember(document, Self.seen)
    context.remember(expectedSymbols, ExpectedSymbols.memory)
  }

  func stop() { keepMemory() }

  private func fetch(_ output: inout Outlet<E>) async throws -> PollSchedule.Outcome {
    // While a document is fetched again, its state does not change.
    if state != .loaded, state != .empty { post(.loading, "fetching from \(address)") }
    fetches.add(1)
    do throws(HTTPError) {
      let limits = HTTPLimits(
        connect: settings.timeout, whole: settings.timeout, redirects: settings.redirects, body: settings.limit.bytes)
      let response = try await transport.send(
        request(), limits: limits, secrets: settings.headers.entries.map(\.name), clock: context.clock)
      return take(response, &output)
    } catch {
      if error.code == .cancelled || Task.isCancelled { throw CancellationError() }
      if error.code == .tooLarge {
        malformed.add(1)
        context.reject(String(decoding: error.beginning, as: UTF8.self), origin: address.origin, reason: error.description)
      }
      return fail(error.description)
    }
  }

  private func request() throws(HTTPError) -> HTTPRequest {
    var request = HTTPRequest(.get, address)
    try request.fields.set("Accept", "application/json")
    try request.fields.set("User-Agent", "stockbus")
    for (name, value) in settings.headers.entries { try request.fields.set(name, value.revealed) }
    if let tag = document.tag { try request.fields.set("If-None-Match", tag) }
    if let time = document.modified { try request.fields.set("If-Modified-Since", time) }
    return request
  }

  private func take(_ response: HTTPResponse, _ output: inout Outlet<E>) -> PollSchedule.Outcome {
    switch response.status {
    case 304: return keep()
    case 200...299: return take(document: response, &output)
    default:
      let asked = response.retryAfter(now: context.clock.wall)
      return fail("\(address) answers with status \(response.status)\(asked.map { "; \($0)" } ?? "")", asked)
    }
  }

  private func take(document response: HTTPResponse, _ output: inout Outlet<E>) -> PollSchedule.Outcome {
    var response = response
    var damage: String?
    // Servers and files may compress a document without being asked to.
    switch response.body.withUnsafeBufferPointer({ CompressedContents(of: $0, limit: settings.limit.bytes) }) {
    case .plain: break
    case .contents(let contents): response.body = contents
    case .unreadable(let reason): damage = reason
    }
    if document.body == response.body {
      document.remember(response, events: document.events)
      return keep()
    }
    let result = damage.map { Reading(fault: $0) } ?? read(response.body, &output)
    if let refusal = result.refusal {
      document.forget()
      return fail("\(address) refuses: \(visible(refusal, limit: 200))")
    }
    if let fault = result.fault {
      malformed.add(1)
      context.reject(String(decoding: response.body.prefix(2048), as: UTF8.self), origin: address.origin, reason: fault)
      if result.events == 0 {
        // The document is forgotten, so that the next one is decoded even if it is the same.
        document.forget()
        post(.malformed, fault)
        return .done
      }
    }
    // The events of a document with faults are published once.
    document.remember(response, events: result.events)
    postDocument()
    return .done
  }

  /// Records that the document was published already.
  private func keep() -> PollSchedule.Outcome {
    unchanged.add(1)
    postDocument()
    return .done
  }

  private func postDocument() {
    if document.events == 0 { post(.empty, "nothing in it") } else { post(.loaded, "events: \(document.events)") }
  }

  private struct Reading {
    var events = 0
    var fault: String?
    var refusal: String?

    mutating func add(_ verdict: MessageOutcome) {
      switch verdict {
      case .events(let count): events += count
      case .refusal(_, let text): refusal = refusal ?? text
      case .notJSON(let text): fault = fault ?? "'\(text)' is not JSON"
      case .unknown(let shape): fault = fault ?? "unknown kind of document: \(shape)"
      case .malformed(let reason): fault = fault ?? reason
      case .several(let verdicts): for verdict in verdicts { add(verdict) }
      case .acknowledgement, .authenticated, .heartbeat, .other: break
      }
    }
  }

  private func read(_ body: [UInt8], _ output: inout Outlet<E>) -> Reading {
    if body.allSatisfy({ $0 == 32 || (9...13).contains($0) }) { return Reading() }
    let now = output.receipt(context.clock.now)
    var reading = Reading()
    var came: [Symbol] = []
    let isWatched = !expectedSymbols.isComplete
    let verdict = body.withUnsafeBufferPointer { bytes in
      decoder.decode(bytes, received: now) { event in
        if !border.isOver, !border.admits(event) { return }
        if isWatched, let symbol = E.schema.symbol(of: event) { came.append(symbol) }
        output.send(event)
      }
    }
    for symbol in came { expectedSymbols.meet(symbol) }
    reading.add(verdict)
    passedOver.count([decoder.tally])
    for gap in decoder.gaps { context.gap(in: gap.stream, expected: gap.expected, got: gap.got) }
    if let kept = decoder.takeKept() { context.report(kept, of: "\(settings.url)") }
    return reading
  }

  private func fail(_ reason: String, _ asked: RetryAfter? = nil) -> PollSchedule.Outcome {
    failures.add(1)
    post(.failed, reason)
    return .failed(asked)
  }

  /// Publishes a change of state once.
  private func post(_ new: ConnectionStatus.State, _ reason: String) {
    if new == state { return }
    state = new
    context.connection(new, reason)
    switch new {
    case .failed, .malformed: context.report(trouble: reason)
    case .loaded, .empty: context.report(trouble: nil)
    case .loading, .disconnected, .connecting, .connected: break
    }
  }
}
