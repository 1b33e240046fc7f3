import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusNetwork

@Suite(.timeLimit(.minutes(15))) struct AlarmTests {
  private let bell = Bell()
  private let clock = ManualTimekeeper()

  @Test func `one sleeper serves deadlines that move on, and rings at the first`() async {
    let alarm = Alarm(bell, clock)
    let begin = clock.uptime
    for seconds in 1...5 { alarm.set(begin + .seconds(seconds)) }
    await clock.waitForSleepers(1)
    let heard = bell.rings
    clock.advance(by: .seconds(1))
    await bell.wait(after: heard)
    #expect(bell.rings == heard + 1)
    // Nobody has set another.
    clock.advance(by: .seconds(10))
    alarm.set(clock.uptime + .seconds(1))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    await bell.wait(after: heard + 1)
    await alarm.cancel()
  }

  @Test func `an earlier deadline takes the place of a later one`() async {
    let alarm = Alarm(bell, clock)
    let begin = clock.uptime
    alarm.set(begin + .seconds(60))
    alarm.set(begin + .seconds(1))
    await clock.waitForSleepers(1)
    let heard = bell.rings
    clock.advance(by: .seconds(1))
    await bell.wait(after: heard)
    await alarm.cancel()
    // Nothing is left that could ring.
    let last = bell.rings
    clock.advance(by: .seconds(120))
    #expect(bell.rings == last)
  }
}
