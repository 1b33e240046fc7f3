internal import LibC
internal import StockbusPacking
internal import StockbusPlugin
internal import StockbusProcesses
internal import StockbusSystem

/// The conversation with one process, from its start to its end. One actor uses it, on a thread that may block.
///
/// It waits in `poll` for at most a slice of time, and then reads the context's clock, so that tests advance the time by hand and a
/// cancelled task does not wait for the program.
final class ProgramSession {
  /// The most bytes of events that a program may send for one batch, or up to a commit.
  static let outputLimit = 64 << 20
  /// Events of one line to the program, fewer if the names of many columns would make it too long.
  private let eventsOfMessage: Int
  private static func eventsOfMessage(_ columns: ColumnLayout) -> Int {
    max(1, min(64, (256 << 10) / columns.columns.reduce(1) { $0 + $1.name.utf8.count + 32 }))
  }
  /// Unanswered events before further ones are sent.
  static let eventsInHand = 1024
  /// Bytes of unanswered messages before further ones are made.
  static let windowLimit = 64 << 10
  private static let slice: Int32 = 50

  private let role: ProgramRole
  private let context: Context
  private let life: ProgramLife
  private var readiness: PipeReadiness?
  private var input = ProgramInput()
  /// Set once both sides have sent `hello`, if the program wants frames instead of lines.
  private var frames: FramedEvents?
  /// True if packed events to the program have their columns behind them.
  private var framesHaveRows = false
  private var symbols: SymbolTally
  private var out = ByteWriter(capacity: 64 << 10)
  /// The written bytes of `out`.
  private var written = 0
  /// When the program last sent something, or got a request.
  private var heard = Duration.zero
  private var progress: ProgramProgress
  private var outputBytes = 0
  private var uncommitted = 0
  /// The names of the program's counters.
  private var counters: Set<String> = []
  /// True once the program has reported that it keeps state which the next process will not have.
  private(set) var remembers = false
  /// True if the program hosts a plugin, whose commands are its own.
  let hostsPlugin: Bool

  init(_ settings: ProgramSettings, _ role: ProgramRole, _ context: Context) {
    self.role = role
    self.context = context
    life = ProgramLife(settings, context)
    symbols = SymbolTally(limit: context.symbols.limit)
    hostsPlugin = settings.hostsPlugin
    eventsOfMessage = Self.eventsOfMessage(role.reads)
    progress = ProgramProgress(state: context.recall(Self.stateKey)?.value)
  }

  /// The program's state, which is kept for the next process even if the options change.
  private static var stateKey: MemoryKey<ProgramState> { MemoryKey("state", whenOptionsChange: .keep) }

  // MARK: The life of the program

  /// Starts the program, and returns once it is ready.
  func open(_ environment: [String: String] = ProcessEnvironment.variables) async throws {
    readiness = PipeReadiness(try await life.start(environment).output)
    do {
      ask(role.hello(context.id))
      guard case .hello(let greeting) = try answer() else { throw ProgramError("does not begin with hello") }
      if let misfit = role.misfit(greeting) { throw ProgramMisfit(description: "the program \(misfit)") }
      commits = greeting["commits"] == .bool(true)
      switch greeting["framing"]?.text {
      case "binary": frames = FramedEvents()
      case ProgramRole.framingWithColumns?: (frames, framesHaveRows) = (FramedEvents(columns: role.columns), !role.reads.isEmpty)
      default: frames = nil
      }
      input.isFramed = frames != nil
      var start: [JSONValue.Member] = [
        .init("start", .object(life.settings.options.entries.map { .init($0.name, $0.value.json) })),
        .init("seed", .number(Int64(bitPattern: context.seed) & Int64.max)),
      ]
      if let state = progress.state { start.append(.init("state", state)) }
      ask(.object(start))
      guard case .ready = try answer() else { throw ProgramError("does not send ready") }
    } catch { throw await failure(error) }
  }

  /// True for a source that reports the state after its events.
  private(set) var commits = false

  /// Ends a program that has done its work: by the end of its input, and by force if it takes too long, which is an error.
  func finish() async throws(ProgramError) {
    await endWaiting()
    if let late = await life.close() { throw late }
  }

  /// Ends a program that has not failed; an error on the way is only logged.
  func close() async {
    do throws(ProgramError) { try await finish() } catch { context.logger.warning("\(error)") }
  }

  /// Kills the program and returns the failure: `error`, and the program's last line if it has ended by itself.
  func failure(_ error: any Error) async -> any Error {
    // A source is not restarted in this case, and its error reports the loss.
    if remembers, role.kind != .source {
      context.logger.warning("the state of the process is lost; the next process starts without it")
    }
    await endWaiting()
    return await life.failure(error)
  }

  private func endWaiting() async {
    let ending = readiness
    readiness = nil
    await ending?.end()
  }

  // MARK: To the program

  /// Sends a message to which there will be an answer.
  func ask(_ message: JSONValue) {
    forgetWritten()
    heard = context.clock.uptime
    if frames != nil {
      let frame = Frame.begin(.message, in: &out)
      out.append("\(message)")
      Frame.end(frame, in: &out)
    } else {
      out.append("\(message)\n")
    }
  }

  /// Begins a batch: the program's time limit for finishing events starts now.
  func beginBatch() {
    heard = context.clock.uptime
    outputBytes = 0
  }

  /// True if the program may be sent more events before it has answered.
  var hasRoom: Bool { out.count - written < Self.windowLimit && progress.sent - progress.finished < Self.eventsInHand }

  /// Sends the program the next events of a batch, as many as one message holds.
  func give<E: Event>(_ events: Span<E>, from next: inout Int) {
    forgetWritten()
    if frames != nil {
      return frames?.give(events, framesHaveRows ? context.columns : nil, from: &next, sent: &progress.sent, to: &out) ?? ()
    }
    let end = min(events.count, next + eventsOfMessage)
    progress.sent += end - next
    if role.reads.isEmpty {
      Self.write(next..<end, progress.sent, to: &out) { i, out in E.schema.encodeJSON(events[i], to: &out) }
    } else {
      let encoder = EventEncoder<E>(columns: role.reads)
      var row: [Int64] = []
      Self.write(next..<end, progress.sent, to: &out) { i, out in
        context.columns.copyRow(i, to: &row)
        encoder.encodeJSON(events[i], row: row, to: &out)
      }
    }
    next = end
  }

  /// Separate, so that the buffer is accessed once for all events.
  @inline(__always)
  private static func write(_ range: Range<Int>, _ last: Int, to out: inout ByteWriter, event: (Int, inout ByteWriter) -> Void) {
    out.append(#"{"events":["#)
    for i in range {
      if i > range.lowerBound { out.append(",") }
      event(i, &out)
    }
    out.append(#"],"last":\#(last)}"# + "\n")
  }

  private func forgetWritten() {
    if written == out.count {
      out.clear()
      written = 0
    }
  }

  // MARK: Batches

  /// Sends the program a batch, and returns once it has finished all of it. `take` gets the events that it sends.
  func finish<E: Event>(_ events: Span<E>, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void) async throws {
    do {
      beginBatch()
      var next = 0
      while next < events.count || !isSettled {
        while next < events.count, hasRoom { give(events, from: &next) }
        try exchange()
        while let message = try self.next() {
          switch message {
          case .events(let line): try take(line)
          case .done: break
          default: throw message.unasked
          }
        }
      }
    } catch { throw await failure(error) }
  }

  /// Sends that all inputs have ended (`drain`), or that another program continues (`hand_over`); returns once the program has drained.
  func end(by word: String, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void) async throws {
    do {
      beginBatch()
      ask(.object([.init(word, true)]))
      loop: while true {
        switch try next() {
        case nil: try exchange()
        case .drained: break loop
        case .events(let line): try take(line)
        case .some(.done): break
        case .some(let message): throw message.unasked
        }
      }
    } catch { throw await failure(error) }
    keepState()
  }

  // MARK: From the program

  /// True once the program has finished all events sent to it.
  var isSettled: Bool { progress.isSettled }

  /// How many of the finished events the program has left out, since the last call.
  func takeFiltered() -> Int { progress.takeFiltered() }

  /// Keeps the program's state after the finished or committed events.
  func keepState() { if let state = progress.state { context.remember(ProgramState(value: state), Self.stateKey) } }

  /// True if the last exchange has received bytes; then further messages may be available at once.
  private(set) var hasReadBytes = false

  /// Waits, without blocking the thread, until the program sends something or the task is cancelled.
  nonisolated(nonsending) func untilReadable() async { if !hasUnread { await readiness?.wait() } }

  /// True if a command has read messages that arrived before its reply, and `next` has not returned them.
  private var hasUnread = false

  /// The answer to the last request; events are an error.
  func answer() throws -> ProgramMessage {
    while true {
      if let message = try next() {
        if case .events = message { throw ProgramError("sends events where none are expected") }
        if case .done = message { throw ProgramError("sends 'done' although no events wait") }
        return message
      }
      try exchange()
    }
  }

  /// Sends the events of a message.
  func take<E: Event>(_ line: UnsafeBufferPointer<UInt8>, into output: inout Outlet<E>) throws {
    outputBytes += line.count
    if outputBytes > Self.outputLimit { throw ProgramError("sends more than 64 MiB of events at once") }
    if frames != nil {
      uncommitted += try frames?.take(line, into: &output, context.symbols) ?? 0
      return
    }
    do { uncommitted += try EventLine.read(line, into: &output, &symbols, columns: role.columns) } catch {
      let reason = E.schema.explanation(of: error, beside: role.columns)
      throw ProgramError("sends a bad \(E.eventName): \(reason), in \(shown(String(decoding: line, as: UTF8.self), limit: 200))")
    }
  }

  /// True while a source that commits has sent events that it has not committed.
  var hasUncommitted: Bool { commits && outputBytes > 0 }

  /// Everything so far is published: the limit of output begins again.
  func publishedOutput() { (outputBytes, uncommitted) = (0, 0) }

  /// Says how many events a source has not committed by its end.
  func noteUncommitted() {
    if commits, uncommitted > 0 {
      context.logger.notice("the program has ended without committing its last \(uncommitted) events; they are dropped")
    }
  }

  /// Writes pending bytes to the program, and reads what it has written. If neither is possible at once, waits for that for at most `slice`.
  ///
  /// - Parameters:
  ///   - waiting: false to return at once instead.
  ///   - mayIdle: true if the program owes no answer. Otherwise its silence for `timeout` is an error.
  func exchange(waiting: Bool = true, mayIdle: Bool = false) throws {
    guard let child = life.child else { throw ProgramGone() }
    if Task.isCancelled, role.kind != .source || isCutOff { throw CancellationError() }
    var entries = [
      pollfd(fd: child.output.rawValue, events: Int16(POLLIN), revents: 0),
      pollfd(fd: life.haveErrorsEnded ? -1 : child.errors.rawValue, events: Int16(POLLIN), revents: 0),
      pollfd(fd: written < out.count ? child.input.rawValue : -1, events: Int16(POLLOUT), revents: 0),
    ]
    hasReadBytes = false
    try retrying { poll(&entries, nfds_t(entries.count), waiting ? Self.slice : 0) }
    if entries[1].revents != 0 { life.readErrors(of: child) }
    if entries[2].revents != 0 {
      // A program that reads no more has ended, or its next answer will report why.
      if entries[2].revents & Int16(POLLERR) != 0 { written = out.count } else { try write(to: child) }
    }
    if entries[0].revents != 0 {
      switch input.read(child.output) {
      case .something:
        heard = context.clock.uptime
        hasReadBytes = true
      case .nothing: break
      case .end: throw ProgramGone()
      }
    }
    // Lines of standard error are no sign of life.
    if !mayIdle, context.clock.uptime - heard >= life.settings.timeout {
      throw ProgramError("has not answered for \(life.settings.timeout.optionText)")
    }
  }

  private func write(to child: ChildProgram) throws {
    do throws(Errno) {
      let first = written
      written += try out.withBytes { bytes throws(Errno) in
        try child.input.writeOnceQuietly(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[first...])))
      }
      heard = context.clock.uptime
    } catch {
      switch error {
      case .resourceTemporarilyUnavailable, .interrupted: break
      case .brokenPipe: written = out.count
      default: throw ProgramError("cannot be written to: \(error)")
      }
    }
  }

  /// Sends a command and returns the reply. Other messages that the program sends meanwhile wait for `next`.
  func command(_ line: String) throws(CommandError) -> String {
    do {
      ask(["command": .string(line)])
      var passed = 0
      defer {
        hasUnread = true
        readiness?.wake()
      }
      while true {
        switch try input.takeReply(past: &passed) {
        case .reply(let words)?: return words
        case .refused(let words)?: throw CommandError(words)
        case .some: throw CommandError("the program sends a bad reply")
        case nil: break
        }
        if input.count > Self.outputLimit || input.count - passed > ProgramInput.messageLimit {
          throw CommandError("the program sends too much before it replies")
        }
        try exchange()
      }
    } catch let error as CommandError {
      throw error
    } catch {
      // The present work finds the same, and ends the program.
      throw CommandError(error is ProgramGone ? "the program has ended" : "\(error)")
    }
  }

  /// The next message about the present work; nil if there is none yet.
  func next() throws -> ProgramMessage? {
    while let message = try input.next() {
      switch message {
      case .remark(let remark): try note(remark)
      case .failed(let reason): throw ProgramError("has failed: \(reason)")
      case .done(let message): try progress.finish(message)
      case .committed(let message): try progress.takeState(message)
      case .drained(let message):
        life.hasSaidGoodbye = true
        try progress.takeState(message)
      case .ended: life.hasSaidGoodbye = true
      case .hello, .ready, .events, .reply, .refused: break
      }
      if case .remark = message { continue }
      return message
    }
    hasUnread = false
    return nil
  }

  private func note(_ remark: ProgramRemark) throws(ProgramError) {
    switch remark {
    case .log(let text, let level): life.log(text, level)
    case .trouble(let reason): context.report(trouble: reason)
    case .reject(let text, let origin, let reason): context.reject(text, origin: origin, reason: reason)
    case .lost(let count, let reason):
      // A source gets no events: the lost ones are from outside.
      if role.kind != .source { try progress.lose(count) }
      context.lose(count, reason)
    case .note(let text): context.note(text)
    case .counter(let name, let doc, let count):
      if counters.count >= ProgramRemark.counterLimit, !counters.contains(name) { throw ProgramError("has more than 64 counters") }
      counters.insert(name)
      context.counter(name, doc).add(count)
    case .connection(let state, let reason): context.connection(state, reason)
    case .gap(let stream, let expected, let got): context.gap(in: stream, expected: expected, got: got)
    case .remembers: remembers = true
    }
  }

  /// True if the run waits for no component any more. A source is cancelled to end it, and its program may then take a while.
  private var isCutOff: Bool { context.run.cutOff.map { context.clock.uptime >= $0 } ?? false }
}
