import TestSupport
import Testing

@testable import NATS

/// How far a batch is sent and confirmed, without a connection.
@Suite struct BatchProgressTests {
  @Test func `after a lost connection what was not confirmed is sent again, and counted as such`() {
    var progress = BatchProgress()
    #expect(progress.isUnsent && !progress.follows(session: 1))
    // Seven messages of the session belong to earlier batches.
    progress.begin(session: 1, sent: 7, held: 0)
    #expect(progress.follows(session: 1) && progress.room(inFlight: 5) == 5)
    #expect(progress.send(5) == 0)
    progress.confirm(6)
    #expect(progress.confirmed == 0)
    progress.confirm(9)
    #expect(progress.confirmed == 2 && progress.room(inFlight: 5) == 2 && !progress.isConfirmed)
    // The stream holds a third message, whose confirmation was lost.
    progress.begin(session: 2, sent: 0, held: 3)
    #expect(!progress.follows(session: 1) && progress.confirmed == 3 && progress.next == 3)
    #expect(progress.send(4) == 2)
    progress.confirm(4)
    #expect(progress.confirmed == 7 && progress.isConfirmed)
  }

  /// The model lists the messages of each session one by one.
  @Test(arguments: 0..<200) func `it counts as a list of all messages does`(seed: Int) {
    var random = SplitMix(seed)
    var progress = BatchProgress()
    let inFlight = Int.random(in: 1...9, using: &random)
    var everSent: Set<Int> = []
    var confirmed: Set<Int> = []
    /// The present session's messages; nil for those of earlier batches.
    var session: [Int?] = []
    var acknowledged = 0
    for number in 1...20 {
      let before = Int.random(in: 0...3, using: &random)
      session = Array(repeating: nil, count: before)
      acknowledged = 0
      // Of what is not confirmed the stream holds some, from the first on.
      let held = confirmed.count + Int.random(in: 0...(everSent.count - confirmed.count), using: &random)
      confirmed.formUnion(0..<held)
      progress.begin(session: number, sent: before, held: held)
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        let next = session.compactMap(\.self).last.map { $0 + 1 } ?? held
        #expect(progress.next == next && progress.confirmed == confirmed.count)
        let onTheirWay = (confirmed.count..<max(next, confirmed.count)).count
        #expect(progress.room(inFlight: inFlight) == inFlight - onTheirWay)
        #expect(progress.isConfirmed == (onTheirWay == 0) && progress.isUnsent == everSent.isEmpty)
        if onTheirWay < inFlight, Bool.random(using: &random) {
          let new = next..<next + Int.random(in: 1...(inFlight - onTheirWay), using: &random)
          #expect(progress.send(new.count) == everSent.intersection(new).count)
          everSent.formUnion(new)
          session += new.map(\.self)
        } else {
          acknowledged = Int.random(in: acknowledged...session.count, using: &random)
          confirmed.formUnion(session.prefix(acknowledged).compactMap(\.self))
          progress.confirm(acknowledged)
        }
      }
    }
    #expect(confirmed.count > 20)
  }
}
