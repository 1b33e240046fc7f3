import TestSupport
import StockbusNetwork
import Testing

@testable import NATS

/// Which messages are confirmed, told by few numbers for acknowledgements.
@Suite struct SentMessagesTests {
  /// A slow model: each message that was sent, and whether it is confirmed.
  private struct Model {
    var acknowledged: [Bool] = []
    var confirmed: Int { acknowledged.firstIndex(of: false) ?? acknowledged.count }
  }

  @Test(arguments: 0..<200)
  func `of a writer among others, in any order of acknowledgements`(seed: Int) throws {
    var random = SplitMix(UInt64(seed))
    let inFlight = Int.random(in: 1...9, using: &random)
    var messages = SentMessages(inFlight: inFlight)
    var model = Model()
    for step in 0..<300 {
      let room = inFlight - (model.acknowledged.count - model.confirmed)
      if room > 0, Bool.random(using: &random) {
        let count = Int.random(in: 1...room, using: &random)
        let numbers = messages.nextReplies
        #expect((0..<count).allSatisfy { numbers[$0] == (model.acknowledged.count + $0) % inFlight })
        model.acknowledged += Array(repeating: false, count: count)
        messages.send(count)
      } else if let first = (model.confirmed..<model.acknowledged.count).filter({ !model.acknowledged[$0] }).randomElement(using: &random) {
        // From its number for the acknowledgement on, whoever has those behind it.
        let begin = first % inFlight
        var reply = begin
        func next() -> Int? {
          (model.confirmed..<model.acknowledged.count).first { $0 % inFlight == reply && !model.acknowledged[$0] }
        }
        var run: [Int] = []
        while reply < inFlight, run.count < 4, let number = next() {
          run.append(number)
          reply += 1
        }
        try messages.confirm(begin, at: UInt64(step * 10 + 1), run.count)
        for number in run { model.acknowledged[number] = true }
      }
      #expect(messages.sent == model.acknowledged.count && messages.confirmed == model.confirmed)
    }
    #expect(model.confirmed > 20)
  }

  @Test(arguments: 0..<100)
  func `of a writer that knows the numbers in the stream, with more on their way than there are numbers`(seed: Int) throws {
    var random = SplitMix(UInt64(seed))
    let last = UInt64.random(in: 0...1_000_000, using: &random)
    let replies = NATSConnection.fewReplies
    var messages = SentMessages(behind: last)
    var model = Model()
    for _ in 0..<300 {
      if model.acknowledged.count - model.confirmed < 1000, Bool.random(using: &random) {
        let count = Int.random(in: 1...200, using: &random)
        model.acknowledged += Array(repeating: false, count: count)
        messages.send(count)
      } else if let first = (model.confirmed..<model.acknowledged.count).filter({ !model.acknowledged[$0] }).randomElement(using: &random) {
        var run = 1
        while (first + run) % replies != 0, first + run < model.acknowledged.count, !model.acknowledged[first + run], run < 100 { run += 1 }
        try messages.confirm(first % replies, at: last + UInt64(first) + 1, run)
        for number in first..<first + run { model.acknowledged[number] = true }
      }
      #expect(messages.sent == model.acknowledged.count && messages.confirmed == model.confirmed)
    }
    #expect(model.confirmed > replies)
  }

  @Test func `acknowledgements of what was not sent`() throws {
    let fault = NATSError.protocolViolation("an acknowledgement of a message that was not sent")
    var among = SentMessages(inFlight: 4)
    among.send(3)
    #expect(throws: fault) { try among.confirm(3, at: 1) }
    #expect(throws: fault) { try among.confirm(4, at: 1) }
    #expect(throws: fault) { try among.confirm(2, at: 1, 2) }
    try among.confirm(0, at: 1, 3)
    #expect(throws: fault) { try among.confirm(0, at: 1) }
    #expect(among.confirmed == 3)
    var known = SentMessages(behind: 10)
    known.send(3)
    #expect(throws: fault) { try known.confirm(0, at: 10) }
    #expect(throws: fault) { try known.confirm(3, at: 14) }
    // Another message's number in the stream.
    #expect(throws: fault) { try known.confirm(0, at: 12) }
    #expect(throws: fault) { try known.confirm(2, at: 13, 2) }
    #expect(throws: fault) { try known.confirm(0, at: .max) }
    // Again is nothing new.
    for _ in 0..<2 { try known.confirm(0, at: 11, 3) }
    #expect(known.confirmed == 3)
  }
}
