import MarketData
import TestSupport
import Testing

@testable import FileReplay

@Suite struct MergeTests {
  static func file(_ name: String, _ rows: [(time: Int, price: Int)]) -> ReplayInput {
    let text = "symbol,price,time\n" + rows.map { "\(name),\($0.price),\($0.time)\n" }.joined()
    return ReplayInput(name: name, contents: .bytes(Array(text.utf8)))
  }

  static func seconds(_ value: Int64) -> Timestamp { Timestamp(ns: value * 1_000_000_000) }

  @Test func `merges by time, ties in the order of the files`() {
    let inputs = [
      Self.file("A", [(1, 0), (3, 1), (3, 2), (9, 3)]), Self.file("B", [(1, 0), (2, 1), (3, 2)]), Self.file("C", []),
      Self.file("D", [(0, 0), (3, 1)]),
    ]
    for limit in [1, 2, 100] {
      let outcome = run(as: Trade.self, inputs, limit: limit)
      #expect(outcome.events.map { "\($0.symbol)\($0.price)" } == ["D0", "A0", "B0", "B1", "A1", "A2", "B2", "D1", "A3"])
    }
  }

  @Test func `keeps the order inside a file and agrees with a plain merge`() {
    var random = SplitMix(11)
    for round in 0..<60 {
      let isSorted = round % 2 == 0
      let files = (0..<Int.random(in: 2...6, using: &random)).map { _ in
        let times = (0..<Int.random(in: 0...1500, using: &random)).map { _ in Int.random(in: 0...300, using: &random) }
        return (isSorted ? times.sorted() : times).enumerated().map { (time: $0.element, price: $0.offset) }
      }
      let inputs = files.enumerated().map { Self.file("F\($0.offset)", $0.element) }
      // Always the earliest head, the first file on a tie.
      var next = files.map { _ in 0 }
      var expected: [String] = []
      while let i = files.indices.filter({ next[$0] < files[$0].count }).min(by: {
        (files[$0][next[$0]].time, $0) < (files[$1][next[$1]].time, $1)
      }) {
        expected.append("F\(i) \(next[i])")
        next[i] += 1
      }
      let outcome = run(as: Trade.self, inputs, limit: Int.random(in: 1...700, using: &random))
      #expect(outcome.events.map { "\($0.symbol) \($0.price)" } == expected)
    }
  }

  @Test func `replays events from a time on and before another`() {
    let input = [Self.file("A", [(1, 0), (5, 1), (2, 2), (4, 3), (3, 4), (2, 5)])]
    let outcome = run(
      as: Trade.self, input,
      options {
        $0.from = Self.seconds(2)
        $0.until = Self.seconds(4)
      })
    #expect(outcome.events.map { "\($0.price)" } == ["2", "4", "5"])
    #expect(outcome.counts == ReplayCounts(events: 3, outside: 3, malformed: 0))
  }

  @Test func `starts over as often as asked, and says which loop a run belongs to`() throws {
    let inputs = [Self.file("A", [(1, 0), (3, 1)]), Self.file("B", [(2, 0)])]
    for (loops, expected) in [(ReplayLoops.times(1), 1), (.times(3), 3), (.endless, 5)] {
      var replay = try Replay<Trade>(inputs, options { $0.loops = loops })
      var seen: [String] = []
      while seen.count < 15 {
        var run: [Trade] = []
        if try replay.next(limit: 2, into: { run.append($0) }, noted: { _ in .skip }) == 0 { break }
        seen += run.map { "\(replay.position.loop) \($0.symbol)\($0.price)" }
      }
      #expect(seen == (0..<expected).flatMap { ["\($0) A0", "\($0) B0", "\($0) A1"] })
      #expect(replay.counts.events == 3 * expected)
    }
    #expect(run(as: Trade.self, [Self.file("A", [])], options { $0.loops = .endless }).events == [])
  }

  @Test func `knows how much it has read, and takes any limit`() throws {
    var replay = try Replay<Trade>([Self.file("A", [(1, 0), (3, 1)]), Self.file("B", [(2, 0)])], options())
    // "symbol,price,time\n" has 18 bytes, each row 6.
    #expect(replay.progress.size == 54)
    #expect(try replay.next(limit: .max, into: { _ in }, noted: { _ in .skip }) == 3)
    #expect(replay.progress.read == 54)
    #expect(try replay.next(limit: .max, into: { _ in }, noted: { _ in .skip }) == 0)
    #expect(try replay.next(limit: 0, into: { _ in }, noted: { _ in .skip }) == 0)
  }

  @Test func `goes on at a position`() throws {
    let inputs = [Self.file("A", [(1, 0), (3, 1)]), Self.file("B", [(2, 0)])]
    let looped = options { $0.loops = .times(3) }
    let all = run(as: Trade.self, inputs, looped).events
    for count in 0...9 {
      var first = try Replay<Trade>(inputs, looped)
      for _ in 0..<count { _ = try first.next(limit: 1, into: { _ in }, noted: { _ in .skip }) }
      let position = first.position
      var second = try Replay<Trade>(inputs, looped)
      let reached = try second.skip(to: position, noted: { _ in .skip })
      #expect(reached && second.position == position)
      var rest: [Trade] = []
      while try second.next(limit: 4, into: { rest.append($0) }, noted: { _ in .skip }) > 0 {}
      #expect(rest == Array(all[count...]))
    }
    var beyond = try Replay<Trade>(inputs, looped)
    #expect(try !beyond.skip(to: ReplayPosition(loop: 2, events: 4), noted: { _ in .skip }))
  }

  @Test func `a position is written, and one that no run has had is refused`() throws {
    #expect(try encoded(ReplayPosition(loop: 1, events: 2)) == #"{"events":2,"loop":1}"#)
    #expect(read(ReplayPosition.self, #"{"events":2,"loop":1}"#) == ReplayPosition(loop: 1, events: 2))
    #expect(read(ReplayPosition.self, #"{"events":-1,"loop":1}"#) == nil)
    #expect(read(ReplayPosition.self, #"{"events":1,"loop":9223372036854775807}"#) == nil)
  }

  @Test func `stops at the first malformed row where asked, after the events before it`() throws {
    let bad = ReplayInput(name: "bad", contents: .bytes(Array("symbol,price,time\nX,0,1\nX,x,2\nX,2,3\n".utf8)))
    let one = run(as: Trade.self, [bad], limit: 100, policy: .stop)
    #expect(one.events.map { "\($0.symbol)\($0.price)" } == ["X0"])
    #expect(one.error?.description == "bad:3: 'price' is not a number: 'x'")
    let two = run(as: Trade.self, [Self.file("A", [(0, 0), (2, 1), (4, 2)]), bad], limit: 100, policy: .stop)
    #expect(two.events.map { "\($0.symbol)\($0.price)" } == ["A0", "X0"])
    #expect(two.error?.code == .malformedRow)
    #expect(two.malformed.count == 1)
    // The file that failed has ended; the others continue.
    var replay = try Replay<Trade>([Self.file("A", [(0, 0), (2, 1), (4, 2)]), bad], options())
    var seen: [Trade] = []
    #expect(throws: ReplayError.self) {
      while try replay.next(limit: 100, into: { seen.append($0) }, noted: { _ in .stop }) > 0 {}
    }
    #expect(replay.position.events == seen.count)
    while try replay.next(limit: 100, into: { seen.append($0) }, noted: { _ in .stop }) > 0 {}
    #expect(seen.map { "\($0.symbol)\($0.price)" } == ["A0", "X0", "A1", "A2"])
    #expect(replay.position.events == 4)
    #expect(replay.counts == ReplayCounts(events: 4, outside: 0, malformed: 1))
  }

  @Test func `refuses options that contradict each other`() {
    func message(_ change: (inout ReplayOptions) -> Void) -> String? {
      run(as: Trade.self, [Self.file("A", [(1, 1)])], options(change)).error?.description
    }
    #expect(
      message { $0.columns = ["prise": "x"] }
        == "file_replay: the event has no field 'prise'; did you mean 'price'?"
    )
    #expect(message { $0.columns = ["price": ""] } == "file_replay: the column for 'price' is empty")
    #expect(
      message { $0.zone = "America/New_Yrok" } == "file_replay: unknown time zone 'America/New_Yrok'; did you mean 'America/New_York'?")
    #expect(message { $0.priceScale = 0 } == "file_replay: the price scale must be at least 1, got 0")
    #expect(message { $0.loops = .times(0) } == "file_replay: the count of loops must be at least 1, got 0")
    #expect(
      message {
        $0.format = .jsonLines
        $0.columns = ["price": "a..b"]
      } == "file_replay: 'a..b' is not a path for 'price'; paths are written like data.p or tick[0].px")
    #expect(
      message {
        $0.from = Self.seconds(2)
        $0.until = Self.seconds(2)
      } == "file_replay: 'from' (1970-01-01T00:00:02Z) must be before 'until' (1970-01-01T00:00:02Z)")
    #expect((run([]) as Outcome<Trade>).error?.description == "file_replay: there is no file to replay")
  }

  @Test func `says how long to wait at each speed`() throws {
    let first = Self.seconds(100)
    func wait(_ speed: String, _ time: Int64, _ elapsed: Duration) throws -> Duration {
      Pacing(speed: try #require(ReplaySpeed(speed)), first: first).wait(before: Self.seconds(time), elapsed: elapsed)
    }
    #expect(try wait("max", 200, .zero) == .zero)
    #expect(try wait("1x", 160, .zero) == .seconds(60))
    #expect(try wait("1x", 160, .seconds(59)) == .seconds(1))
    #expect(try wait("1x", 160, .seconds(61)) == .zero)
    #expect(try wait("10x", 160, .seconds(1)) == .seconds(5))
    #expect(try wait("2.5x", 105, .zero) == .seconds(2))
    #expect(try wait("0.5x", 101, .zero) == .seconds(2))
    #expect(try wait("1x", 99, .zero) == .zero)
    let far = Pacing(speed: .times(Quantity(raw: 1)), first: Timestamp(ns: .min)).due(Timestamp(ns: .max))
    // 2^64 - 1 ns, a thousand million times as slow: more than the limit of a century.
    #expect(far == .seconds(3_162_240_000))
    for bad in ["", "x", "0x", "-1x", "1", "fast", "1x1"] { #expect(ReplaySpeed(bad) == nil) }
  }
}
