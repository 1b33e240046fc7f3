import Foundation
import Measuring

/// `SwiftPeers asyncstream|asyncchannel|opencombine SHAPE BATCH|PAUSE_NS EVENTS REPETITIONS`: prints what `BusBench` prints.
///
/// None of them sends batches: 64 is sent one after the other.
@main
struct SwiftPeers {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, let batch = Int(arguments[3]), let events = Int(arguments[4]), let repetitions = Int(arguments[5])
    else { fail("usage: SwiftPeers asyncstream|asyncchannel|opencombine SHAPE BATCH|PAUSE_NS EVENTS REPETITIONS") }
    for i in 0...max(0, repetitions) {
      guard let report = await run(arguments[1], arguments[2], batch, events) else {
        fail("no peer '\(arguments[1])'; there are asyncstream, asyncchannel and opencombine")
      }
      if i > 0 { report.print() }
    }
  }

  /// The call was wrong: `EX_USAGE` of sysexits.h.
  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(64)
  }

  private static func run(_ peer: String, _ shape: String, _ batch: Int, _ events: Int) async -> Report? {
    switch (peer, shape) {
    case ("opencombine", _): combine(shape, events)
    case ("asyncstream", "roundtrip"): await roundTrips(Stream(), Stream(), events, pause: Int64(batch))
    case ("asyncchannel", "roundtrip"): await roundTrips(Channel(), Channel(), events, pause: Int64(batch))
    case ("asyncstream", _): await flow(shape, events) { Stream() }
    case ("asyncchannel", _): await flow(shape, events) { Channel() }
    default: nil
    }
  }
}

struct Tick: Sendable {
  var symbol: UInt32
  var flags: UInt32 = 0
  var price: Int64
  var size: Int64 = 100
  var time: Int64
  var received: Int64

  init(_ i: Int) {
    symbol = UInt32(i & 255) + 1
    price = Int64(i)
    time = Int64(i)
    received = Int64(i)
  }
}

/// The measured time and what each reader has seen.
func report(nanoseconds: Int64, _ tallies: [Tally]) -> Report {
  var report = Report()
  report.add("seconds", Double(nanoseconds) / 1e9)
  report.add("readers", tallies.count)
  report.add("differing", tallies.filter { $0.sum != tallies[0].sum || $0.count != tallies[0].count }.count)
  tallies[0].add(to: &report)
  report.add("misplaced_anywhere", tallies.reduce(0) { $0 + $1.misplaced })
  return report
}
