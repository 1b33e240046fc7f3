internal import LibC
internal import StockbusDecoding
internal import StockbusPacking
internal import StockbusPlugin
internal import StockbusSystem
internal import Synchronization

/// The messages of a host to the process that hosts a plugin. One task reads.
final class HostWire {
  enum Message {
    /// Valid until the next call.
    case events(UnsafeRawBufferPointer, last: Int)
    case other(JSONValue)
  }

  /// The host violates the protocol: there is nobody to report it to.
  struct Broken: Error, CustomStringConvertible { var description: String { "the host breaks the protocol" } }

  /// The longest frame of a host. A single event with long texts may be as long.
  static let frameLimit = 256 << 20
  /// How long a thread blocks while waiting for the next frame, in milliseconds: in a stream of events that is faster than being woken.
  private static let patience: Int32 = 1

  private let input: FileDescriptor
  private let readiness: PipeReadiness
  private var lines = LineBuffer(limit: frameLimit, capacity: 256 << 10)
  private var text = JSONText(limit: frameLimit)

  init(_ input: FileDescriptor) {
    self.input = input
    _ = fcntl(input.rawValue, F_SETFL, fcntl(input.rawValue, F_GETFL) | O_NONBLOCK)
    readiness = PipeReadiness(input)
  }

  /// The host's first message, which is a line.
  func hello() async throws -> JSONValue {
    while true {
      if let line = lines.next() { return try text.value(line) }
      if lines.isTooLong { throw Broken() }
      if try await !read() { throw Broken() }
    }
  }

  /// The next message; nil at the end of the input.
  func next() async throws -> Message? {
    while true {
      if let message = try waiting() { return message }
      if try await !read() { return nil }
    }
  }

  /// The next message that is present already, or arrives without any waiting; nil if there is none.
  func nextAtOnce() throws -> Message? {
    if let message = try waiting() { return message }
    return lines.read(input) == .something ? try waiting() : nil
  }

  private func waiting() throws -> Message? {
    guard let (kind, content) = lines.nextFrame() else {
      if lines.hasLongFrame { throw Broken() }
      return nil
    }
    switch Frame.Kind(rawValue: kind) {
    case .message: return .other(try text.value(content.bindMemory(to: UInt8.self)))
    case .events:
      guard let last = Frame.last(of: content).flatMap({ Int(exactly: $0) }) else { throw Broken() }
      return .events(UnsafeRawBufferPointer(rebasing: content[Frame.numberSize...]), last: last)
    case nil: throw Broken()
    }
  }

  /// Waits until some bytes were read; returns false at the end of the input.
  private func read() async throws -> Bool {
    while true {
      switch lines.read(input) {
      case .something: return true
      case .end: return false
      case .nothing:
        var entry = pollfd(fd: input.rawValue, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, Self.patience) == 0 { await readiness.wait() }
        try Task.checkCancellation()
      }
    }
  }
}

/// The messages of the process that hosts a plugin to its host: whole frames, from any thread. It waits while the host reads nothing.
final class HostVoice: Sendable {
  private let output: FileDescriptor
  private let lock = Mutex(())

  init(_ output: FileDescriptor) { self.output = output }

  /// The answer to `hello`, which is the last line.
  func answer(_ message: JSONValue) {
    var out = ByteWriter()
    out.append("\(message)\n")
    write(out)
  }

  func say(_ message: JSONValue) {
    var out = ByteWriter()
    Self.put(message, to: &out)
    write(out)
  }

  static func put(_ message: JSONValue, to out: inout ByteWriter) {
    let frame = Frame.begin(.message, in: &out)
    out.append("\(message)")
    Frame.end(frame, in: &out)
  }

  /// Writes whole frames. Frames that a closed host does not read are no loss: the host has killed this process.
  func write(_ out: borrowing ByteWriter) {
    lock.withLock { _ in out.withBytes { bytes in _ = try? output.writeWhole(UnsafeRawBufferPointer(bytes)) } }
  }
}
