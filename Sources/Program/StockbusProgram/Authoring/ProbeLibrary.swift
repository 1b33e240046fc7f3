internal import ArgumentParser
internal import StockbusLoading

/// Loads one library and ends, for another process of this program.
struct ProbeLibrary: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: LibraryProbe.command, abstract: "Loads a library for another process of this program.", shouldDisplay: false)
  }

  @Argument var path: String

  func run() { LibraryProbe.load(path) }
}
