package import StockbusPlugin

/// Gives events to a program.
package actor ProgramSink<Input: Event>: Sink, CommandRelay, BoundComponent, BackgroundComponent {
  private let executor = BlockingExecutor(label: "program")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let session: ProgramSession
  /// The conversation with a program of plain lines, instead of `session`.
  private let plain: PlainLines?

  package static var commands: [CommandInfo] { ProgramCommand.infos }
  package static var bond: String { ProgramCommand.bond }
  package nonisolated let relaysCommands: Bool

  package init(_ settings: ProgramSettings, _ context: Context) throws {
    relaysCommands = settings.hostsPlugin
    session = ProgramSession(settings, ProgramRole(kind: .sink, takes: Input.eventName, emits: nil, reads: context.columns.layout), context)
    plain = settings.protocol == .lines ? PlainLines(settings, .sink, context) : nil
  }

  package func start() async throws {
    if let plain { try await plain.open() } else { try await session.open() }
  }

  package func receive(_ events: Span<Input>) async throws {
    if let plain { return try await plain.give(events) }
    try await session.finish(events, Self.takeNone)
    session.keepState()
  }

  package func drain() async throws {
    if let plain { return try await plain.finish() }
    try await session.end(by: "drain", Self.takeNone)
    try await session.finish()
  }

  package func handOver() async throws {
    if let plain { return try await plain.finish() }
    try await session.end(by: "hand_over", Self.takeNone)
  }

  private static func takeNone(_: UnsafeBufferPointer<UInt8>) throws { throw ProgramError("sends 'events', which was not requested") }

  package func background() async {
    guard let plain else { return }
    // Unstructured, because it is isolated too; it is awaited below.
    let errors = Task { await self.plain?.logErrors() }
    await plain.logOutput()
    errors.cancel()
    await errors.value
  }

  package func stop() async {
    await plain?.close()
    await session.close()
  }

  package func perform(_ command: Command) throws(CommandError) -> String {
    if plain != nil { throw CommandError.ofPlainLines }
    return try ProgramCommand.perform(command, in: session)
  }
}
