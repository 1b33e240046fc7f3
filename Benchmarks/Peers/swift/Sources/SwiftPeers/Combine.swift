import Measuring
import OpenCombine

/// OpenCombine calls its subscribers where the event is sent: no thread, no isolation.
func combine(_ shape: String, _ events: Int) -> Report {
  // Unchecked because OpenCombine asks for it; everything here happens on one thread.
  final class Box: @unchecked Sendable {
    var tally = Tally()
    func add(_ tick: Tick) { tally.add(number: tick.time, price: tick.price, size: tick.size) }
  }
  let subject = PassthroughSubject<Tick, Never>()
  let boxes = (0..<(shape == "fanout3" ? 3 : 1)).map { _ in Box() }
  func adding(_ n: Int64) -> (Tick) -> Tick {
    { tick in
      var tick = tick
      tick.price += n
      return tick
    }
  }
  let subscriptions = boxes.map { box in
    shape == "stages3"
      ? subject.map(adding(1)).map(adding(2)).sink { box.add($0) } : subject.sink { box.add($0) }
  }
  let began = monotonicNanoseconds()
  for i in 0..<events { subject.send(Tick(i)) }
  let elapsed = monotonicNanoseconds() - began
  for subscription in subscriptions { subscription.cancel() }
  return report(nanoseconds: elapsed, boxes.map(\.tally))
}
