internal import Measuring

/// `BusBench SHAPE BATCH EVENTS REPETITIONS`: prints a line of JSON for each repetition, after a warm-up of one.
///
/// SHAPE is fanout1, fanout3, stages3, raw (the ring without plugins, on two threads), rawturns (the same on one thread), roundtrip (BATCH
/// is then the pause before each trip in nanoseconds; 0 keeps both ends awake).
@main
struct BusBench {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 4, let name = arguments.first, case let numbers = arguments.dropFirst().compactMap({ Int($0) }),
      numbers.count == 3
    else { throw BenchError.failed("usage: BusBench SHAPE BATCH EVENTS REPETITIONS") }
    let (batch, events, repetitions) = (numbers[0], numbers[1], numbers[2])
    _ = try await run(name, batch, events)
    for _ in 0..<repetitions { try await run(name, batch, events).print() }
  }

  private static func run(_ name: String, _ batch: Int, _ events: Int) async throws -> Report {
    switch name {
    case "rawturns": return runRawRingByTurns(events: events, batch: batch)
    case "raw": return await runRawRing(events: events, batch: batch)
    case "roundtrip": return try await runRoundTrips(events, pause: Int64(batch))
    default:
      guard let shape = Shape(rawValue: name) else { throw BenchError.failed("no shape '\(name)'") }
      return try await runPipeline(shape, events: events, batch: batch)
    }
  }
}
