internal import StockbusPlugin

/// The exclusive use of the file.
extension RotatingFile {
  /// Gets exclusive use of the open file; returns false if it is no longer the file at the path.
  func claim() throws(FileError) -> Bool {
    try refuseReaders()
    if let other = FileLock.take(descriptor) { throw refusal(other) }
    return FilePlace(target)?.identity == FileIdentity(descriptor: descriptor)
  }

  func refuseReaders() throws(FileError) {
    guard Descriptor.plainSize(descriptor) != nil, let identity = FileIdentity(descriptor: descriptor),
      let reader = files.reader(of: identity)
    else { return }
    throw refusal(reader)
  }

  /// Closes the file again and returns the error.
  private func refusal(_ other: String) -> FileError {
    if path != "-" { _ = Descriptor.shut(descriptor) }
    descriptor = -1
    return FileError(.claim(other), path: path, code: FileError.busy)
  }
}
