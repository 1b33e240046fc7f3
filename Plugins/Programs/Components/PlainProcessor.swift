package import StockbusPlugin

/// Sends events to a program of plain lines and publishes its output lines, in two loops, as nothing shows which lines belong together.
package actor PlainProcessor<Input: Event, Output: Event>: Source, Sink, BackgroundComponent, BoundComponent {
  package static var bond: String { ProgramCommand.bond }
  private let lines: PlainLines

  package init(_ settings: ProgramProcessorSettings, _ context: Context) throws {
    lines = PlainLines(
      settings.program, .processor, context, columns: Self.columns(settings, reading: context.columns.layout))
  }

  package static func textFaults(in settings: ProgramProcessorSettings, reading columns: ColumnLayout) -> [TextFault] {
    settings.columnFaults(Input.self, Output.self, reading: columns)
  }

  package static func columns(_ settings: ProgramProcessorSettings, reading columns: ColumnLayout) -> ColumnLayout {
    settings.columns(Input.self, Output.self, reading: columns)
  }

  package func start() async throws { try await lines.open() }

  package func receive(_ events: Span<Input>) async throws { try await lines.give(events) }

  /// Returns only when all output has arrived, so that `run` is never cancelled with lines in flight.
  package func drain() async throws { try await lines.finish() }

  package func run(into output: inout Outlet<Output>) async throws { try await lines.publish(into: &output) }

  package func background() async { await lines.logErrors() }

  package func stop() async { await lines.close() }
}
