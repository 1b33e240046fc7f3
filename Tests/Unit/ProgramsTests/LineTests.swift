import EventBus
import TestSupport
import StockbusDecoding
import StockbusPacking
import StockbusPlugin
import StockbusSystem
import StockbusTestKit
import Testing

@testable import Programs

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A pipe that does not block.
private struct Pipe: ~Copyable {
  let reading: FileDescriptor
  let writing: FileDescriptor

  init() throws {
    (reading, writing) = try FileDescriptor.pipe()
    _ = fcntl(reading.rawValue, F_SETFL, O_NONBLOCK)
  }

  deinit { for end in [reading, writing] { try? end.close() } }

  func write(_ bytes: ArraySlice<UInt8>) throws { _ = try bytes.withUnsafeBytes { try writing.write($0) } }
}

/// What a program sends, cut and damaged in every way.
@Suite(.timeLimit(.minutes(15))) struct LineTests {
  /// Rounds of the random tests.
  private static let rounds = getenv("STOCKBUS_FUZZ_COUNT").flatMap { Int(String(cString: $0)) } ?? 300

  private func text(_ random: inout SplitMix) -> [UInt8] {
    (0..<random.upTo(200)).map { _ in random.oneIn(5) ? 10 : UInt8(97 + random.upTo(2)) }
  }

  /// The lines that have ended.
  private func lines(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast().map(Array.init)
  }

  @Test func `lines come whole and in order, however they are cut`() throws {
    var random = SplitMix(1)
    for _ in 0..<Self.rounds {
      let pipe = try Pipe()
      var buffer = LineBuffer(limit: 1 << 20, capacity: 1 + random.upTo(64))
      let bytes = text(&random)
      var (got, sent) = ([[UInt8]](), 0)
      while sent < bytes.count {
        let count = min(bytes.count - sent, 1 + random.upTo(20))
        try pipe.write(bytes[sent..<(sent + count)])
        sent += count
        while buffer.read(pipe.reading) == .something { while let line = buffer.next() { got.append(Array(line)) } }
      }
      #expect(got == lines(bytes))
    }
  }

  @Test func `a line is taken out of turn, and the others stay as they are`() throws {
    var random = SplitMix(2)
    for _ in 0..<Self.rounds {
      let pipe = try Pipe()
      var buffer = LineBuffer(limit: 1 << 20, capacity: 1 + random.upTo(64))
      let bytes = text(&random)
      let wanted = [UInt8](repeating: 97, count: random.upTo(3))
      try pipe.write(bytes[...])
      while buffer.read(pipe.reading) == .something {}
      // The slow and obvious model: a list of lines.
      var expected = lines(bytes)
      var passed = 0
      let taken = buffer.take(past: &passed) { $0.elementsEqual(wanted) }
      if let place = expected.firstIndex(of: wanted) {
        expected.remove(at: place)
        #expect(taken == wanted)
      } else {
        #expect(taken == nil)
      }
      var got: [[UInt8]] = []
      while let line = buffer.next() { got.append(Array(line)) }
      #expect(got == expected)
    }
  }

  @Test func `a damaged message is an error or another message, and no trap`() {
    var random = SplitMix(3)
    let events = (1...3).map { number -> String in
      var trade = Trade.schema.example
      trade.size = Quantity(raw: Int64(number) * 1_000_000_000)
      return Trade.schema.json(trade)
    }
    let good = Array(#"{"events":[\#(events.joined(separator: ","))],"more":[{"a":null}]}"#.utf8)
    let topic = Topic<Trade>("fuzzed", capacity: 1 << 12)
    var symbols = SymbolTally(limit: 100)
    guard var outlet = topic.claim() else {
      Issue.record("it has a writer")
      return
    }
    var json = JSONText(limit: 4096)
    var (readable, broken) = (0, 0)
    for round in 0..<(Self.rounds * 10) {
      var bytes = good
      if round > 0 {
        for _ in 0...random.upTo(3) {
          let place = random.upTo(bytes.count - 1)
          switch random.upTo(3) {
          case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
          case 1: bytes.remove(at: place)
          case 2: bytes.insert(bytes[random.upTo(bytes.count - 1)], at: place)
          default: bytes.removeSubrange(place..<min(bytes.count, place + random.upTo(30)))
          }
          if bytes.isEmpty { bytes = [0] }
        }
      }
      let isRead = bytes.withUnsafeBufferPointer { line in
        _ = EventLine.isNext(line)
        _ = try? json.value(line)
        return (try? EventLine.read(line, into: &outlet, &symbols)) != nil
      }
      outlet.rollback()
      if isRead { readable += 1 } else { broken += 1 }
      if round == 0 { #expect(isRead) }
    }
    #expect(readable > 0 && broken > readable)
    #expect(symbols.count <= 101)
  }

  @Test func `a state is written with its numbers exactly as they are`() throws {
    let numbers: JSONValue = [.null, .number("0.10"), .number("123456789012345678901234567890")]
    let state = JSONValue.object([.init("a", .number("1e400")), .init("b", numbers)])
    #expect(try written(ProgramState(value: state)).value == state)
    #expect(try encoded(ProgramState(value: .number("0.10"))) == #""0.10""#)
    #expect(read(ProgramState.self, #""{""#) == nil && read(ProgramState.self, "1") == nil)
  }
}
