internal import NIOCore
@testable import NATS
internal import StockbusPlugin

extension Target {
  /// A NATS server's lines are the same however the bytes are cut, no more is held than the limits allow, and what the client makes of
  /// messages is an answer or an error.
  static let nats = Target(
    "nats", "a NATS server's lines and answers (the first bytes choose the limits and how they are cut)", limit: 2048,
    words: [
      "MSG ", "HMSG ", "INFO {", "-ERR '", "PING\r\n", "NATS/1.0 409 Consumer Deleted\r\n\r\n", "$JS.ACK.T.c.1.2.3.4.5", "\"seq\":", "\r\n",
    ],
    seeds: natsSeeds, budget: 200
  ) { bytes in
    var choices = Choices(bytes)
    var limits = NATSLimits()
    limits.line = [30, 100, 1 << 16][choices.pick(3)]
    limits.payload = [0, 40, 1 << 20][choices.pick(3)]
    limits.headers = [10, 60, 1 << 16][choices.pick(3)]
    let sizes = [1 + choices.pick(64), 1 + choices.pick(16)]
    let stream = choices.rest
    let whole = read(stream, [stream.count], limits)
    for cut in [sizes, [1], [2, 3]] {
      let other = read(stream, cut, limits)
      law(other == whole, "cut into \(cut) it gives \(other), whole \(whole)")
    }
    checkRuns(stream)
  }

  /// Acknowledgements that are read at once are those of single messages.
  private static func checkRuns(_ stream: ArraySlice<UInt8>) {
    var runs: [StoredRun] = []
    let taken = stream.withUnsafeBufferPointer {
      AcknowledgementReader(subject: "_INBOX.a.p.", subscription: 2).take($0, into: &runs)
    }
    var single: [String] = []
    var reader = NATSReader(limits: NATSLimits())
    reader.append(ByteBuffer(bytes: stream.prefix(taken)))
    while case .message(let message)? = try? reader.next() {
      let sequence = (try? PublishAcknowledgement(message))?.sequence ?? 0
      single.append("\(message.subjectNumber ?? -1) \(sequence)")
    }
    let found = runs.flatMap { run in (0..<run.count).map { "\(run.first + $0) \(run.sequence + UInt64($0))" } }
    law(found == single && reader.held == 0, "as runs \(found), singly \(single)")
  }

  private static func read(_ stream: ArraySlice<UInt8>, _ sizes: [Int], _ limits: NATSLimits) -> [String] {
    var reader = NATSReader(limits: limits)
    var pull = JetStreamPull(stream: "T", consumer: "c")
    var lines: [String] = []
    do throws(NATSError) {
      for piece in pieces(stream, sizes) {
        reader.append(ByteBuffer(bytes: piece))
        while let operation = try reader.next() { lines.append(words(operation, limits, &pull)) }
        law(reader.held <= limits.line + limits.payload + 4 + piece.count, "\(reader.held) bytes are held")
      }
    } catch {
      // How long a refused line is depends on the cuts.
      if case .tooLarge(let what, _, _) = error { return lines + [what] }
      law(!error.description.isEmpty, "an error is told")
      lines.append("\(error)")
    }
    return lines
  }

  private static func words(_ operation: NATSOperation, _ limits: NATSLimits, _ pull: inout JetStreamPull) -> String {
    switch operation {
    case .info(let info): return "\(info) \(info.release.map { "\($0)" } ?? "")"
    case .ping: return "ping"
    case .pong: return "pong"
    case .ok: return "ok"
    case .error(let text): return "\(text) \(NATSError.meaning(of: text).map { "\($0)" } ?? "")"
    case .message(let message):
      law(message.count <= limits.payload, "a message of \(message.count) bytes over the limit of \(limits.payload)")
      let acknowledgement = Result { () throws(NATSError) in try PublishAcknowledgement(message) }
      let place = Result { () throws(NATSError) in try pull.take(message) }
      let headers = message.headers.map { "\($0.status ?? 0) \($0.statusText) \($0.value("A") ?? "")" } ?? ""
      return
        "\(message.subject) \(message.reply ?? "") \(message.subjectNumber ?? -1) \(headers) \(message.beginning()) \(acknowledgement) \(place)"
    }
  }

  private static let natsSeeds: [[UInt8]] = [
    "INFO {\"version\":\"2.10.23\",\"max_payload\":1048576,\"headers\":true,\"nonce\":\"x\"}\r\nPONG\r\n",
    "MSG _INBOX.a.p.17 2 27\r\n{\"stream\":\"TICKS\", \"seq\":7}\r\nMSG _INBOX.a.p.18 2 26\r\n{\"stream\":\"TICKS\",\"seq\":8}\r\n",
    "HMSG ticks.0 3 $JS.ACK.TICKS.c.1.1.1.1700000000000000000.0 20 22\r\nNATS/1.0\r\nA: b c\r\n\r\n{}\r\n",
    "HMSG _INBOX.a.s.1 3 51 51\r\nNATS/1.0 408 Timeout\r\nNats-Pending-Messages: 17\r\n\r\n\r\n-ERR 'Slow Consumer'\r\n",
  ].map { [2, 2, 2, 7, 3] + Array($0.utf8) }
}
