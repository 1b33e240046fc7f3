/// Where rows come from: a file, or bytes in memory.
enum ReplayContents: Sendable {
  /// A path; the file is opened when the replay reaches it, anew in every loop.
  case file(String)
  case bytes([UInt8])
}

/// Bytes as they lie on the disk, with the first few looked at in advance.
///
/// Unsafe inside because read(2) fills memory by pointer.
struct RawBytes: ~Copyable {
  private let name: String
  private let descriptor: Int32  // -1 for bytes in memory
  private let memory: [UInt8]
  private var position = 0
  private var ahead: [UInt8] = []

  /// Nothing.
  init() {
    name = ""
    descriptor = -1
    memory = []
  }

  /// Throws `unreadable` where the file cannot be opened.
  init(_ contents: ReplayContents, name: String) throws(ReplayError) {
    self.name = name
    switch contents {
    case .bytes(let bytes):
      memory = bytes
      descriptor = -1
    case .file(let path):
      memory = []
      switch Platform.open(path) {
      case .success(let opened): descriptor = opened
      case .failure(let problem):
        throw ReplayError(code: .unreadable, file: name, place: nil, message: "cannot be opened: \(problem.text)")
      }
    }
  }

  deinit { if descriptor >= 0 { Platform.close(descriptor) } }

  /// Bytes handed out so far.
  var offset: Int { position }

  /// How many there are; nil for a pipe and the like.
  var size: Int? { descriptor >= 0 ? Platform.size(descriptor) : memory.count }

  /// The first bytes, at most `count`, which stay to be read; to be called before anything is read.
  mutating func peek(_ count: Int) throws(ReplayError) -> [UInt8] {
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

  private func fetch(_ into: UnsafeMutablePointer<UInt8>, _ capacity: Int) throws(ReplayError) -> Int {
    guard descriptor >= 0 else {
      let count = min(capacity, memory.count - position)
      memory.withUnsafeBufferPointer { if count > 0 { into.update(from: $0.baseAddress.unsafelyUnwrapped + position, count: count) } }
      return count
    }
    switch Platform.read(descriptor, into, capacity) {
    case .success(let count): return count
    case .failure(let problem):
      throw ReplayError(code: .unreadable, file: name, place: .byte(position + 1), message: "cannot be read: \(problem.text)")
    }
  }
}
