import MarketData
import TestSupport
import Synchronization
import Testing

@testable import EventBus

/// Topics that are cut while they are written and read, by tasks on the default pool.
@Suite(.timeLimit(.minutes(15))) struct CutTests {
  /// What the task that cuts and a reader tell each other.
  private final class Desk: Sendable {
    enum Order {
      case none, halt, change(Inlet<Tick>?)
    }

    let order = WaitableValue(Order.none)
    let isHalted = WaitableValue(false)
    /// How often everything before a cut was handed out.
    let done = WaitableValue(0)
    let inlet: Inlet<Tick>
    init(_ inlet: Inlet<Tick>) { self.inlet = inlet }
  }

  /// Reads until the topic has ended; returns the numbers that came. It changes to another inlet, or resumes, as it is told.
  private func read(_ desk: Desk, seed: Int) async -> [Int] {
    var random = SplitMix(seed)
    var (inlet, next): (Inlet<Tick>, Inlet<Tick>?) = (desk.inlet, nil)
    var isPaused = false
    var numbers: [Int] = []
    while true {
      if case .halt = desk.order.value {
        desk.isHalted.update { $0 = true }
        await desk.order.wait { if case .halt = $0 { false } else { true } }
      }
      if case .change(let other) = desk.order.value {
        desk.order.update { $0 = .none }
        next = other
        isPaused = other == nil
      }
      let batch = inlet.nextBatch(limit: 1 + random.upTo(9))
      if !batch.isEmpty {
        inlet.begin(batch.count)
        numbers += batch.map(\.number)
        if random.oneIn(4) { await Task.yield() }
        inlet.finish(batch.count)
        continue
      }
      if inlet.isFinished, let other = next {
        inlet.detach()
        (inlet, next) = (other, nil)
        inlet.release()
        desk.done.update { $0 += 1 }
      } else if inlet.isFinished, isPaused {
        isPaused = false
        inlet.resume()
        desk.done.update { $0 += 1 }
      } else if inlet.isFinished {
        inlet.detach()
        return numbers
      }
      await Task.yield()
    }
  }

  /// Publishes 1, 2, 3 and so on; returns the last number.
  private func publish(to topic: Topic<Tick>, until enough: Latch, seed: Int) async throws -> Int {
    var random = SplitMix(seed)
    var number = 0
    var outlet = Outlet(topic)
    defer { topic.close() }
    while !enough.hasFired {
      for _ in 0...random.upTo(30) {
        number += 1
        outlet.send(.make(number))
      }
      try await outlet.flush()
      if random.oneIn(4) { await Task.yield() }
    }
    return number
  }

  @Test(arguments: [2, 16, 1024]) func `readers that end, pause and begin at cuts get every event once and in order`(capacity: Int)
    async throws
  {
    let cuts = 200
    let topic = Topic<Tick>("t", capacity: capacity)
    let desks = (0..<3).map { _ in Desk(topic.attach(Parker())) }
    let said = Counter()
    let enough = Latch()
    async let producing = publish(to: topic, until: enough, seed: capacity)
    async let readers = withTaskGroup(of: (Int, [Int]).self) { group in
      for (place, desk) in desks.enumerated() { group.addTask { (place, await read(desk, seed: place)) } }
      return await group.reduce(into: [[Int]](repeating: [], count: 3)) { $0[$1.0] = $1.1 }
    }
    var random = SplitMix(capacity)
    var present = desks.map(\.inlet)
    for _ in 0..<cuts {
      let place = random.upTo(2)
      let (desk, inlet) = (desks[place], present[place])
      let done = desk.done.value
      let word = Latch()
      inlet.whenDone {
        said.add(1)
        word.fire()
      }
      inlet.hold()
      desk.order.update { $0 = .halt }
      await desk.isHalted.wait { $0 }
      desk.isHalted.update { $0 = false }
      if random.oneIn(2) {
        _ = topic.cut(ending: [], pausing: [inlet], beginning: [])
        desk.order.update { $0 = .change(nil) }
      } else {
        let new = topic.cut(ending: [inlet], pausing: [], beginning: [NewReader(Parker())]).first as? Inlet<Tick>
        present[place] = try #require(new)
        desk.order.update { $0 = .change(new) }
      }
      inlet.release()
      await word.wait()
      await desk.done.wait { $0 > done }
    }
    enough.fire()
    let count = try await producing
    for numbers in await readers {
      let wrong = zip(numbers, 1...).first { $0 != $1 }
      #expect(numbers.count == count && wrong == nil, "\(numbers.count) of \(count), first wrong: \(String(describing: wrong))")
    }
    #expect(said.total == cuts)
  }
}
