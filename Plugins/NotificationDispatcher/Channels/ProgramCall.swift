internal import StockbusPlugin

/// A program to be run: its arguments are handed over as they are, and it gets the environment that stands here and no other.
struct ProgramCall: Sendable {
  let program: String
  let arguments: [String]
  let environment: [String: String]
  /// What stands on its standard input.
  let input: [UInt8]
  let timeout: Duration

  init(_ program: String, _ arguments: [String], environment: [String: String], input: [UInt8] = [], timeout: Duration) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
    self.timeout = timeout
  }

  /// What every program needs; nothing else of ours is a program's business, least of all secrets.
  static func minimal(_ environment: [String: String]) -> [String: String] {
    environment.filter { ["PATH", "HOME", "LANG", "LC_ALL", "TZ"].contains($0.key) }
  }

  /// One attempt: any exit status but 0 is a failure that may pass.
  func deliver(by tools: ChannelTools) async throws(DeliveryError) {
    let name = visible(program.split(separator: "/").last.map(String.init) ?? program)
    let result: ProgramResult
    do throws(ProgramError) { result = try await tools.programs.run(self, clock: tools.clock) } catch {
      switch error {
      case .notStarted: throw DeliveryError("\(name) could not be started", isTransient: false)
      case .timedOut: throw DeliveryError("\(name) was killed after \(timeout.optionText)", isTransient: true)
      case .cancelled: throw DeliveryError("cancelled", isTransient: true)
      }
    }
    // What it printed stays out of it: it may repeat an argument or a variable.
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

/// Why a program has no result.
enum ProgramError: Error, Hashable, Sendable {
  case notStarted, timedOut, cancelled
}

/// What runs programs: the system, or a script in a test.
protocol ProgramRunner: Sendable {
  /// Runs a program to its end; kills it, and what it has started in its session, after its time on `clock` or when cancelled.
  func run(_ call: ProgramCall, clock: any Timekeeper) async throws(ProgramError) -> ProgramResult
}
