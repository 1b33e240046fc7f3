import TestSupport
import StockbusConfig
import StockbusPlugin
import Testing

@testable import StockbusRuntime

/// When another instance follows, decided without instances, tasks and a clock.
@Suite struct RestartsTests {
  private static let policy: SupervisionPolicy = {
    var policy = SupervisionPolicy()
    (policy.restarts, policy.backoff, policy.maxBackoff) = (4, .milliseconds(100), .milliseconds(300))
    return policy
  }()

  private static func restarts(seed: Int = 1) -> Restarts {
    Restarts(policy, achieved: Achievement(done: 0, lost: 0, time: .zero), random: RandomStream(seed: UInt64(seed)))
  }

  /// The bounds of the pauses after failures, without progress unless `done` grows; 0 for none, nil for the end.
  private func bounds(_ failures: [(cause: Restarts.Cause, done: Int)]) -> [Int?] {
    var restarts = Self.restarts()
    return failures.map { failure in
      switch restarts.fail(failure.cause, achieved: Achievement(done: failure.done, lost: 0, time: .zero)) {
      case .final: return nil
      case .again(after: nil): return 0
      case .again(after: let pause?):
        return [100, 200, 300].first { .milliseconds($0) / 2 <= pause && pause <= .milliseconds($0) } ?? -1
      }
    }
  }

  @Test func `pauses begin with the second failure and double, until there are more failures than restarts`() {
    #expect(bounds(Array(repeating: (.environment, 0), count: 5)) == [0, 100, 200, 300, nil])
  }

  @Test func `a batch that fails and its event that fails alone are one failure`() {
    let pair: [(Restarts.Cause, Int)] = [(.unknownEvent, 0), (.rejectedEvent, 0)]
    #expect(bounds(pair + pair + pair + pair + pair).map { $0 == nil } == Array(repeating: false, count: 8) + [true, true])
    // An event that comes alone from the first counts, and so does one after another fault.
    #expect(bounds([(.rejectedEvent, 0), (.rejectedEvent, 0), (.environment, 0), (.rejectedEvent, 0)]) == [0, 100, 200, 300])
  }

  @Test func `after progress the next failure is the first again`() {
    #expect(
      bounds([(.environment, 0), (.environment, 0), (.environment, 1), (.environment, 1), (.unknownEvent, 1), (.rejectedEvent, 2)])
        == [0, 100, 0, 100, 200, 0])
  }

  @Test func `what fails for every instance is final at once`() { #expect(bounds([(.lasting, 9)]) == [nil]) }

  /// The model keeps all failures since the last progress, and counts them anew each time.
  @Test(arguments: 0..<100) func `it decides as a count of all failures does`(seed: Int) {
    var random = SplitMix(seed)
    var restarts = Self.restarts(seed: seed)
    var (failures, pauses, done) = ([Restarts.Cause](), 0, 0)
    var ends = 0
    for _ in 0..<300 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        done += 1
        (failures, pauses) = ([], 0)
      }
      let cause = Restarts.Cause.allCases.filter { $0 != .lasting }.randomElement(using: &random) ?? .environment
      failures.append(cause)
      let count = failures.indices.filter { $0 == 0 || failures[$0] != .rejectedEvent || failures[$0 - 1] != .unknownEvent }.count
      switch restarts.fail(cause, achieved: Achievement(done: done, lost: 0, time: .zero)) {
      case .final:
        #expect(count > 4)
        ends += 1
        (restarts, failures, pauses, done) = (Self.restarts(seed: seed), [], 0, 0)
      case .again(after: nil): #expect(count == 1)
      case .again(after: let pause?):
        let bound = min(.milliseconds(100 << pauses), Duration.milliseconds(300))
        #expect((2...4).contains(count) && bound / 2 <= pause && pause <= bound)
        pauses += 1
      }
    }
    #expect(ends > 3)
  }
}

/// What changes ask of a supervisor, in each order.
@Suite struct DemandTests {
  private enum Step: CaseIterable { case handOver, handedOver, leave, leaveAtOnce }

  /// All sequences of up to six steps. The model looks for the first step to leave, and for what was asked before it.
  @Test func `a component that is to leave hands over to nobody, and pauses no more once somebody waits for it`() {
    let sequences = (1...6).reduce(into: [[[Step]]]([[[]]])) { all, _ in
      all.append((all.last ?? []).flatMap { steps in Step.allCases.map { steps + [$0] } })
    }
    for steps in sequences.joined() {
      var demand = Demand.nothing
      for step in steps {
        switch step {
        case .handOver: demand.handOver()
        case .handedOver: demand.handedOver()
        case .leave: demand.leave()
        case .leaveAtOnce: demand.leave(atOnce: true)
        }
      }
      let before = steps.prefix { $0 == .handOver || $0 == .handedOver }
      let isAsked = before.last == .handOver
      #expect(demand.isToLeave == (before.count < steps.count))
      #expect((demand == .handOver) == (isAsked && before.count == steps.count))
      #expect(demand.endsPauses == (isAsked || steps.contains(.leaveAtOnce)))
    }
  }
}
