package import StockbusPlugin

/// Gives events to a program of plain lines and publishes the lines that come back, in two loops, as nothing says which belong together.
package actor PlainProcessor<Input: Event, Output: Event>: Source, Sink, BackgroundComponent, BoundComponent {
  package static var bond: String { ProgramCommand.bond }
  private let lines: PlainLines

  package init(_ settings: ProgramProcessorSettings, _ context: Context) throws {
    lines = PlainLines(settings.program, .processor, context)
  }

  package func start() async throws { try await lines.open(ProgramCommand.environment) }

  package func receive(_ events: Span<Input>) async throws { try await lines.give(events) }

  /// Returns only when everything has come back, so that `run` is never cancelled with lines on the way.
  package func drain() async throws { try await lines.finish() }

  package func run(into output: inout Outlet<Output>) async throws { try await lines.publish(into: &output) }

  package func background() async { await lines.logErrors() }

  package func stop() async { await lines.close() }
}
