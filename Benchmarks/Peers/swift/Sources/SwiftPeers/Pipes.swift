import AsyncAlgorithms
import Measuring

/// A pipe of ticks: one writer, one reader.
protocol Pipe: Sendable {
  func send(_ tick: Tick) async
  func finish()
  associatedtype Ticks: AsyncSequence where Ticks.Element == Tick
  var ticks: Ticks { get }
}

struct Stream: Pipe {
  let ticks: AsyncStream<Tick>
  private let continuation: AsyncStream<Tick>.Continuation

  /// Unbounded: it has no way to make the writer wait, and must not lose anything.
  init() { (ticks, continuation) = AsyncStream.makeStream() }

  func send(_ tick: Tick) { continuation.yield(tick) }
  func finish() { continuation.finish() }
}

struct Channel: Pipe {
  let ticks = AsyncChannel<Tick>()

  func send(_ tick: Tick) async { await ticks.send(tick) }
  func finish() { ticks.finish() }
}

/// Counts and sums what comes, isolated as a plugin of the bus is.
actor Reader {
  private var tally = Tally()

  func read<Ticks: AsyncSequence>(_ ticks: sending Ticks) async -> Tally where Ticks.Element == Tick {
    do { for try await tick in ticks { tally.add(number: tick.time, price: tick.price, size: tick.size) } } catch {}
    return tally
  }
}

/// One reader, three of them, or three stages.
func flow<P: Pipe>(_ shape: String, _ events: Int, _ make: () -> P) async -> Report {
  let count = shape == "fanout1" ? 1 : 3
  let pipes = (0..<count).map { _ in make() }
  let began = monotonicNanoseconds()
  let tallies = await withTaskGroup(of: Tally?.self) { group in
    if shape == "stages3" {
      for stage in 0..<2 {
        group.addTask {
          var ticks = pipes[stage].ticks.makeAsyncIterator()
          while var tick = try? await ticks.next() {
            tick.price += Int64(stage + 1)
            await pipes[stage + 1].send(tick)
          }
          pipes[stage + 1].finish()
          return nil
        }
      }
      group.addTask { await Reader().read(pipes[2].ticks) }
    } else {
      for pipe in pipes { group.addTask { await Reader().read(pipe.ticks) } }
    }
    group.addTask {
      let targets = shape == "stages3" ? [pipes[0]] : pipes
      for i in 0..<events { for pipe in targets { await pipe.send(Tick(i)) } }
      for pipe in targets { pipe.finish() }
      return nil
    }
    var tallies: [Tally] = []
    for await tally in group { if let tally { tallies.append(tally) } }
    return tallies
  }
  return report(nanoseconds: monotonicNanoseconds() - began, tallies)
}

/// A tick there and back, with a pause before each for the other side to go to sleep.
func roundTrips<P: Pipe>(_ there: P, _ back: P, _ trips: Int, pause: Int64) async -> Report {
  async let echo: Void = {
    var ticks = there.ticks.makeAsyncIterator()
    while let tick = try? await ticks.next() { await back.send(tick) }
  }()
  async let latencies: Latencies = {
    var latencies = Latencies(capacity: trips)
    var ticks = back.ticks.makeAsyncIterator()
    for i in 0..<trips {
      if pause > 0 { spin(nanoseconds: pause) }
      let began = monotonicNanoseconds()
      await there.send(Tick(i))
      let answer = try? await ticks.next()
      precondition(answer?.price == Int64(i))
      latencies.add(monotonicNanoseconds() - began)
    }
    there.finish()
    return latencies
  }()
  await echo
  return await latencies.report()
}
