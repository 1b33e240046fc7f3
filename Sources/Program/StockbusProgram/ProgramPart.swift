package import ArgumentParser
package import StockbusConfig
package import StockbusFiles
package import StockbusPlugin
package import StockbusRuntime

/// The groups of commands in the help, in their order.
package enum CommandTopic: String, CaseIterable {
  case run, look
  case ask = "ask a run"
  case data, people, authors
}

/// What a program may have besides its core: commands, a companion of its runs, and a reader of past prices.
package struct ProgramPart: Sendable {
  package var commands: [any ParsableCommand.Type]
  /// The group of its commands in the help.
  package var topic: CommandTopic
  package var companion: (any RunCompanion.Type)?
  package var past: PastReader?
  /// Looks at a file of rows, for `init csv`.
  package var look: (@Sendable (_ path: String) -> FileGuess)?

  package init(
    _ topic: CommandTopic, commands: [any ParsableCommand.Type] = [], companion: (any RunCompanion.Type)? = nil, past: PastReader? = nil,
    look: (@Sendable (_ path: String) -> FileGuess)? = nil
  ) {
    self.look = look
    self.topic = topic
    self.commands = commands
    self.companion = companion
    self.past = past
  }
}

/// Accompanies a run, such as a desk that answers clients. Its options are options of all commands that run a configuration.
package protocol RunCompanion: ParsableArguments {
  /// A sentence for the help of `run` with a blank at its end; or an empty text.
  static var help: String { get }

  /// Called before the run starts; throws an `ExitCode` if the run must not start, once the reason is printed. Nil if nobody needs to know
  /// of the end.
  func begin(_ run: RunInHand) async throws -> (any RunAttendant)?
}

/// A run that is about to start.
package struct RunInHand: Sendable {
  package let pipeline: Pipeline
  package let reload: ConfigReload
  /// The first file or folder of its configuration; without one, the command.
  package let configuration: String
}

/// Notified when a run has ended.
package protocol RunAttendant: Sendable {
  /// Returns once all waiting clients have been notified.
  /// - Parameter text: the ledger and the errors, for people.
  func runHasEnded(status: Int, text: String) async
}

/// For a program whose runs have no companion.
struct NoCompanion: RunCompanion {
  static var help: String { "" }

  func begin(_: RunInHand) -> (any RunAttendant)? { nil }
}

/// How the file under a configuration's `history` is read.
package struct PastReader: Sendable {
  /// Why the file at a path cannot be read, as the end of a sentence that names it; nil if it can.
  package let fault: @Sendable (_ path: String) -> String?
  /// The known past prices, of at most `symbols` symbols. Throws the end of a sentence that names the file.
  package let read: @Sendable (_ past: PastFile, _ symbols: Int) throws(PastFault) -> PastPrices
  /// The bars of any history.
  package let archive: BarArchive

  package init(
    fault: @escaping @Sendable (String) -> String?, archive: BarArchive = .fallback,
    read: @escaping @Sendable (PastFile, Int) throws(PastFault) -> PastPrices
  ) {
    self.archive = archive
    self.fault = fault
    self.read = read
  }

  /// For a program that has no part with histories.
  static let none = PastReader(fault: { _ in PastFault.noReader.predicate }, read: { _, _ throws(PastFault) in throw .noReader })
}
