package import ArgumentParser
package import StockbusConfig
package import StockbusPlugin
package import StockbusReloading
package import StockbusRuntime

/// What a program may have besides its core: commands, something beside its runs, and what can read a past.
package struct ProgramPart: Sendable {
  package var commands: [any ParsableCommand.Type]
  package var companion: (any RunCompanion.Type)?
  package var past: PastReader?

  package init(commands: [any ParsableCommand.Type] = [], companion: (any RunCompanion.Type)? = nil, past: PastReader? = nil) {
    self.commands = commands
    self.companion = companion
    self.past = past
  }
}

/// What stands beside a run, such as a desk where the run can be asked. Its options are options of all commands that run a configuration.
package protocol RunCompanion: ParsableArguments {
  /// A sentence for the help of `run` with a blank at its end; empty if there is nothing to say.
  static var help: String { get }

  /// Called before the run starts; throws an `ExitCode` if it must not start, once the reason is printed. Nil if nobody is to be told
  /// of the end.
  func begin(_ run: RunInHand) async throws -> (any RunAttendant)?
}

/// A run that is about to start.
package struct RunInHand: Sendable {
  package let pipeline: Pipeline
  package let reload: ConfigReload
  /// The files and folders of its configuration; empty if it cannot be read again.
  package let configuration: [String]
}

/// Hears how a run has ended.
package protocol RunAttendant: Sendable {
  /// Returns once everybody was told who waited.
  /// - Parameter text: the ledger and what went wrong, for people.
  func runHasEnded(status: Int, text: String) async
}

/// For a program whose runs are not asked.
struct NoCompanion: RunCompanion {
  static var help: String { "" }

  func begin(_: RunInHand) -> (any RunAttendant)? { nil }
}

/// How the file under a configuration's `history` is read.
package struct PastReader: Sendable {
  /// Why the file at a path cannot be read, as the end of a sentence that names it; nil if it can.
  package let fault: @Sendable (_ path: String) -> String?
  /// What it knows now, of at most so many symbols. Throws the end of a sentence that names the file.
  package let read: @Sendable (_ past: PastFile, _ symbols: Int) throws(PastFault) -> PastPrices

  package init(
    fault: @escaping @Sendable (String) -> String?, read: @escaping @Sendable (PastFile, Int) throws(PastFault) -> PastPrices
  ) {
    self.fault = fault
    self.read = read
  }

  /// For a program that has no part with histories.
  static let none = PastReader(fault: { _ in noReader }, read: { _, _ throws(PastFault) in throw PastFault(predicate: noReader) })
  private static let noReader = "cannot be read: this program has nothing that reads histories"
}

/// Why a history cannot be read.
package struct PastFault: Error {
  package let predicate: String

  package init(predicate: String) { self.predicate = predicate }
}
