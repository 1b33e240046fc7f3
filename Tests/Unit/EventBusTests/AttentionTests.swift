import MarketData
import Synchronization
import Testing

@testable import EventBus

/// Who is woken: the bits by which readers announce that they sleep.
@Suite struct AttentionTests {
  @Test func `a reader that shares its bit and is awake has missed nothing, whoever else has announced itself`() {
    let topic = tickTopic()
    let inlets = (0..<64).map { _ in topic.attach(Parker()) }
    let (awake, asleep) = (inlets[62], inlets[63])
    #expect(awake.bit == asleep.bit)
    awake.announce()
    awake.retract()
    var outlet = Outlet(topic)
    outlet.send(.make(1))
    outlet.commit()
    asleep.announce()
    #expect(!awake.mustWake && asleep.mustWake)
  }

  @Test func `a hundred readers share the bits and are all woken`() async {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let inlets = (0..<100).map { _ in topic.attach(Parker()) }
    #expect(Set(inlets.map(\.bit)).count == 61)
    for inlet in inlets { inlet.announce() }
    inlets[99].retract()  // it shares its bit with others, whose announcements stay
    outlet.send(.make(1))
    outlet.commit()
    for inlet in inlets { await inlet.parker.sleep() }  // returns because each was woken
    #expect(inlets.allSatisfy { drain($0) == [1] })
  }

  @Test func `a bit goes to the next reader, and its former one takes nothing back`() async {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let first = topic.attach(Parker())
    first.announce()
    first.detach()
    let second = topic.attach(Parker())
    #expect(second.bit == first.bit)
    second.announce()
    first.retract()
    outlet.send(.make(1))
    outlet.commit()
    await second.parker.sleep()
    #expect(drain(second) == [1])
  }

  @Test func `a publisher without lossy readers does not look for mailboxes`() {
    let topic = tickTopic()
    let one = topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate))
    let two = topic.attach(Parker(), options: SubscriptionOptions(overflow: .dropOldest))
    one.detach()
    #expect(topic.attention.pointee.load(ordering: .relaxed) == Topic<Tick>.mailboxBit)
    two.detach()
    #expect(topic.attention.pointee.load(ordering: .relaxed) == 0)
  }
}
