internal import CCallgrind
internal import Dispatch
internal import Measuring

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// `HotPaths PATH EVENTS [ARGUMENT…]`: sends this number of events through one path on one thread and prints a line of JSON.
///
/// Under `valgrind --tool=callgrind --instr-atstart=no` only the path itself is counted; the difference between two numbers of events
/// leaves out the constant cost of a life.
@main
struct HotPaths {
  /// Not `async`, because the main thread would then end in `dispatch_main`, whose `sigsuspend` crashes valgrind 3.19.
  static func main() {
    let done = DispatchSemaphore(value: 0)
    // Not on the main actor, whose thread waits here.
    Task { @concurrent in
      do { try await measure(CommandLine.arguments) } catch {
        print("error: \(error)")
        exit(1)
      }
      done.signal()
    }
    done.wait()
  }

  private static func measure(_ arguments: [String]) async throws {
    guard arguments.count >= 3, let events = Int(arguments[2]), events > 0 else {
      throw HotPathError(
        "usage: HotPaths ring|batch|filter|where|columns|derive|as_of|feed|bars|replay|write|encode|decode EVENTS [ARGUMENT…]")
    }
    let path = try HotPath(arguments[1], events: events, arguments: Array(arguments.dropFirst(3)))
    let began = processorNanoseconds()
    stockbus_start_counting()
    let seen = try await path.run()
    stockbus_stop_counting()
    var report = Report()
    report.add("cpu", Double(processorNanoseconds() - began) / 1e9)
    report.add("events", seen)
    report.add("can_count", stockbus_can_count())
    report.print()
  }
}
