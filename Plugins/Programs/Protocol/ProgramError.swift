internal import StockbusPlugin

/// Why a program cannot continue, as a sentence that begins with "the program".
struct ProgramError: Error, CustomStringConvertible {
  let description: String

  init(_ text: String) { description = "the program \(text)" }
}

/// A program that cannot be started, or does not fit the configuration: another attempt would end in the same way.
struct ProgramMisfit: EnvironmentError, CustomStringConvertible {
  let description: String
  var isPermanent: Bool { true }

  /// The error for a source that has lost its position: the next process would repeat published events.
  static func forgetful(_ failure: any Error) -> ProgramMisfit {
    ProgramMisfit(description: "\(failure); its position in the input is lost, so it is not started again")
  }
}
