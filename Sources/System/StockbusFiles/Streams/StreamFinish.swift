internal import LibC
internal import StockbusPlugin
internal import StockbusSystem

/// Turns a stream into a file of another form, such as `ticks.arrows` into `ticks.parquet`.
///
/// The file is made as `ticks.parquet.part`. When it is whole, the stream is renamed to `ticks.arrows.done`, the file gets its name, and the
/// stream goes. So there is a stream as long as the file is not whole, and a stream with its own name never has rows of the file.
package struct StreamFinish: Sendable {
  /// Reads the stream at a path and gives the bytes of the file.
  package typealias Make =
    @Sendable (_ stream: String, _ put: @escaping (UnsafeRawBufferPointer) throws -> Void) throws(FileError) -> Void

  /// The ending of the files.
  package let ending: String
  private let sync: Bool
  private let calls: SystemCalls
  private let make: Make

  /// - Parameter sync: whether a file and its names are on the disk before its stream goes.
  package init(ending: String, sync: Bool, calls: SystemCalls, make: @escaping Make) {
    (self.ending, self.sync, self.calls, self.make) = (ending, sync, calls, make)
  }

  static func part(_ file: String) -> String { file + ".part" }
  static func done(_ stream: String) -> String { stream + ".done" }

  /// Turns a stream into `file`; has no effect if there is none. Another file that has the name gets the next number. Throws if somebody
  /// else uses the stream, which then stays.
  package func callAsFunction(_ stream: String, to file: String, _ numbers: NumberedFiles) throws(FileError) {
    try settle(stream, file)
    let descriptor: FileDescriptor
    do throws(Errno) { descriptor = try FileDescriptor.opening(stream, .readOnly, .nonBlocking) } catch {
      if error == .noSuchFileOrDirectory { return }
      throw FileError(.open, path: stream, code: error.rawValue)
    }
    defer { _ = Descriptor.shut(descriptor.rawValue) }
    if let other = FileLock.take(descriptor.rawValue) { throw FileError(.claim(other), path: stream, code: FileError.busy) }
    // Another process may have finished it before it was locked.
    guard FilePlace(stream)?.identity == FileIdentity(descriptor: descriptor.rawValue) else { return }
    try write(stream, file)
    if Descriptor.exists(file), let free = numbers.finished(try numbers.next()) { try move(file, to: free) }
    try move(stream, to: Self.done(stream))
    try replace(stream, file)
  }

  /// Goes on where a kill has interrupted this after the file was whole.
  func settle(_ stream: String, _ file: String) throws(FileError) {
    guard Descriptor.exists(Self.done(stream)) else { return }
    // Made again, because the machine may have failed as well, and the file's bytes may not be on the disk.
    if Descriptor.exists(Self.part(file)) { try write(Self.done(stream), file) }
    try replace(stream, file)
  }

  private func replace(_ stream: String, _ file: String) throws(FileError) {
    if Descriptor.exists(Self.part(file)) { try move(Self.part(file), to: file) }
    if sync {
      let code = Descriptor.syncFolder(of: file)
      if code != 0 { throw FileError(.sync, path: file, code: code) }
    }
    unlink(Self.done(stream))
  }

  private func write(_ stream: String, _ file: String) throws(FileError) {
    let path = Self.part(file)
    let options = RotatingFile.Options(opening: .truncate, sync: sync, lineEnd: nil)
    let part = try RotatingFile(path: path, options: options, calls: calls)
    do throws(FileError) {
      try make(stream) { try part.write($0) }
      try part.close()
    } catch {
      _ = part.discard()
      _ = part.abandon()
      unlink(path)
      throw error
    }
  }

  private func move(_ path: String, to target: String) throws(FileError) {
    let code = Descriptor.move(path, to: target)
    if code != 0 { throw FileError(.rename(to: target), path: path, code: code) }
  }
}
