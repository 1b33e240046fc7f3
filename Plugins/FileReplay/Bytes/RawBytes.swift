internal import StockbusFiles

/// Where rows come from: a file, or bytes in memory.
enum ReplayContents: Sendable {
  /// A path, `-` for standard input; opened when the replay reaches it, anew in every loop. Waiting for what a pipe has not got yet
  /// ends with the `Halt`.
  case file(String, until: Halt = Halt())
  case bytes([UInt8])
  /// The first bytes of a plain file, as many as that: what stands behind them is as bytes of a pipe that have not come yet.
  case head(String, Int)

  /// Bytes there are where that is known without opening anything: of plain files and memory.
  var knownSize: Int? {
    switch self {
    case .file(let path, _), .head(let path, _): InputDescriptor.plainSize(of: path)
    case .bytes(let bytes): bytes.count
    }
  }
}

/// Bytes as they lie on the disk, with the first few looked at in advance.
///
/// Unsafe inside because reading fills memory by pointer.
struct RawBytes: ~Copyable {
  private let name: String
  private let descriptor: InputDescriptor?  // nil for bytes in memory
  private let memory: [UInt8]
  private var position = 0
  private var ahead: [UInt8] = []
  /// Bytes that are left of a head.
  private var left = Int.max
  /// True of a head, behind which there is more.
  private let isHead: Bool

  /// Nothing.
  init() {
    name = ""
    isHead = false
    descriptor = nil
    memory = []
  }

  /// Throws `unreadable` where the file cannot be opened.
  init(_ contents: ReplayContents, name: String) throws(ReplayError) {
    self.name = name
    isHead = if case .head = contents { true } else { false }
    switch contents {
    case .bytes(let bytes):
      memory = bytes
      descriptor = nil
    case .file(let path, let halt):
      memory = []
      descriptor = try Self.open(path, name, halt)
    case .head(let path, let count):
      memory = []
      left = count
      descriptor = try Self.plain(path, name)
    }
  }

  private static func open(_ path: String, _ name: String, _ halt: Halt) throws(ReplayError) -> InputDescriptor {
    do throws(InputDescriptor.Failure) { return try InputDescriptor(path, halt: halt) } catch {
      throw ReplayError(code: .unreadable, file: name, place: nil, message: "cannot be opened: \(error.text)")
    }
  }

  /// A file that a pipe may have taken the place of by now; nothing of that is read.
  private static func plain(_ path: String, _ name: String) throws(ReplayError) -> InputDescriptor {
    let opened = try open(path, name, Halt())
    if opened.size == nil { throw ReplayError(code: .unreadable, file: name, place: nil, message: "is no plain file") }
    return opened
  }

  /// Bytes handed out so far.
  var offset: Int { position }

  /// How many there are; nil for a pipe and the like.
  var size: Int? { descriptor.map { $0.size } ?? memory.count }

  /// True where bytes come when they come.
  var isLive: Bool { isHead || descriptor?.isLive ?? false }

  /// Whether reading would not wait.
  var isReady: Bool { position < ahead.count || (left > 0 && descriptor?.isReady ?? true) }

  /// The first bytes, at most `count`, which stay to be read; to be called before anything is read.
  mutating func peek(_ count: Int) throws(ReplayError) -> [UInt8] {
    position = ahead.count
    while ahead.count < count {
      var chunk = [UInt8](repeating: 0, count: count - ahead.count)
      let got = try take(&chunk)
      if got == 0 { break }
      ahead += chunk[..<got]
      position += got
    }
    position = 0
    return ahead
  }

  private mutating func take(_ chunk: inout [UInt8]) throws(ReplayError) -> Int {
    let result: Result<Int, ReplayError> = chunk.withUnsafeMutableBufferPointer { buffer in
      do throws(ReplayError) { return .success(try fetch(buffer.baseAddress.unsafelyUnwrapped, buffer.count)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Fills up to `capacity` bytes; 0 at the end.
  mutating func read(into: UnsafeMutablePointer<UInt8>, capacity: Int) throws(ReplayError) -> Int {
    if position < ahead.count {
      let count = min(capacity, ahead.count - position)
      for i in 0..<count { into[i] = ahead[position + i] }
      position += count
      return count
    }
    let count = try fetch(into, capacity)
    position += count
    return count
  }

  private mutating func fetch(_ into: UnsafeMutablePointer<UInt8>, _ capacity: Int) throws(ReplayError) -> Int {
    guard let descriptor else {
      let count = min(capacity, memory.count - position)
      memory.withUnsafeBufferPointer { if count > 0 { into.update(from: $0.baseAddress.unsafelyUnwrapped + position, count: count) } }
      return count
    }
    do throws(InputDescriptor.Failure) {
      guard isHead else { return try descriptor.read(into: into, capacity: capacity) }
      if left == 0 { return 0 }
      let count = try descriptor.read(into: into, capacity: min(capacity, left))
      left -= count
      return count
    } catch {
      if error == .halted { throw ReplayError(code: .halted, file: name, place: nil, message: error.text) }
      throw ReplayError(code: .unreadable, file: name, place: .byte(position + 1), message: "cannot be read: \(error.text)")
    }
  }
}
