internal import CMemoryBarrier
internal import EventBus
internal import MarketData
internal import Measuring

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The ring without plugins, actors or supervision, for comparison with the resident loops.
func runRawRing(events: Int, batch: Int) async -> Report {
  Scoreboard.shared.reset()
  let topic = Topic<Trade>("raw")
  let inlet = topic.attach(Parker())
  async let written: Void = write(topic, events: events, batch: batch)
  async let read: Void = read(inlet)
  _ = await (written, read)
  return Scoreboard.shared.report
}

/// The same without a second thread: fills the ring and empties it in turn.
func runRawRingByTurns(events: Int, batch: Int) -> Report {
  Scoreboard.shared.reset()
  let topic = Topic<Trade>("raw")
  let inlet = topic.attach(Parker())
  Scoreboard.shared.begin()
  var outlet = Outlet(topic)
  var tally = Tally()
  var i = 0
  while i < events {
    while i < events, outlet.room() >= batch {
      outlet.sendTicks(from: i, min(batch, events - i))
      outlet.commit()
      i += batch
    }
    while true {
      let received = inlet.nextBatch(limit: 1024)
      if received.count == 0 { break }
      tally.add(received.span)
      inlet.finish(received.count)
    }
  }
  topic.close()
  Scoreboard.shared.finish(tally)
  return Scoreboard.shared.report
}

@concurrent
private func write(_ topic: Topic<Trade>, events: Int, batch: Int) async {
  Scoreboard.shared.begin()
  var outlet = Outlet(topic)
  var idler = Idler()
  var i = 0
  while i < events {
    while outlet.room() < batch { idler.wait() }
    idler.rest()
    outlet.sendTicks(from: i, min(batch, events - i))
    outlet.commit()
    i += batch
  }
  topic.close()
}

extension Outlet<Trade> {
  /// Sends events as the measured source does.
  @inline(__always)
  fileprivate mutating func sendTicks(from first: Int, _ count: Int) {
    if count == 1 { send(Trade(number: first)) } else { send(count) { Trade(number: first + $0) } }
  }
}

@concurrent
private func read(_ inlet: Inlet<Trade>) async {
  var tally = Tally()
  var idler = Idler()
  while true {
    let received = inlet.nextBatch(limit: 1024)
    if received.count == 0 {
      if inlet.isFinished { break }
      idler.wait()
      continue
    }
    idler.rest()
    tally.add(received.span)
    inlet.finish(received.count)
    // Lets a short batch grow, as the resident loops do.
    if received.count < 64, received.count > 1 { for _ in 0..<16 { stockbus_pause() } }
  }
  Scoreboard.shared.finish(tally)
}

/// Spins a little, then yields the processor: on a busy machine two threads that only spin would measure the scheduler.
private struct Idler {
  private var spins = 0

  mutating func wait() {
    spins += 1
    if spins < 50 { stockbus_pause() } else { sched_yield() }
  }

  mutating func rest() { spins = 0 }
}
