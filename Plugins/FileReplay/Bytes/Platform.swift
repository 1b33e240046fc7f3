#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The few calls of the C library that reading needs.
enum Platform {
  /// A descriptor for reading, or why there is none.
  static func open(_ path: String) -> Result<Int32, SystemProblem> {
    while true {
      let descriptor = path.withCString { cOpen($0) }
      if descriptor >= 0 { return .success(descriptor) }
      if errno != EINTR { return .failure(SystemProblem(number: errno)) }
    }
  }

  /// Bytes read, at most `capacity`; 0 at the end of the file.
  static func read(_ descriptor: Int32, _ into: UnsafeMutablePointer<UInt8>, _ capacity: Int) -> Result<Int, SystemProblem> {
    while true {
      let count = cRead(descriptor, into, capacity)
      if count >= 0 { return .success(count) }
      if errno != EINTR { return .failure(SystemProblem(number: errno)) }
    }
  }

  /// The size of a plain file; nil for anything else.
  static func size(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  static func close(_ descriptor: Int32) { cClose(descriptor) }

  /// The first newline in `count` bytes.
  @inline(always)
  static func newline(in bytes: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<UInt8>? { find(10, in: bytes, count: count) }

  /// The first such byte in `count` bytes.
  @inline(always)
  static func find(_ byte: UInt8, in bytes: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<UInt8>? {
    memchr(bytes, Int32(byte), count).map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
  }
}

/// An `errno`.
struct SystemProblem: Error {
  let number: Int32
  var text: String { String(cString: strerror(number)) }
}

// Named apart because the members above would hide them.
private func cOpen(_ path: UnsafePointer<CChar>) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
private func cRead(_ descriptor: Int32, _ into: UnsafeMutablePointer<UInt8>, _ capacity: Int) -> Int { read(descriptor, into, capacity) }
private func cClose(_ descriptor: Int32) { _ = close(descriptor) }
