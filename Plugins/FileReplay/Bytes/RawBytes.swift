internal import StockbusFiles
internal import StockbusPlugin

/// The source of rows: a file, or bytes in memory.
enum ReplayContents: Sendable {
  /// A path, `-` for standard input; opened when the replay reaches it, and again in every loop. The `Halt` ends waiting for a pipe.
  case file(String, until: Halt = Halt())
  case bytes([UInt8])
  /// The first bytes of a plain file, and their number. The bytes after them are treated like bytes of a pipe that have not arrived yet.
  case head(String, Int)
  /// A history file: not bytes, but bars.
  case archive(@Sendable () throws(PastFault) -> BarArchive.Reader)

  /// The size in bytes if it is known without opening anything: for plain files and memory.
  var knownSize: Int? {
    switch self {
    case .file(let path, _), .head(let path, _): InputDescriptor.plainSize(of: path)
    case .bytes(let bytes): bytes.count
    case .archive: nil
    }
  }
}

/// The bytes of a file before decompression, with access to the first few before reading.
///
/// Unsafe inside because `read` fills memory by pointer.
struct RawBytes: ~Copyable {
  private let name: String
  private let descriptor: InputDescriptor?  // nil for bytes in memory
  private let memory: [UInt8]
  private var position = 0
  private var ahead: [UInt8] = []
  /// The number of bytes that are left of a head.
  private var left = Int.max
  /// True for a head that is not the whole file.
  private let isHead: Bool

  /// No bytes.
  init() {
    name = ""
    isHead = false
    descriptor = nil
    memory = []
  }

  /// Throws `unreadable` if the file cannot be opened.
  init(_ contents: ReplayContents, name: String) throws(ReplayError) {
    self.name = name
    isHead = if case .head = contents { true } else { false }
    switch contents {
    case .bytes(let bytes):
      memory = bytes
      descriptor = nil
    case .archive:
      memory = []
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

  /// Opens a plain file. A pipe that has replaced it meanwhile is not read.
  private static func plain(_ path: String, _ name: String) throws(ReplayError) -> InputDescriptor {
    let opened = try open(path, name, Halt())
    if opened.size == nil { throw ReplayError(code: .unreadable, file: name, place: nil, message: "is not a regular file") }
    return opened
  }

  /// Bytes returned so far.
  var offset: Int { position }

  /// The size in bytes; nil for pipes and similar files.
  var size: Int? { descriptor.map { $0.size } ?? memory.count }

  /// True if reading may have to wait for the writer, as with a pipe.
  var isLive: Bool { isHead || descriptor?.isLive ?? false }

  /// True if reading would not wait.
  var isReady: Bool { position < ahead.count || (left > 0 && descriptor?.isReady ?? true) }

  /// The first bytes, at most `count`, which are not consumed; call it before anything is read.
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

  /// Reads up to `capacity` bytes; returns 0 at the end.
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
