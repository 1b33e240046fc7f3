import StockbusNetwork
import NIOCore
import TestSupport
import Testing

@testable import NATS

@Suite struct StoredRunTests {
  private let form = AcknowledgementReader(subject: "_INBOX.a.p.", subscription: 2)

  private func acknowledgement(_ number: Int, _ sequence: Int, _ more: String = "") -> String {
    let json = "{\"stream\":\"TICKS\",\(number % 2 == 0 ? " " : "")\"seq\":\(sequence)\(more)}"
    return "MSG _INBOX.a.p.\(number) 2 \(json.utf8.count)\r\n\(json)\r\n"
  }

  /// The runs, and the bytes that are left.
  private func take(_ text: String) -> (runs: [[Int]], rest: String) {
    var runs: [StoredRun] = []
    let bytes = Array(text.utf8)
    let taken = bytes.withUnsafeBufferPointer { form.take($0, into: &runs) }
    return (runs.map { [$0.first, Int($0.sequence), $0.count] }, String(decoding: bytes[taken...], as: UTF8.self))
  }

  @Test func `what follows each other is one run`() {
    let (runs, rest) = take((7...9).map { acknowledgement($0, $0 + 100) }.joined() + acknowledgement(10, 111) + acknowledgement(12, 112))
    #expect(runs == [[7, 107, 3], [10, 111, 1], [12, 112, 1]])
    #expect(rest == "")
  }

  @Test(arguments: [
    "", "MSG _INBOX.a.p.", "MSG _INBOX.a.p.8 2 27\r\n{\"stream\":\"TICKS\", \"seq\":8}",
    "MSG _INBOX.a.p.8 2 27\r\n{\"stream\":\"TICKS\", \"seq\":8}\r",
    // Another subject, another subscription, an answer, other sizes.
    "MSG _INBOX.a.r.8 2 27\r\n{\"stream\":\"TICKS\", \"seq\":8}\r\n", "MSG _INBOX.a.p.8 3 27\r\n{\"stream\":\"TICKS\", \"seq\":8}\r\n",
    "MSG _INBOX.a.p.8 2 x 27\r\n{\"stream\":\"TICKS\", \"seq\":8}\r\n", "MSG _INBOX.a.p.8 2 26\r\n{\"stream\":\"TICKS\", \"seq\":8}\r\n",
    "MSG _INBOX.a.p.8 2 28\r\n{\"stream\":\"TICKS\", \"seq\":8}\r\n", "MSG _INBOX.a.p.8 2 999999999999999999\r\n{}\r\n",
    "MSG _INBOX.a.p.8 2 9223372036854775807\r\n{}\r\n", "MSG _INBOX.a.p.-8 2 27\r\n{\"stream\":\"TICKS\", \"seq\":8}\r\n",
    "MSG _INBOX.a.p.9223372036854775807 2 27\r\n{\"stream\":\"TICKS\", \"seq\":8}\r\n",
    "MSG _INBOX.a.p. 2 27\r\n{\"stream\":\"TICKS\", \"seq\":8}\r\n",
    // What says more.
    "MSG _INBOX.a.p.8 2 43\r\n{\"stream\":\"TICKS\",\"seq\":8,\"duplicate\":true}\r\n",
    "MSG _INBOX.a.p.8 2 27\r\n{\"stream\":\"TICKS\", \"seq\":0}\r\n",
    "HMSG _INBOX.a.p.8 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", "PING\r\n",
  ])
  func `it stops before anything else`(_ other: String) {
    let (runs, rest) = take(acknowledgement(7, 7) + other)
    #expect(runs == [[7, 7, 1]])
    #expect(rest == other)
  }

  /// Each acknowledgement by itself, as a message: number and place in the stream.
  private func slow(_ text: String) throws -> [[Int]] {
    var reader = NATSReader(limits: NATSLimits())
    reader.append(ByteBuffer(string: text))
    var found: [[Int]] = []
    while case .message(let message)? = try reader.next() {
      found.append([message.subjectNumber ?? -1, Int(try PublishAcknowledgement(message).sequence)])
    }
    return found
  }

  @Test func `with messages between them, and wherever the bytes are cut, they are those of single messages`() throws {
    var random = SplitMix(7)
    for _ in 0..<200 {
      var (number, sequence) = (0, 1)
      var text = ""
      for _ in 0..<1 + random.upTo(40) {
        if random.upTo(9) == 0 { number += 1 }
        if random.upTo(9) == 0 { sequence += 1 }
        text += acknowledgement(number, sequence, random.upTo(9) == 0 ? ",\"duplicate\":true" : "")
        number += 1
        sequence += 1
      }
      let bytes = Array(text.utf8)
      var reader = NATSReader(limits: NATSLimits())
      var found: [[Int]] = []
      var at = 0
      while at < bytes.count {
        let end = min(bytes.count, at + 1 + random.upTo(400))
        reader.append(ByteBuffer(bytes: bytes[at..<end]))
        at = end
        while true {
          var runs: [StoredRun] = []
          reader.take(form, into: &runs)
          for run in runs { found += (0..<run.count).map { [run.first + $0, Int(run.sequence) + $0] } }
          guard case .message(let message)? = try reader.next() else { break }
          found.append([message.subjectNumber ?? -1, Int(try PublishAcknowledgement(message).sequence)])
        }
      }
      #expect(try found == slow(text))
      #expect(reader.held == 0)
    }
  }
}
