import Testing

@testable import EventBus

/// The parker, tested with every order of calls. Failures are collected, because an expectation for each step would take minutes.
@Suite struct ParkerStateTests {
  private enum Call: CaseIterable { case sleep, wake }

  @Test func `every sequence of eighteen calls returns what a permit does`() {
    var sequences = 0
    var failures: [String] = []
    func explore(_ state: ParkerState<Int>, permit: Bool, sleeper: Int?, path: [Call]) {
      if path.count == 18 {
        sequences += 1
        return
      }
      for call in Call.allCases {
        var state = state
        var (permit, sleeper) = (permit, sleeper)
        var expected: Int?
        let answer: Int?
        switch call {
        case .sleep:
          if sleeper != nil { continue }  // the owner cannot call while it sleeps
          answer = state.sleep(path.count)
          if permit { expected = path.count } else { sleeper = path.count }
          permit = false
        case .wake:
          answer = state.wake()
          expected = sleeper  // a sleeper is resumed, once
          if sleeper == nil { permit = true }
          sleeper = nil
        }
        if answer != expected { failures.append("\(path + [call])") }
        explore(state, permit: permit, sleeper: sleeper, path: path + [call])
      }
    }
    explore(ParkerState(), permit: false, sleeper: nil, path: [])
    #expect(failures == [])
    #expect(sequences > 10_000)
  }

  /// One sleeper, which checks for events and for the end before each sleep; two wakers, which publish and then wake; and some stoppers,
  /// which set the end and then wake.
  private struct World {
    /// The owner is about to check, about to sleep, asleep, or done.
    enum Owner: Int { case looks, sleeps, asleep, done }

    var state = ParkerState<Int>()
    /// The number of steps that each waker still has: with an even number it is about to publish, with an odd one about to wake.
    var wakers: [Int]
    /// The same for the stoppers.
    var stoppers: [Int]
    var isCutOff = false
    var news = 0
    var taken = 0
    var owner = Owner.looks
    var sleeps = 0
    var resumed = 0
    var failures: [String] = []

    mutating func resume(_ sleeper: Int?) {
      guard let sleeper else { return }
      resumed += 1
      if sleeper != sleeps || owner != .asleep { failures.append("resumed \(sleeper), of \(sleeps) sleeps, \(owner)") }
      owner = .looks
    }

    /// Everything that the further course depends on.
    var key: [Int] {
      let phase =
        switch state.phase {
        case .awake: 0
        case .notified: 1
        case .asleep: 2
        }
      return [phase, isCutOff ? 1 : 0, news - taken, owner.rawValue, sleeps - resumed] + wakers + stoppers
    }

    /// All states that can be reached in one step.
    func successors(all: Int) -> [World] {
      var next: [World] = []
      func step(_ change: (inout World) -> Void) {
        var world = self
        change(&world)
        next.append(world)
      }
      for i in wakers.indices where wakers[i] > 0 {
        step {
          $0.wakers[i] -= 1
          if $0.wakers[i] % 2 == 1 { $0.news += 1 } else { $0.resume($0.state.wake()) }
        }
      }
      for i in stoppers.indices where stoppers[i] > 0 {
        step {
          $0.stoppers[i] -= 1
          if $0.stoppers[i] == 1 { $0.isCutOff = true } else { $0.resume($0.state.wake()) }
        }
      }
      switch owner {
      case .looks:
        step {
          $0.taken = $0.news
          $0.owner = $0.taken == all || $0.isCutOff ? .done : .sleeps
        }
      case .sleeps:
        step {
          $0.sleeps += 1
          $0.owner = .asleep
          $0.resume($0.state.sleep($0.sleeps))
        }
      case .asleep, .done: break
      }
      return next
    }
  }

  @Test(arguments: [0, 1, 2]) func `no interleaving of two wakers, a sleeper and ends that are told loses a wake-up`(ends: Int) {
    let perWaker = 4
    var seen: Set<[Int]> = []
    var failures: [String] = []
    var pending = [World(wakers: [2 * perWaker, 2 * perWaker], stoppers: Array(repeating: 2, count: ends))]
    var quiet = 0
    while let world = pending.popLast() {
      if !seen.insert(world.key).inserted { continue }
      failures += world.failures
      let next = world.successors(all: 2 * perWaker)
      pending += next
      if !next.isEmpty { continue }
      quiet += 1
      if world.owner != .done { failures.append("asleep for ever with \(world.news - world.taken) news: \(world.key)") }
      if world.sleeps != world.resumed { failures.append("a sleep was not ended: \(world.key)") }
      if ends == 0, world.taken != 2 * perWaker { failures.append("news were not taken: \(world.key)") }
    }
    #expect(failures == [])
    #expect(quiet > 0)
    #expect(seen.count > 500)
  }

  @Test func `a wake-up before the sleep ends it, and two count as one`() {
    var state = ParkerState<Int>()
    #expect(state.wake() == nil)
    #expect(state.wake() == nil)
    #expect(state.sleep(1) == 1)
    #expect(state.sleep(2) == nil)
    #expect(state.wake() == 2)
  }
}
