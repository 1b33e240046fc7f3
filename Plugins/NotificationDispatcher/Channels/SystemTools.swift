internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusTerminal

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension ChannelTools {
  /// The world.
  static func system(clock: any Timekeeper) -> ChannelTools {
    let environment = ProcessInfo.processInfo.environment
    return ChannelTools(
      clock: clock,
      transport: { certificates, usesProxy in
        NetworkTransport(certificates: certificates, proxiesFrom: usesProxy ? environment : [:])
      },
      programs: SystemPrograms(), environment: environment,
      console: { line in try await Terminal.shared.print(StyledLine(line)) })
  }
}
