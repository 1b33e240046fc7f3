internal import EventBus
internal import MarketData
@testable import Programs
internal import StockbusPacking
internal import StockbusPlugin
internal import StockbusSystem

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension Target {
  /// A plugin's lines and frames mean the same however the pipe cuts them, no more is held than a message, and no answer makes the host
  /// believe that more was finished than it gave.
  static let programs = Target(
    "programs", "what a plugin that is a process says (the first bytes choose lines or frames, and how the pipe cuts them)", limit: 4096,
    words: [
      "{\"hello\":1", "{\"ready\":true}", "{\"events\":[", "{\"done\":", ",\"filtered\":", ",\"state\":", "{\"drained\":true}",
      "{\"ended\":true}",
      "{\"commit\":true", "{\"reply\":\"", "{\"refused\":\"", "{\"failed\":\"", "{\"log\":\"", ",\"level\":\"", "{\"trouble\":null}",
      "{\"reject\":\"",
      "{\"lost\":", "{\"note\":\"", "{\"counter\":\"", ",\"add\":", "{\"connection\":\"connected\"", "{\"gap\":\"", "{\"remembers\":true}",
      "\n",
    ],
    seeds: programSeeds, budget: 400
  ) { bytes in
    var choices = Choices(bytes)
    let isFramed = choices.coin()
    let sizes = [1 + choices.pick(64), 1 + choices.pick(16)]
    let reply = choices.coin()
    let stream = choices.rest
    var listener = ProgramListener(isFramed, reply)
    let whole = listener.hear([stream])
    for cut in [sizes, [1], [2, 3]] {
      var listener = ProgramListener(isFramed, reply)
      let other = listener.hear(pieces(stream, cut))
      law(other == whole, "cut into \(cut) it says \(other), whole \(whole)")
    }
  }

  private static let programSeeds: [[UInt8]] = {
    let lines = [
      "{\"hello\":1,\"name\":\"x\",\"takes\":[\"trade\"],\"emits\":\"trade\"}\n{\"ready\":true}\n",
      "{\"events\":[{\"symbol\":\"AAPL\",\"price\":189.25,\"size\":100,\"side\":\"buy\",\"time\":\"2013-10-08T13:30:00Z\","
        + "\"received\":\"2013-10-08T13:30:00.5Z\"}]}\n{\"done\":2,\"filtered\":1,\"state\":{\"a\":[1,2]}}\n",
      "{\"log\":\"a\",\"level\":\"warning\"}\n{\"trouble\":\"b\"}\n{\"lost\":3,\"reason\":\"c\"}\n{\"counter\":\"d\",\"add\":5}\n{\"drained\":true}\n",
      "{\"gap\":\"s\",\"expected\":7,\"got\":9}\n{\"reply\":\"ok\"}\n{\"commit\":true,\"state\":1}\n{\"ended\":true}\n",
    ]
    var out = ByteWriter()
    for line in lines.joined().split(separator: "\n") where !line.hasPrefix("{\"events\"") {
      let frame = Frame.begin(.message, in: &out)
      out.append(String(line))
      Frame.end(frame, in: &out)
    }
    var packer = EventPacker(PackedLayout(Trade.self))
    let events = Frame.begin(.events, in: &out)
    Frame.put(last: 0, in: &out)
    _ = packer.pack([Trade.schema.example, Trade.schema.example].span, from: 0, most: 2, to: &out)
    Frame.end(events, in: &out)
    return lines.map { [0, 7, 3, 0] + Array($0.utf8) } + [[1, 7, 3, 0] + out.withBytes { Array($0) }]
  }()
}

/// The reading half of a conversation, over a pipe as it is in a run.
private struct ProgramListener: ~Copyable {
  /// As many events as a program may owe an answer for.
  static let given = 1024

  private let ends: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
  private var input = ProgramInput()
  private var frames: FramedEvents?
  private var progress = ProgramProgress()
  private var symbols = SymbolTally(limit: 20)
  private let wantsReply: Bool
  private let topic = Topic<Trade>("fuzzed", capacity: 1 << 8)

  init(_ isFramed: Bool, _ wantsReply: Bool) {
    guard let ends = try? FileDescriptor.pipe() else { fatalError("no pipe can be made") }
    self.ends = ends
    _ = fcntl(ends.readEnd.rawValue, F_SETFL, O_NONBLOCK)
    input.isFramed = isFramed
    frames = isFramed ? FramedEvents() : nil
    progress.sent = Self.given
    self.wantsReply = wantsReply
  }

  deinit {
    try? ends.readEnd.close()
    try? ends.writeEnd.close()
  }

  /// What the program has said, in words.
  mutating func hear(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    guard var outlet = topic.claim() else { return [] }
    var words: [String] = []
    do {
      var passed = 0
      for piece in pieces {
        _ = try ends.writeEnd.writeAll(piece)
        while input.read(ends.readEnd) == .something {}
        // A reply is looked for among all that waits, as long as a command waits for it.
        if wantsReply, let reply = try input.takeReply(past: &passed) { return [word(reply)] }
        if wantsReply { continue }
        while let message = try input.next() {
          words.append(word(message))
          try take(message, &outlet)
        }
        law(input.count <= ProgramInput.messageLimit + piece.count, "\(input.count) bytes are held")
      }
    } catch {
      law(!"\(error)".isEmpty, "an error is told")
      words.append("\(error)")
    }
    return words
  }

  private mutating func take(_ message: ProgramMessage, _ outlet: inout Outlet<Trade>) throws {
    switch message {
    case .events(let bytes):
      if frames != nil {
        _ = try frames?.take(bytes, into: &outlet, .open)
      } else {
        _ = try EventLine.read(bytes, into: &outlet, &symbols)
      }
      outlet.commit()
    case .done(let message): try progress.finish(message)
    case .committed(let message), .drained(let message): try progress.takeState(message)
    default: break
    }
    let left = progress.takeFiltered()
    law(progress.finished >= 0 && progress.finished <= Self.given, "\(progress.finished) are finished of \(Self.given)")
    law(left >= 0 && left <= Self.given, "\(left) are left out of \(Self.given)")
    law((progress.state?.description.utf8.count ?? 0) <= ProgramProgress.stateLimit, "a state beyond its limit is kept")
  }

  private func word(_ message: ProgramMessage) -> String {
    switch message {
    case .events(let bytes): "events of \(bytes.count) bytes"
    case .hello(let value), .done(let value), .drained(let value), .committed(let value): "\(message.name) \(value)"
    case .reply(let text), .refused(let text), .failed(let text): "\(message.name) \(text)"
    case .remark(let remark): "\(remark)"
    case .ready, .ended: message.name
    }
  }
}
