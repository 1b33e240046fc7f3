package import StockbusPlugin

/// Publishes the events that a program sends.
package actor ProgramSource<Output: Event>: Source, CommandRelay, BoundComponent, BackgroundComponent {
  private let executor = BlockingExecutor(label: "program")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let session: ProgramSession
  /// The conversation with a program of plain lines, instead of `session`.
  private let plain: PlainLines?

  package static var commands: [CommandInfo] { ProgramCommand.infos }
  package static var bond: String { ProgramCommand.bond }
  package nonisolated let relaysCommands: Bool

  package init(_ settings: ProgramSourceSettings, _ context: Context) throws {
    relaysCommands = settings.program.hostsPlugin
    let columns = settings.extraColumns.layout
    session = ProgramSession(
      settings.program, ProgramRole(kind: .source, takes: nil, emits: Output.eventName, columns: columns), context)
    plain = settings.program.protocol == .lines ? PlainLines(settings.program, .source, context, columns: columns) : nil
  }

  package static func textFaults(in settings: ProgramSourceSettings, reading _: ColumnLayout) -> [TextFault] {
    settings.program.hostsPlugin ? [] : settings.extraColumns.faults(beside: Output.self)
  }

  package static func columns(_ settings: ProgramSourceSettings, reading _: ColumnLayout) -> ColumnLayout { settings.extraColumns.layout }

  package func start() async throws {
    if let plain { try await plain.open() } else { try await session.open() }
  }

  package func run(into output: inout Outlet<Output>) async throws {
    if let plain { return try await plain.publish(into: &output) }
    do {
      var isAskedToStop = false
      events: while true {
        if Task.isCancelled, !isAskedToStop {
          isAskedToStop = true
          session.ask(["stop": true])
        }
        while let message = try session.next() {
          switch message {
          case .events(let line):
            try session.take(line, into: &output)
            if !session.commits { try await publish(&output) }
          case .committed:
            session.keepState()
            try await publish(&output)
          case .ended:
            // The next process would send these events again.
            if session.commits { output.rollback() }
            session.noteUncommitted()
            try await publish(&output)
            break events
          default: throw message.unasked
          }
        }
        try session.exchange(waiting: isAskedToStop, mayIdle: !isAskedToStop)
        if isAskedToStop || session.hasReadBytes { continue }
        // Waiting for the outside publishes the sent events, which a source that commits must not do before it commits.
        if session.hasUncommitted { await session.untilReadable() } else { try await output.whileIdle { await session.untilReadable() } }
      }
    } catch {
      // Events without a commit will be sent again.
      if session.commits { output.rollback() }
      let failure = await session.failure(error)
      if session.remembers, !(failure is CancellationError) { throw ProgramMisfit.forgetful(failure) }
      throw failure
    }
    if Task.isCancelled { return }
    do throws(ProgramError) { try await session.finish() } catch { throw ProgramMisfit(description: "\(error)") }
  }

  private func publish(_ output: inout Outlet<Output>) async throws {
    try await output.flush()
    session.publishedOutput()
  }

  package func background() async { await plain?.logErrors() }

  package func stop() async {
    await plain?.close()
    await session.close()
  }

  package func perform(_ command: Command) throws(CommandError) -> String {
    if plain != nil { throw CommandError.ofPlainLines }
    return try ProgramCommand.perform(command, in: session)
  }
}
