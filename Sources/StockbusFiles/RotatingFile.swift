public import MarketData
public import StockbusPlugin
internal import StockbusSystem

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
/// - It knows how many of the records it took are wholly in the file, however the system has cut its writes short: `unwritten` are
///   not. `abandon` closes it without them, and without a piece of the one that broke off.
/// - It has its file alone: what the run reads, and what another output of this or another process writes, is refused before a byte
///   is touched. Symbolic links are followed once, when it is made: the link stays, and full files are put aside beside its target.
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
  /// Bytes at the buffer's beginning that belong to no record: a header, the end of a line that was left torn.
  private var lead = 0
  /// Where in the buffer each record ends that is not wholly in the file.
  private var ends = RecordEnds()
  var calls = SystemCalls()

  /// Where the file is, links followed.
  private let target: String
  private let files: RunFiles

  /// Opens `path`, making the folders above it, and puts the header at the beginning of an empty file.
  ///
  /// - Parameter files: what the run reads.
  public init(path: String, options: Options = Options(), files: RunFiles = RunFiles()) throws(FileError) {
    self.path = path
    self.options = options
    self.files = files
    let place = FilePlace(path)
    target = place?.kind == .plain || place?.kind == .missing ? place?.path ?? path : path
    buffer.reserveCapacity(options.bufferSize + 4096)
    try open(truncate: options.opening == .truncate)
  }

  /// Writes what is left as far as possible; nobody hears of an error then, so call `close`.
  deinit { _ = abandon() }

  /// Bytes that are not in the file yet.
  public var buffered: Int { buffer.count - sent }

  /// Records that were taken and are not wholly in the file yet.
  public var unwritten: Int { ends.count }

  /// Takes one record with its own line end; puts a full file aside first.
  public func write(_ record: [UInt8]) throws(FileError) {
    try record.withUnsafeBufferPointer { bytes throws(FileError) in try takeOne(bytes) }
  }

  /// Takes what the writer holds as one record.
  public func write(_ record: borrowing ByteWriter) throws(FileError) {
    try record.withBytes { bytes throws(FileError) in try takeOne(bytes) }
  }

  /// Takes records that shall stay together, all or none of them.
  public func write(_ records: borrowing RecordText) throws(FileError) {
    let ends = records.allEnds
    try records.bytes.withBytes { bytes throws(FileError) in try take(bytes, ends) }
  }

  private func takeOne(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError) {
    try withUnsafePointer(to: bytes.count) { end throws(FileError) in try take(bytes, UnsafeBufferPointer(start: end, count: 1)) }
  }

  private func take(_ bytes: UnsafeBufferPointer<UInt8>, _ ends: UnsafeBufferPointer<Int>) throws(FileError) {
    if bytes.isEmpty { return }
    if isClosed { throw FileError(.write, path: path, code: FileError.notOpen) }
    if descriptor < 0 { try open(truncate: false) }
    if let limit = options.rotateAt, isPlain, hasRecord, size + bytes.count > limit { try rotate() }
    if buffered + bytes.count > options.bufferSize, buffered > 0 { try flush() }
    let start = buffer.count
    buffer.append(contentsOf: bytes)
    self.ends.append(ends, from: start)
    size += bytes.count
    hasRecord = true
  }

  /// Hands everything in the buffer to the system; where that fails the rest stays for the next attempt.
  public func flush() throws(FileError) {
    if buffered == 0 { return }
    if isClosed { throw FileError(.write, path: path, code: FileError.notOpen) }
    if descriptor < 0 { try open(truncate: false) }
    let code = buffer.withUnsafeBytes { Descriptor.put($0, from: &sent, to: descriptor, by: calls.write) }
    forgetWritten()
    if code != 0 { throw FileError(.write, path: path, code: code) }
  }

  /// Writes the rest, waits for the disk where the options ask for it, and closes; a second call does nothing.
  ///
  /// Where the rest cannot be written, or the disk cannot be waited for, the file stays open, and `close` may be called again.
  public func close() throws(FileError) {
    if isClosed { return }
    try flush()
    try sync()
    try shut()
  }

  /// Closes whatever the disk says: writes what it takes, and leaves no piece of a record in the file.
  ///
  /// Answers what went wrong, and how many of the records it took are not in the file; nil where nothing did. A piece that cannot be
  /// taken back (out of a pipe) becomes a line of its own, unless nothing but its line end is missing: then the record is there.
  public func abandon() -> (error: FileError, lost: Int)? {
    if isClosed { return nil }
    do throws(FileError) {
      try close()
      return nil
    } catch {
      if !isClosed {
        size -= buffered
        _ = takeBackPiece()
        try? shut()
      }
      return (error, ends.count)
    }
  }

  /// Forgets the records that are not wholly in the file, and leaves no piece of one there, as `abandon` does; the file stays open.
  ///
  /// Answers how many they are.
  public func discard() -> Int {
    if isClosed { return 0 }
    let head = sent < lead ? Array(buffer[..<lead]) : []
    size -= buffered
    let isUndone = takeBackPiece()
    let lost = ends.count
    buffer.removeAll(keepingCapacity: true)
    ends.removeAll()
    if isUndone { size -= sent }
    (sent, lead) = (0, 0)
    if leavesPiece { beginLine() }
    leavesPiece = false
    put(head)
    return lost
  }

  /// True where a piece of a record stands at the end of what was written, and is not even ended: whoever writes there next begins with
  /// `beginLine`.
  public private(set) var leavesPiece = false

  /// Ends the line that somebody has left torn.
  public func beginLine() {
    guard let end = options.lineEnd, buffer.isEmpty else { return }
    put([end])
  }
}

extension RotatingFile {
  private func open(truncate: Bool) throws(FileError) {
    if path == "-" {
      descriptor = 1
    } else {
      // The system would take the part before it for the path.
      if path.utf8.contains(0) { throw FileError(.open, path: path, code: FileError.invalid) }
      if let (folder, code) = Descriptor.createFolders(above: target) { throw FileError(.createFolder, path: folder, code: code) }
      // Between opening and locking another process may have put it aside.
      for _ in 1...10 {
        do throws(Errno) { descriptor = try Descriptor.open(target) } catch {
          throw FileError(.open, path: path, code: error.rawValue)
        }
        isPlain = Descriptor.plainSize(descriptor) != nil && FilePlace(path)?.kind != .stream
        if !isPlain { break }
        if try claim() { break }
        _ = Descriptor.shut(descriptor)
        descriptor = -1
      }
      if descriptor < 0 { throw FileError(.claim("another process puts it aside again and again"), path: path, code: FileError.busy) }
    }
    // Also where standard output was redirected.
    if !isPlain { try refuseReaders() }
    if truncate, isPlain {
      let code = calls.truncate(descriptor, 0)
      if code != 0 { throw FileError(.open, path: path, code: code) }
    }
    let length = isPlain ? Descriptor.plainSize(descriptor) : nil
    size = length ?? size
    hasRecord = size > options.header.count
    // Whoever may not read the file cannot know how it ends: better an empty line than two records in one.
    if let end = options.lineEnd, size > 0, isPlain, Descriptor.lastByte(of: target) != end { put([end]) }
    if size == 0 { put(options.header) }
  }

  /// Makes the open file this one's alone; false where it is no longer the one at the path.
  private func claim() throws(FileError) -> Bool {
    try refuseReaders()
    if let other = FileLock.take(descriptor) { throw refusal(other) }
    return FilePlace(target)?.identity == FileIdentity(descriptor: descriptor)
  }

  private func refuseReaders() throws(FileError) {
    guard Descriptor.plainSize(descriptor) != nil, let identity = FileIdentity(descriptor: descriptor),
      let reader = files.reader(of: identity)
    else { return }
    throw refusal(reader)
  }

  /// Closes it again.
  private func refusal(_ other: String) -> FileError {
    if path != "-" { _ = Descriptor.shut(descriptor) }
    descriptor = -1
    return FileError(.claim(other), path: path, code: FileError.busy)
  }

  /// What stands before the next record; only while the buffer is empty, or holds nothing else.
  private func put(_ bytes: [UInt8]) {
    buffer += bytes
    size += bytes.count
    lead = buffer.count
  }

  /// Forgets what is wholly in the file, so that the buffer begins with the first record, or with the header, that is not.
  private func forgetWritten() {
    if sent == buffer.count {
      // One very long record must not hold its memory for ever.
      buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * options.bufferSize)
      ends.removeAll()
      (sent, lead) = (0, 0)
      return
    }
    if sent < lead { return }
    let all = ends.all
    let whole = all.firstIndex { $0 > sent } ?? all.count
    let cut = whole == 0 ? lead : all[whole - 1]
    buffer.removeFirst(cut)
    ends = RecordEnds(all[whole...].map { $0 - cut })
    sent -= cut
    lead = 0
  }

  /// What the file holds of a record, or a header, that could not be finished comes out again, or becomes a line of its own; true for
  /// the first. `size` is what the file holds.
  private func takeBackPiece() -> Bool {
    if sent == 0 || descriptor < 0 { return true }
    // A file that somebody else has written to as well is not cut: it would cost him his records.
    if isPlain, Descriptor.plainSize(descriptor) == size, calls.truncate(descriptor, size - sent) == 0 { return true }
    guard var end = options.lineEnd else { return false }
    let all = ends.all
    if sent >= lead, all.first == sent + 1 { ends = RecordEnds(Array(all.dropFirst())) }
    // One attempt: whoever does not take this byte would keep us here.
    leavesPiece = calls.write(descriptor, &end, 1) != 1
    if !leavesPiece { size += 1 }
    return false
  }

  private func shut() throws(FileError) {
    isClosed = true
    let old = descriptor
    descriptor = -1
    if path == "-" || old < 0 { return }
    let code = calls.close(old)
    if code != 0 { throw FileError(.close, path: path, code: code) }
  }

  private func sync() throws(FileError) {
    guard options.sync, isPlain, descriptor >= 0 else { return }
    var code = calls.sync(descriptor)
    if code == 0 { code = Descriptor.syncFolder(of: target) }
    if code != 0 { throw FileError(.sync, path: path, code: code) }
  }

  /// Every step leaves things so that the next `write` can begin again: until the last rename the old file is the present one,
  /// and after it a missing file is simply opened.
  private func rotate() throws(FileError) {
    try flush()
    try sync()
    // Only as far as the first free name: after a rename that failed, beginning again must not push out one file more.
    var free = 1
    while free < options.keep, Descriptor.exists("\(target).\(free)") { free += 1 }
    for number in 1...free {
      guard let reader = files.reader(of: "\(target).\(number)") else { continue }
      throw FileError(.claim("a full file would be put aside as '\(path).\(number)': \(reader)"), path: path, code: FileError.busy)
    }
    for number in stride(from: free - 1, through: 1, by: -1) { try rename(".\(number)", to: ".\(number + 1)") }
    try rename("", to: ".1")
    rotations += 1
    let old = descriptor
    descriptor = -1
    let code = calls.close(old)
    if code != 0 { throw FileError(.close, path: path, code: code) }
    try open(truncate: false)
  }

  /// A file that somebody has taken away needs no new name.
  private func rename(_ from: String, to next: String) throws(FileError) {
    let code = Descriptor.move(target + from, to: target + next)
    if code != 0, code != FileError.missing { throw FileError(.rename(to: path + next), path: path + from, code: code) }
  }
}
