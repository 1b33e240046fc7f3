import Testing

@testable import EventBus

/// How long a wait spins, depending on the waits before it.
@Suite struct SpinBudgetTests {
  /// Spins until the budget says to sleep; returns the number of rounds.
  private func spin(_ budget: inout SpinBudget) -> Int {
    var rounds = 0
    while budget.spins(times: 0) { rounds += 1 }
    return rounds
  }

  @Test func `waits in vain grow short, and a long one is tried again now and then`() {
    var budget = SpinBudget()
    var rounds: [Int] = []
    for _ in 0..<66 {
      rounds.append(spin(&budget))
      budget.wentToSleep(inVain: true)
    }
    let round = [800, 200, 50, 12, 3] + Array(repeating: 0, count: 27)
    #expect(rounds == round + round + [800, 200])
  }

  @Test func `news after a wait restores it`() {
    var budget = SpinBudget()
    for _ in 0..<5 { budget.wentToSleep(inVain: true) }
    #expect(spin(&budget) == 0)
    for _ in 0..<27 { budget.wentToSleep(inVain: true) }
    let isAwake = budget.spins(times: 0)
    #expect(isAwake)
    budget.foundWork()
    #expect(spin(&budget) == 800)
  }

  @Test func `news that came without a wait says nothing`() {
    var budget = SpinBudget()
    budget.wentToSleep(inVain: true)
    budget.foundWork()
    #expect(spin(&budget) == 200)
  }

  @Test func `news that came just before the sleep restores the wait`() {
    var budget = SpinBudget()
    for _ in 0..<5 { budget.wentToSleep(inVain: true) }
    budget.wentToSleep(inVain: false)
    #expect(spin(&budget) == 800)
    // Earlier waits in vain no longer count.
    for _ in 0..<31 { budget.wentToSleep(inVain: true) }
    #expect(spin(&budget) == 0)
  }

  @Test func `who parks sleeps at once`() {
    var budget = SpinBudget(.park)
    for _ in 0..<100 {
      #expect(spin(&budget) == 0)
      budget.wentToSleep(inVain: true)
      budget.foundWork()
    }
  }

  @Test func `who parks stays awake beside another core, until that was in vain once`() {
    var budget = SpinBudget(.park)
    budget.wentToSleep(inVain: false)
    #expect(spin(&budget) == 50)
    budget.foundWork()
    #expect(spin(&budget) == 50)
    budget.wentToSleep(inVain: true)
    #expect(spin(&budget) == 0)
  }
}
