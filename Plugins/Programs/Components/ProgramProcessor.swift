package import StockbusPlugin

/// Gives events to a program and publishes what it sends back, once it has finished the batch.
package actor ProgramProcessor<Input: Event, Output: Event>: AsyncProcessor, CommandableComponent {
  private let executor = BlockingExecutor(label: "program")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let session: ProgramSession

  package static var commands: [CommandInfo] { ProgramCommand.infos }

  package init(_ settings: ProgramProcessorSettings, _ context: Context) throws {
    session = ProgramSession(
      settings.program, ProgramRole(kind: .processor, takes: Input.eventName, emits: Output.eventName), context)
  }

  package func start() async throws { try await session.open(ProgramCommand.environment) }

  package func process(_ events: Span<Input>, into output: inout Outlet<Output>) async throws {
    do {
      session.beginBatch()
      var next = 0
      while next < events.count || !session.isSettled {
        while next < events.count, session.hasRoom { session.give(events, from: &next) }
        try session.exchange()
        while let message = try session.next() { try take(message, into: &output) }
      }
    } catch { throw await session.failure(error) }
    output.filter(session.takeFiltered())
    session.keepState()
  }

  private func take(_ message: ProgramMessage, into output: inout Outlet<Output>) throws {
    switch message {
    case .events(let line): try session.take(line, into: &output)
    case .done: break
    default: throw ProgramError("says '\(message.name)' where nobody asked for it")
    }
  }

  package func drain(into output: inout Outlet<Output>) async throws { try await finish("drain", &output) }

  package func handOver(into output: inout Outlet<Output>) async throws { try await finish("hand_over", &output) }

  private func finish(_ word: String, _ output: inout Outlet<Output>) async throws {
    do {
      session.beginBatch()
      session.ask(.object([.init(word, true)]))
      while true {
        guard let message = try session.next() else {
          try session.exchange()
          continue
        }
        if case .drained = message { break }
        try take(message, into: &output)
      }
    } catch { throw await session.failure(error) }
    session.keepState()
  }

  package func stop() async { await session.close() }

  package func perform(_ command: Command) throws(CommandError) -> String { try ProgramCommand.perform(command, in: session) }
}
