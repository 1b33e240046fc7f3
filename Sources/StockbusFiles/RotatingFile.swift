public import MarketData

/// A file of records that grows at its end and begins anew when it is full.
///
/// Owned by one actor: it is not `Sendable` and takes no lock. Records are collected in a buffer and written in large pieces, so
/// a record is in the file only after `flush` or `close`, or once the buffer has filled.
///
/// - A record is never split between two files, and never glued to another: where a crash has left a line without its end, that
///   line is kept as it is and the next record begins on a line of its own.
/// - A full `trades.csv` becomes `trades.csv.1`, the former `trades.csv.1` becomes `trades.csv.2`, and so on; each step is one
///   rename, which happens wholly or not at all, and `keep` old files stay.
/// - A `write` that throws has not taken its record; everything taken before stays in the buffer, and the next attempt goes on at
///   the byte where the last one stopped. So a full disk, once it has room again, costs nothing.
/// - The path `-` is standard output. It, pipes and devices are neither rotated nor emptied.
///
/// A reader that closes its pipe gives `EPIPE` as an error where the process ignores SIGPIPE, which a program that writes to pipes
/// must (`signal(SIGPIPE, SIG_IGN)`); this library leaves the process's signals alone.
public final class RotatingFile {
  /// The path as given.
  public let path: String
  public let options: Options
  /// How often a full file was put aside.
  public private(set) var rotations = 0
  /// Bytes of the present file, with those that are still in the buffer; 0 and up for pipes: what was written to them.
  public private(set) var size = 0

  private var descriptor: Int32 = -1
  private var isPlain = false
  private var isClosed = false
  private var hasRecord = false
  private var buffer: [UInt8] = []
  /// Bytes of the buffer that the system has taken already; above 0 only after a failure.
  private var sent = 0
  /// How bytes reach the system; tests put a failing one here.
  var output = Descriptor.system

  /// Opens `path`, making the folders above it, and puts the header at the beginning of an empty file.
  public init(path: String, options: Options = Options()) throws(FileError) {
    self.path = path
    self.options = options
    buffer.reserveCapacity(options.bufferSize + 4096)
    try open(truncate: options.opening == .truncate)
  }

  /// Writes what is left as far as possible; nobody hears of an error then, so call `close`.
  deinit {
    if !isClosed { try? close() }
    if descriptor > 2 { _ = Descriptor.shut(descriptor) }
  }

  /// Bytes that are not in the file yet.
  public var buffered: Int { buffer.count - sent }

  /// Takes one record with its own line end, or several that shall stay together; puts a full file aside first.
  public func write(_ record: UnsafeBufferPointer<UInt8>) throws(FileError) {
    if record.isEmpty { return }
    if isClosed { throw FileError(.write, path: path, code: FileError.notOpen) }
    if descriptor < 0 { try open(truncate: false) }
    if let limit = options.rotateAt, isPlain, hasRecord, size + record.count > limit { try rotate() }
    if buffered + record.count > options.bufferSize, buffered > 0 { try flush() }
    buffer.append(contentsOf: record)
    size += record.count
    hasRecord = true
  }

  /// Takes one record with its own line end, or several that shall stay together.
  public func write(_ record: [UInt8]) throws(FileError) {
    try record.withUnsafeBufferPointer { bytes throws(FileError) in try write(bytes) }
  }

  /// Takes what the writer holds as one record.
  public func write(_ record: borrowing ByteWriter) throws(FileError) {
    try record.withBytes { bytes throws(FileError) in try write(bytes) }
  }

  /// Hands everything in the buffer to the system; where that fails the rest stays for the next attempt.
  public func flush() throws(FileError) {
    if buffered == 0 { return }
    if isClosed { throw FileError(.write, path: path, code: FileError.notOpen) }
    if descriptor < 0 { try open(truncate: false) }
    let code = buffer.withUnsafeBytes { Descriptor.put($0, from: &sent, to: descriptor, by: output) }
    if code != 0 { throw FileError(.write, path: path, code: code) }
    // One very long record must not hold its memory for ever.
    buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * options.bufferSize)
    sent = 0
  }

  /// Writes the rest, waits for the disk where the options ask for it, and closes; a second call does nothing.
  ///
  /// Where the rest cannot be written the file stays open, and `close` may be called again.
  public func close() throws(FileError) {
    if isClosed { return }
    try flush()
    try sync()
    isClosed = true
    let old = descriptor
    descriptor = -1
    if path == "-" || old < 0 { return }
    let code = Descriptor.shut(old)
    if code != 0 { throw FileError(.close, path: path, code: code) }
  }
}

extension RotatingFile {
  private func open(truncate: Bool) throws(FileError) {
    if path == "-" {
      descriptor = 1
    } else {
      // The system would take the part before it for the path.
      if path.utf8.contains(0) { throw FileError(.open, path: path, code: FileError.invalid) }
      if let (folder, code) = Descriptor.createFolders(above: path) { throw FileError(.createFolder, path: folder, code: code) }
      switch Descriptor.open(path, truncate: truncate) {
      case .success(let opened): descriptor = opened
      case .failure(let error): throw FileError(.open, path: path, code: error.code)
      }
    }
    let length = path == "-" ? nil : Descriptor.plainSize(descriptor)
    isPlain = length != nil
    size = length ?? size
    hasRecord = size > options.header.count
    // Whoever may not read the file cannot know how it ends: better an empty line than two records in one.
    if let end = options.lineEnd, size > 0, isPlain, Descriptor.lastByte(of: path) != end { put([end]) }
    if size == 0 { put(options.header) }
  }

  private func put(_ bytes: [UInt8]) {
    buffer += bytes
    size += bytes.count
  }

  private func sync() throws(FileError) {
    guard options.sync, isPlain, descriptor >= 0 else { return }
    var code = Descriptor.sync(descriptor)
    if code == 0 { code = Descriptor.syncFolder(of: path) }
    if code != 0 { throw FileError(.sync, path: path, code: code) }
  }

  /// Every step leaves things so that the next `write` can begin again: until the last rename the old file is the present one,
  /// and after it a missing file is simply opened.
  private func rotate() throws(FileError) {
    try flush()
    try sync()
    // Only as far as the first free name: after a rename that failed, beginning again must not push out one file more.
    var free = 1
    while free < options.keep, Descriptor.exists("\(path).\(free)") { free += 1 }
    for number in stride(from: free - 1, through: 1, by: -1) { try rename("\(path).\(number)", to: "\(path).\(number + 1)") }
    try rename(path, to: "\(path).1")
    rotations += 1
    let old = descriptor
    descriptor = -1
    let code = Descriptor.shut(old)
    if code != 0 { throw FileError(.close, path: path, code: code) }
    try open(truncate: false)
  }

  /// A file that somebody has taken away needs no new name.
  private func rename(_ from: String, to target: String) throws(FileError) {
    let code = Descriptor.move(from, to: target)
    if code != 0, code != FileError.missing { throw FileError(.rename(to: target), path: from, code: code) }
  }
}
