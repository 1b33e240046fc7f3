import EventBus
import MarketData
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import NotificationDispatcher

/// Queues, rates, quiet hours and attempts, with scripted channels.
@Suite(.timeLimit(.minutes(15))) struct DeliveryTests {
  private struct Script: Channel {
    var retries = RetryPolicy()
    let attempts = Watched(0)
    let result: @Sendable (Int) -> DeliveryError?

    func deliver(_: Notification) async throws(DeliveryError) {
      let number = attempts.update { count in
        count += 1
        return count
      }
      if let error = result(number) { throw error }
    }
  }

  private func deliveries(
    _ harness: PluginHarness, queue: Int = 10, quiet: QuietHours? = nil, rates: [String], heeds: Bool = false
  ) throws -> DeliveryQueues {
    let channels = try rates.enumerated().map { i, rate in
      var options = NotificationChannelOptions()
      options.rate = try Rate(option: rate)
      options.heedsQuietHours = heeds && i == 0
      return OpenedChannel(
        name: "c\(i)", kind: "console", number: i, options: options, channel: Script { _ in nil }, fault: nil)
    }
    return try DeliveryQueues(channels, queue: queue, quiet: quiet.map(QuietClock.init), context: harness.context)
  }

  @Test func `the oldest makes room where too many wait, and is counted and kept as a dead letter`() throws {
    let harness = PluginHarness()
    var deliveries = try deliveries(harness, queue: 2, rates: ["max"])
    for number in 1...4 { deliveries.offer(exampleNotification("m\(number)", number: number), to: nil) }
    #expect(deliveries.next(0)?.alert.message == "m3")
    deliveries.settle(0, .delivered(attempts: 1))
    #expect(deliveries.next(0)?.alert.message == "m4")
    #expect(deliveries.next(0) == nil)
    #expect(harness.counter("c0 overflowed") == 2)
    #expect(harness.deadLetters.map(\.reason) == Array(repeating: "too many alerts waited for the channel", count: 2))
    #expect(harness.deadLetters[0].payload.contains("\"m1\""))
    #expect(harness.log.texts(.warning) == ["warning plugin: channel 'c0': too many alerts wait; the oldest are dropped"])
  }

  @Test func `a channel that failed and delivers again says so once, and is no problem of the run any more`() throws {
    let harness = PluginHarness()
    var deliveries = try deliveries(harness, rates: ["max", "max"])
    func settle(_ outcome: NotificationDelivery.Outcome, _ channel: Int = 0) {
      deliveries.enqueue(exampleNotification(), channel)
      _ = deliveries.next(channel)
      deliveries.settle(channel, outcome)
    }
    let refused = NotificationDelivery.Outcome.failed(attempts: 1, reason: "status 503")
    settle(.delivered(attempts: 1))
    #expect(harness.log.texts(.notice).isEmpty)
    settle(refused)
    harness.clock.advance(by: .seconds(30))
    settle(refused)
    #expect(harness.trouble == "channel 'c0' cannot deliver: status 503")
    deliveries.retry(1, after: DeliveryError("no route", isTransient: true), in: .seconds(1))
    #expect(harness.trouble == "channel 'c0' cannot deliver: status 503; channel 'c1' cannot deliver: no route")
    harness.clock.advance(by: .seconds(30))
    settle(.delivered(attempts: 1))
    settle(.delivered(attempts: 1))
    #expect(harness.log.texts(.notice) == ["notice plugin: channel 'c0' delivers again, after 1m"])
    // A channel that is switched off is no problem.
    #expect(harness.trouble == "channel 'c1' cannot deliver: no route")
    deliveries.setEnabled(1, false)
    #expect(harness.trouble == nil)
  }

  @Test func `a rate lets a burst through and then so many in its time`() throws {
    let harness = PluginHarness()
    var deliveries = try deliveries(harness, rates: ["2/m", "max"])
    for number in 1...3 { deliveries.offer(exampleNotification(number: number), to: nil) }
    harness.clock.advance(by: .seconds(30))
    deliveries.offer(exampleNotification(number: 4), to: nil)
    deliveries.offer(exampleNotification(number: 5), to: nil)
    harness.clock.advance(by: .seconds(60))
    for number in 6...8 { deliveries.offer(exampleNotification(number: number), to: nil) }
    #expect(deliveries.queues.map(\.waiting.count) == [5, 8])
    #expect(harness.counter("c0 limited") == 3)
  }

  @Test func `quiet hours keep back what is not urgent, where a channel heeds them`() throws {
    // The clock shows 13:30 in UTC, which is 15:30 in Zurich in October.
    var quiet = QuietHours()
    quiet.from = try QuietTime(option: "15:00")
    quiet.to = try QuietTime(option: "7:00")
    quiet.zone = "Europe/Zurich"
    let harness = PluginHarness()
    var deliveries = try deliveries(harness, quiet: quiet, rates: ["max", "max"], heeds: true)
    deliveries.offer(exampleNotification(), to: nil)
    deliveries.offer(exampleNotification(number: 2, isUrgent: true), to: ["c0"])
    #expect(deliveries.queues.map(\.waiting.count) == [1, 1])
    #expect(harness.counter("c0 quiet") == 1)
  }

  @Test(arguments: [
    ("22:00", "07:00", "UTC", "2013-10-08T21:59:59Z", false), ("22:00", "07:00", "UTC", "2013-10-08T22:00:00Z", true),
    ("22:00", "07:00", "UTC", "2013-10-09T06:59:59.999Z", true), ("22:00", "07:00", "UTC", "2013-10-09T07:00:00Z", false),
    ("12:00", "13:00", "UTC", "2013-10-09T12:59:00Z", true), ("12:00", "13:00", "UTC", "2013-10-09T13:00:00Z", false),
    // New York: four hours behind in October, five in December.
    ("08:00", "09:00", "America/New_York", "2013-10-09T12:30:00Z", true),
    ("08:00", "09:00", "America/New_York", "2013-12-09T12:30:00Z", false),
    ("00:00", "01:00", "UTC", "1969-12-31T00:30:00Z", true),
    // Zurich skips the hour from 02:00 on 2026-03-29, at 01:00 UTC, and shows it twice on 2026-10-25, from 00:00 to 02:00 UTC.
    ("02:00", "03:00", "Europe/Zurich", "2026-03-29T00:59:59Z", false), ("02:00", "03:00", "Europe/Zurich", "2026-03-29T01:00:00Z", false),
    ("02:30", "06:00", "Europe/Zurich", "2026-03-29T01:00:00Z", true), ("02:30", "06:00", "Europe/Zurich", "2026-03-29T04:00:00Z", false),
    ("02:00", "03:00", "Europe/Zurich", "2026-10-25T00:00:00Z", true), ("02:00", "03:00", "Europe/Zurich", "2026-10-25T01:59:59Z", true),
    ("02:00", "03:00", "Europe/Zurich", "2026-10-25T02:00:00Z", false),
    ("22:00", "07:00", "UTC", "2028-02-29T22:00:00Z", true), ("22:00", "07:00", "UTC", "2028-03-01T07:00:00Z", false),
  ])
  func `quiet hours go over midnight and by a zone's clock`(from: String, to: String, zone: String, time: String, isQuiet: Bool) throws {
    var quiet = QuietHours()
    quiet.from = try QuietTime(option: from)
    quiet.to = try QuietTime(option: to)
    quiet.zone = zone
    #expect(try QuietClock(quiet).isQuiet(at: Timestamp(option: time)) == isQuiet)
  }

  @Test func `pauses grow, the receiver may ask for more, and a success ends it`() async throws {
    let clock = ManualTimekeeper()
    let channel = Script(retries: RetryPolicy(attempts: 5, first: .seconds(1))) { number in
      switch number {
      case 1, 2: DeliveryError("busy", isTransient: true)
      case 3: DeliveryError("later", isTransient: true, asked: RetryAfter(.seconds(90)))
      default: nil
      }
    }
    let pauses = Watched<[Duration]>([])
    let delivery = NotificationDelivery(channel: channel, clock: clock, random: RandomStream(seed: 1))
    async let outcome = delivery.attempt(exampleNotification()) { _, pause in pauses.update { $0.append(pause) } }
    for _ in 0..<3 { await clock.passPause(atMost: .seconds(90)) }
    #expect(await outcome == .delivered(attempts: 4))
    let waited = pauses.value
    #expect(waited.count == 3)
    #expect(waited[0] >= .milliseconds(500) && waited[0] <= .seconds(1))
    #expect(waited[1] >= .seconds(1) && waited[1] <= .seconds(2))
    #expect(waited[2] == .seconds(90))
    #expect(clock.uptime == waited.reduce(.zero, +))
  }

  @Test func `what cannot succeed is not tried again, and what does not succeed ends`() async {
    let clock = ManualTimekeeper()
    let hopeless = Script(retries: RetryPolicy(attempts: 5)) { _ in DeliveryError("no", isTransient: false) }
    #expect(
      await NotificationDelivery(channel: hopeless, clock: clock, random: RandomStream(seed: 1)).attempt(exampleNotification()) { _, _ in }
        == .failed(attempts: 1, reason: "no"))
    let failing = Script(retries: RetryPolicy(attempts: 3)) { DeliveryError("no \($0)", isTransient: true) }
    async let outcome = NotificationDelivery(channel: failing, clock: clock, random: RandomStream(seed: 1))
      .attempt(exampleNotification()) { _, _ in }
    for _ in 0..<2 { await clock.passPause(atMost: .seconds(2)) }
    #expect(await outcome == .failed(attempts: 3, reason: "no 3"))
  }

  @Test func `what is left at the end is counted and kept as dead letters`() throws {
    let harness = PluginHarness()
    var deliveries = try deliveries(harness, rates: ["max", "max"])
    deliveries.offer(exampleNotification(), to: nil)
    deliveries.offer(exampleNotification(number: 2), to: ["c1"])
    _ = deliveries.next(1)
    deliveries.settle(1, .cancelled)
    #expect(!deliveries.isIdle)
    #expect(deliveries.abandon() == 3)
    #expect(deliveries.isIdle)
    #expect(harness.deadLetters.map(\.origin) == ["channel c0", "channel c1", "channel c1"])
  }

  @Test func `notifications of one time are counted, and late ones apart`() {
    var numbers = AlertNumbers()
    #expect([5, 5, 7, 5, 7, 6, 8].map { numbers.next(at: Timestamp(ns: $0)) } == [1, 2, 1, -1, 2, -2, 1])
  }

  @Test func `an id is the same for the same alert and differs where anything does`() {
    let one = exampleNotification()
    #expect(one.id == exampleNotification().id)
    #expect(one.id == exampleNotification("other words").id)
    #expect(one.id != exampleNotification(number: 2).id)
    #expect(one.id != exampleNotification(rule: "other").id)
  }

  @Test func `a queue keeps order through growing and going round`() {
    var queue = Queue<Int>(limit: 20)
    var expected: [Int] = []
    var random = RandomStream(seed: 7)
    for number in 0..<1000 {
      if Bool.random(using: &random) {
        let displaced = queue.append(number)
        expected.append(number)
        #expect(displaced == (expected.count > 20 ? expected.removeFirst() : nil))
      } else {
        #expect(queue.popFirst() == (expected.isEmpty ? nil : expected.removeFirst()))
      }
      #expect(queue.count == expected.count)
    }
  }
}
