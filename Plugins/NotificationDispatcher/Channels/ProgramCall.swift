internal import StockbusPlugin

/// A program to be run. Its arguments are passed on unchanged, and it gets exactly this environment.
struct ProgramCall: Sendable {
  let program: String
  let arguments: [String]
  let environment: [String: String]
  /// The contents of its standard input.
  let input: [UInt8]
  let timeout: Duration

  init(_ program: String, _ arguments: [String], environment: [String: String], input: [UInt8] = [], timeout: Duration) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
    self.timeout = timeout
  }

  /// One attempt: any exit status but 0 is a failure that may pass.
  func deliver(by tools: ChannelTools) async throws(DeliveryError) {
    let name = visible(program.split(separator: "/").last.map(String.init) ?? program)
    let result: ProgramResult
    do throws(ProgramFailure) { result = try await tools.programs.run(self, clock: tools.clock) } catch {
      switch error {
      case .notStarted: throw DeliveryError("\(name) could not be started", isTransient: false)
      case .timedOut: throw DeliveryError("\(name) was killed after \(timeout.optionText)", isTransient: true)
      case .cancelled: throw DeliveryError("cancelled", isTransient: true)
      }
    }
    // The error does not contain the program's output, which may repeat an argument or a variable.
    switch result {
    case .exited(0): return
    case .exited(let status): throw DeliveryError("\(name) ended with status \(status)", isTransient: true)
    case .killed(let signal): throw DeliveryError("\(name) ended by signal \(signal)", isTransient: true)
    }
  }
}

/// How a program ended.
enum ProgramResult: Hashable, Sendable {
  case exited(Int)
  case killed(signal: Int)
}

/// Why a program gives no result.
enum ProgramFailure: Error, Hashable, Sendable {
  case notStarted, timedOut, cancelled
}

/// Runs programs: the system does, or a script in a test.
protocol ProgramRunner: Sendable {
  /// Runs a program to its end. After its time-out on `clock`, or when the task is cancelled, kills it and the processes in its session.
  func run(_ call: ProgramCall, clock: any Timekeeper) async throws(ProgramFailure) -> ProgramResult
}
