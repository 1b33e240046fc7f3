package import StockbusPlugin
internal import StockbusSystem

/// A file of records that grows at its end and is rotated when it is full.
///
/// Owned by one actor: it is not `Sendable` and takes no lock. Records are buffered and written in large pieces, so a record is in the file
/// only after `flush` or `close`, or when the buffer has filled up.
///
/// - A record is never split between two files, and never joined to another one: if a crash has left an incomplete line, that line stays
///   and the next record begins on a new line.
/// - A full `trades.csv` becomes `trades.csv.1`, the former `trades.csv.1` becomes `trades.csv.2`, and so on. Each step is one atomic
///   rename, and `keep` old files are kept.
/// - A `write` that throws has not taken its record. All records taken before stay in the buffer, and the next attempt continues at the
///   byte where the last one stopped. So no record is lost on a full disk that has room again later.
/// - `unwritten` counts the records that are not completely in the file, however short the system's writes were. `abandon` closes the file
///   without these records, and without a partial record.
/// - Each write first checks whether the path still leads to the file (device and inode). If the file was moved or removed, as by
///   logrotate, it is recreated with the header, and records not in the old file go there. An emptied file begins again.
/// - The file is used exclusively: one that the run reads, or that another output of this or another process writes, is refused before any
///   change. Symbolic links are resolved when the file is opened: the link stays, and full files are put beside its target.
/// - The path `-` is standard output. Standard output, pipes and devices are neither rotated nor emptied.
///
/// When the reader of a pipe closes it, writing fails with `EPIPE`, provided that the process ignores SIGPIPE. A program that writes to
/// pipes must do so (`signal(SIGPIPE, SIG_IGN)`); this module does not change the process's signals.
package final class RotatingFile {
  /// The path as given.
  package let path: String
  package let options: Options
  /// How many full files have been rotated.
  package internal(set) var rotations = 0
  /// How often the file was recreated.
  package private(set) var renewals = 0
  /// The records that are completely in files, and their bytes.
  package private(set) var written = (records: 0, bytes: 0)
  /// Called with a sentence about changes of the file by other programs.
  package var noticed: (String) -> Void
  /// Bytes of the present file, including buffered ones; for a pipe, bytes written to it.
  package internal(set) var size = 0

  var descriptor: Int32 = -1
  private var isPlain = false
  private var isClosed = false
  private var hasRecord = false
  private var buffer: [UInt8] = []
  /// The bytes of the buffer that have been written; above 0 only after a failure.
  private var sent = 0
  /// Bytes at the buffer's beginning that belong to no record: a header, or the end of an incomplete line.
  private var lead = 0
  /// The ends in the buffer of records that are not completely in the file.
  private var ends = RecordEnds()
  /// The bytes of a stream's end that are in the file.
  var ended = 0
  var calls: SystemCalls

  /// The path of the file with links resolved.
  private(set) var target: String
  let files: RunFiles

  /// Opens `path`, creating the folders above it, and writes the header to an empty file.
  ///
  /// - Parameters:
  ///   - files: the files that the run reads.
  ///   - noticed: the first value of `noticed`.
  package init(
    path: String, options: Options = Options(), files: RunFiles = RunFiles(), calls: SystemCalls = SystemCalls(),
    noticed: @escaping (String) -> Void = { _ in }
  ) throws(FileError) {
    self.path = path
    self.options = options
    self.files = files
    self.calls = calls
    self.noticed = noticed
    target = path
    buffer.reserveCapacity(options.bufferSize + 4096)
    if let mark = options.mark, let place = FilePlace(path), !mark.isLeft {
      if let numbers = options.stream?.numbers(of: place.path) {
        mark.place.undoRotations(of: place.path, in: numbers)
      } else {
        mark.place.undoRotations(of: place.path, keep: options.keep)
      }
    }
    try open(truncate: options.opening == .truncate, after: options.mark)
  }

  /// Writes as many of the remaining bytes as possible. Errors are not reported here, so call `close`.
  deinit { _ = abandon() }

  /// Bytes that are not in the file yet.
  package var buffered: Int { buffer.count - sent }

  /// Takes one record with its line end; rotates a full file first.
  package func write(_ record: [UInt8]) throws(FileError) {
    try record.withUnsafeBufferPointer { bytes throws(FileError) in try takeOne(bytes) }
  }

  /// Takes bytes as one record.
  func write(_ record: UnsafeRawBufferPointer) throws(FileError) { try takeOne(record.assumingMemoryBound(to: UInt8.self)) }

  /// Takes the writer's bytes as one record.
  package func write(_ record: borrowing ByteWriter) throws(FileError) {
    try record.withBytes { bytes throws(FileError) in try takeOne(bytes) }
  }

  /// Takes records that must stay in one file: all of them or, with an error, none.
  package func write(_ records: borrowing RecordText) throws(FileError) {
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
    let full = bytes.count + (options.stream?.end.count ?? 0)
    if let limit = options.rotateAt, isPlain, hasRecord, size + full > limit {
      try flush()
      try look()
      // The path may now lead to another file, which is not full.
      if hasRecord, size + full > limit { try rotate() }
    }
    if buffered + bytes.count > options.bufferSize, buffered > 0 { try flush() }
    let start = buffer.count
    buffer.append(contentsOf: bytes)
    self.ends.append(ends, from: start)
    size += bytes.count
    hasRecord = true
  }

  /// Writes all bytes in the buffer, and returns where the file then ends; nil if it is no plain file.
  package func mark() throws(FileError) -> FileMark? {
    try flush()
    return isPlain && descriptor >= 0 ? FileMark(descriptor, at: target) : nil
  }

  /// Writes all bytes in the buffer; after a failure the rest stays for the next attempt.
  package func flush() throws(FileError) {
    if buffered == 0, descriptor >= 0 || isClosed { return }
    if isClosed { throw FileError(.write, path: path, code: FileError.notOpen) }
    try look()
    let code = buffer.withUnsafeBytes { Descriptor.put($0, from: &sent, to: descriptor, by: calls.write) }
    if isPlain, !Descriptor.hasName(descriptor) {
      // The file was removed after the check: the bytes are written again, to the new file.
      sent = 0
      throw FileError(.write, path: path, code: FileError.missing)
    }
    forgetWritten()
    if code != 0 { throw FileError(.write, path: path, code: code) }
  }

  /// Checks at once whether the path still leads to the file, and recreates the file if not. Returns true if it did.
  package func renew() throws(FileError) -> Bool {
    let before = renewals
    if isClosed { return false }
    try look()
    if renewals != before { try flush() }
    return renewals != before
  }

  /// Writes the rest, waits for the disk if the options ask for it, and closes the file. A second call has no effect.
  ///
  /// If the rest cannot be written, or waiting for the disk fails, the file stays open, and `close` may be called again.
  package func close() throws(FileError) {
    if isClosed { return }
    if buffered > 0 { try flush() }
    if isPlain, descriptor >= 0, case .removed = Descriptor.standing(of: descriptor, at: path) {
      noticed("'\(path)' was removed by another program after its last record")
    }
    try sync()
    try shut()
  }

  /// Closes the file even after errors: writes as much as possible, and leaves no partial record in the file.
  ///
  /// Returns the error and the number of taken records that are not in the file; nil if there was no error. A partial record that cannot be
  /// removed (from a pipe) is ended as a line of its own, unless only its line end is missing: then it counts as written.
  package func abandon() -> (error: FileError, lost: Int)? {
    if isClosed { return nil }
    takeBackEnd()
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

  /// Drops the records that are not completely in the file, and leaves no partial record there, as `abandon` does; the file stays open.
  ///
  /// Returns the number of dropped records.
  package func discard() -> Int {
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

  /// True if the file ends in a partial record that could not even be ended as a line: the next writer must begin with `beginLine`.
  package private(set) var leavesPiece = false

  /// Ends an incomplete line that an earlier writer has left.
  package func beginLine() {
    guard let end = options.lineEnd, buffer.isEmpty else { return }
    put([end])
  }
}

extension RotatingFile {
  func open(truncate: Bool, after mark: (place: FileMark, isLeft: Bool)? = nil) throws(FileError) {
    if path == "-" {
      descriptor = 1
    } else {
      // The system would take only the part before the zero byte as the path.
      if path.utf8.contains(0) { throw FileError(.open, path: path, code: FileError.invalid) }
      let place = FilePlace(path)
      target = place?.kind == .plain || place?.kind == .missing ? place?.path ?? path : path
      if let (folder, code) = Descriptor.createFolders(above: target) { throw FileError(.createFolder, path: folder, code: code) }
      // Between opening and locking another process may rotate the file.
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
      if descriptor < 0 { throw FileError(.claim("another process rotates it again and again"), path: path, code: FileError.busy) }
    }
    // Also done if standard output was redirected to a file.
    if !isPlain { try refuseReaders() }
    if truncate, isPlain {
      let code = calls.truncate(descriptor, 0)
      if code != 0 { throw FileError(.open, path: path, code: code) }
    }
    if let mark, isPlain { try mark.place.cut(descriptor, at: target, isLeft: mark.isLeft, by: calls.truncate) }
    if let stream = options.stream, isPlain, path != "-", try !goesOn(stream, isEmptied: truncate) { return try open(truncate: false) }
    // What an Arrow stream on standard output is redirected to has not been looked through.
    begin(behind: isPlain && (options.stream == nil || path != "-") ? Descriptor.plainSize(descriptor) ?? 0 : 0)
  }

  /// Prepares for the waiting records, from the beginning of the first one on, behind `length` bytes of the file.
  private func begin(behind length: Int) {
    dropBeginning(lead)
    (sent, ended) = (0, 0)
    size = length + buffer.count
    hasRecord = length > options.header.count || !buffer.isEmpty
    // If the file may not be read, its last byte is unknown: an empty line is better than two records in one line.
    if let end = options.lineEnd, length > 0, Descriptor.lastByte(of: target) != end { put([end]) }
    if length == 0 { put(options.header) }
  }

  /// Opens the path if no file is open, or if the path no longer leads to the open file. Begins again in a file that was emptied or cut.
  private func look() throws(FileError) {
    if isPlain, descriptor >= 0 {
      switch Descriptor.standing(of: descriptor, at: path) {
      case .present(let length) where length >= size - buffered: return
      case .present(let length):
        let how = length == 0 ? "emptied" : "cut to \(length) bytes"
        noticed("'\(path)' was \(how) by another program; further records are appended there")
        if options.stream == nil || path == "-" { return begin(behind: length) }
        try release()
        return try open(truncate: false)
      case .movedAway:
        takeLeave()
        try sync()
        noticed("'\(path)' was moved by another program; writing continues in a new file")
      case .removed: noticed("'\(path)' was removed by another program; writing continues in a new file")
      }
      renewals += 1
      try release()
    }
    if descriptor < 0 { try open(truncate: false) }
  }

  /// Adds bytes that belong to no record, before the records.
  private func put(_ bytes: [UInt8]) {
    buffer.insert(contentsOf: bytes, at: lead)
    ends.move(by: bytes.count)
    size += bytes.count
    lead += bytes.count
  }

  /// Called before the file is replaced by another one: removes its incomplete record, which is written whole to the other file.
  private func takeLeave() {
    size -= buffered
    let count = ends.count
    // If another program has cut the file as well, the partial record is not there.
    if Descriptor.plainSize(descriptor) ?? 0 >= size { _ = takeBackPiece() }
    leavesPiece = false
    // The line end of the partial record was written instead of its rest.
    if ends.count < count { dropBeginning(sent + 1) }
    sent = 0
  }

  /// Closes a file to which the path no longer leads.
  func release() throws(FileError) {
    sent = 0
    let old = descriptor
    descriptor = -1
    let code = calls.close(old)
    if code != 0 { throw FileError(.close, path: path, code: code) }
  }

  /// Removes bytes that must not be written from the beginning of the buffer.
  private func dropBeginning(_ count: Int) {
    buffer.removeFirst(count)
    ends.move(by: -count)
    lead = max(0, lead - count)
  }

  /// Removes bytes that are completely in the file from the buffer, which then begins with the first record, or the header, that is not.
  private func forgetWritten() {
    if sent == buffer.count {
      written.records += ends.count
      written.bytes += sent - lead
      // One very long record must not keep its memory allocated permanently.
      buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * options.bufferSize)
      ends.removeAll()
      (sent, lead) = (0, 0)
      return
    }
    if sent < lead { return }
    let all = ends.all
    let whole = all.firstIndex { $0 > sent } ?? all.count
    let cut = whole == 0 ? lead : all[whole - 1]
    written.records += whole
    written.bytes += cut - lead
    buffer.removeFirst(cut)
    ends = RecordEnds(all[whole...].map { $0 - cut })
    sent -= cut
    lead = 0
  }

  /// Removes a partial record or header from the file, or ends it as a line of its own; returns true if it was removed. `size` is the size
  /// of the file.
  private func takeBackPiece() -> Bool {
    if sent == 0 || descriptor < 0 { return true }
    // If another writer has added to the file, the file is not truncated, because that would delete the other writer's records.
    if isPlain, Descriptor.plainSize(descriptor) == size, calls.truncate(descriptor, size - sent) == 0 { return true }
    guard var end = options.lineEnd else {
      leavesPiece = options.stream != nil && !isPlain
      return false
    }
    let all = ends.all
    if sent >= lead, all.first == sent + 1 {
      ends = RecordEnds(Array(all.dropFirst()))
      written.records += 1
      written.bytes += sent + 1 - lead
    }
    // Only one attempt, because this function must not wait.
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

  func sync() throws(FileError) {
    guard options.sync, isPlain, descriptor >= 0 else { return }
    var code = calls.sync(descriptor)
    if code == 0 { code = Descriptor.syncFolder(of: target) }
    if code != 0 { throw FileError(.sync, path: path, code: code) }
  }
}
