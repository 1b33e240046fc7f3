internal import MarketData
internal import StockbusPlugin

/// Why a program cannot go on, as a sentence that begins with "the program".
struct ProgramError: Error, CustomStringConvertible {
  let description: String

  init(_ text: String) { description = "the program \(text)" }
}

/// A program that cannot be started, or does not fit the configuration: another attempt would end in the same way.
struct ProgramMisfit: EnvironmentError, CustomStringConvertible {
  let description: String
  var isPermanent: Bool { true }

  /// A source that has lost the place where it was: the next process would send again what is published.
  static func forgetful(_ failure: any Error) -> ProgramMisfit {
    ProgramMisfit(description: "\(failure); how far it was is lost with it, so it is not started again")
  }
}
