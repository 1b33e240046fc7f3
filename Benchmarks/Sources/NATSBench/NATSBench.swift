internal import Measuring
internal import StockbusPlugin

/// `NATSBench publish|read|latency …`: drives a NATS server with JetStream and prints a line of JSON.
///
/// `publish` and `read` are the client by itself, with numbered messages as the peers send them; `latency` is a run with `nats_out` and
/// `nats_in` in it.
@main
struct NATSBench {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 5 || arguments.count == 6, let address = try? NATSWork.address(arguments[1]),
      case let numbers = arguments.dropFirst(3).compactMap({ Int($0) }), numbers.count == arguments.count - 3,
      numbers.allSatisfy({ $0 > 0 })
    else { throw NATSBenchError(usage) }
    let stream = arguments[2]
    let work = NATSWork(address)
    // As the runtime does for components on a thread of their own.
    let report = try await withTaskExecutorPreference(arguments[0] == "latency" ? nil : work.ownExecutor) {
      switch (arguments[0], numbers.count) {
      case ("publish", 3): try await work.publish(to: stream, numbers[0], size: numbers[1], window: numbers[2])
      case ("read", 2): try await work.read(stream, numbers[0], size: numbers[1])
      case ("latency", 2): try await latency(arguments[1], stream, numbers[0], rate: numbers[1])
      default: throw NATSBenchError(usage)
      }
    }
    report.print()
  }

  private static let usage = """
    usage: NATSBench publish URL STREAM MESSAGES SIZE WINDOW
           NATSBench read URL STREAM MESSAGES SIZE
           NATSBench latency URL STREAM MESSAGES RATE
    """
}

struct NATSBenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
