import StockbusPlugin
import Testing

@Suite struct BackoffTests {
  @Test func `bounds double up to the limit, and each pause lies in the upper half of its bound`() {
    for seed in 0..<200 as Range<UInt64> {
      var backoff = Backoff(first: .milliseconds(100), most: .seconds(1), random: RandomStream(seed: seed))
      for bound in [100, 200, 400, 800, 1000, 1000, 1000] {
        let pause = backoff.next()
        #expect(pause >= .milliseconds(bound) / 2 && pause <= .milliseconds(bound), "seed \(seed), bound \(bound)")
      }
    }
  }

  @Test func `after a success it begins again`() {
    var backoff = Backoff(first: .seconds(2), most: .seconds(60), random: RandomStream(seed: 1))
    for _ in 0..<10 { _ = backoff.next() }
    backoff.reset()
    #expect(backoff.next() <= .seconds(2))
    #expect(backoff.next() > .seconds(2))
  }

  @Test func `two that began alike do not stay in step`() {
    var one = Backoff(first: .seconds(1), most: .seconds(60), random: RandomStream(seed: 1))
    var other = Backoff(first: .seconds(1), most: .seconds(60), random: RandomStream(seed: 2))
    #expect((0..<5).allSatisfy { _ in one.next() != other.next() })
  }

  @Test func `a limit below the first pause is raised to it, and nothing is no pause`() {
    var backoff = Backoff(first: .seconds(3), most: .seconds(1), random: RandomStream(seed: 1))
    #expect((0..<5).allSatisfy { _ in (.seconds(1.5)...Duration.seconds(3)).contains(backoff.next()) })
    var none = Backoff(first: .zero, most: .zero, random: RandomStream(seed: 1))
    #expect(none.next() <= .nanoseconds(1))
  }
}
