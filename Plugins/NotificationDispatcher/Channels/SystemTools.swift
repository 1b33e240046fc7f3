internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusSystem
internal import StockbusTerminal

extension ChannelTools {
  /// The real tools, with the clock of the dispatcher's context.
  static func system(_ context: Context) -> ChannelTools {
    let terminal = context.terminal
    let environment = ProcessEnvironment.variables
    return ChannelTools(
      clock: context.clock,
      transport: { certificates, usesProxy in
        NetworkTransport(certificates: certificates, proxiesFrom: usesProxy ? environment : [:])
      },
      programs: SystemPrograms(), environment: environment,
      console: { line in try await terminal.print(StyledLine(line)) })
  }
}
