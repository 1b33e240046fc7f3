package import StockbusPlugin

/// Sends events to a program and publishes its output, once it has finished the batch.
package actor ProgramProcessor<Input: Event, Output: Event>: AsyncProcessor, CommandRelay, BoundComponent {
  private let executor = BlockingExecutor(label: "program")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let session: ProgramSession

  package static var commands: [CommandInfo] { ProgramCommand.infos }
  package static var bond: String { ProgramCommand.bond }
  package nonisolated let relaysCommands: Bool

  package init(_ settings: ProgramProcessorSettings, _ context: Context) throws {
    relaysCommands = settings.program.hostsPlugin
    let reads = context.columns.layout
    let role = ProgramRole(
      kind: .processor, takes: Input.eventName, emits: Output.eventName, reads: reads, columns: Self.columns(settings, reading: reads))
    session = ProgramSession(settings.program, role, context)
  }

  package static func textFaults(in settings: ProgramProcessorSettings, reading columns: ColumnLayout) -> [TextFault] {
    settings.columnFaults(Input.self, Output.self, reading: columns)
  }

  package static func columns(_ settings: ProgramProcessorSettings, reading columns: ColumnLayout) -> ColumnLayout {
    settings.columns(Input.self, Output.self, reading: columns)
  }

  package func start() async throws { try await session.open() }

  package func process(_ events: Span<Input>, into output: inout Outlet<Output>) async throws {
    try await session.finish(events) { try session.take($0, into: &output) }
    output.filter(session.takeFiltered())
    session.keepState()
  }

  package func drain(into output: inout Outlet<Output>) async throws {
    try await session.end(by: "drain") { try session.take($0, into: &output) }
    // The events are published even if the program does not end.
    try await output.flush()
    try await session.finish()
  }

  package func handOver(into output: inout Outlet<Output>) async throws {
    try await session.end(by: "hand_over") { try session.take($0, into: &output) }
  }

  package func stop() async { await session.close() }

  package func perform(_ command: Command) throws(CommandError) -> String { try ProgramCommand.perform(command, in: session) }
}
