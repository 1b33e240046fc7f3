internal import LibC
internal import StockbusPlugin

extension RotatingFile {
  /// Rotates the files. After a failed step the next `write` can start again: until the last rename the old file is still the present one,
  /// and after it the missing file is created.
  func rotate() throws(FileError) {
    try end()
    try sync()
    if let stream = options.stream {
      _ = try putAside(stream)
      rotations += 1
      try release()
      try dropOld(stream)
      stream.putAside()
      return try open(truncate: false)
    }
    // Only up to the first free number, so that a retry after a failed rename does not delete one more file.
    var free = 1
    while free < options.keep, Descriptor.exists("\(target).\(free)") { free += 1 }
    for number in 1...free {
      guard let reader = files.reader(of: "\(target).\(number)") else { continue }
      throw FileError(.claim("a full file would be rotated to '\(path).\(number)': \(reader)"), path: path, code: FileError.busy)
    }
    for number in stride(from: free - 1, through: 1, by: -1) { try rename(ending: ".\(number)", to: ".\(number + 1)") }
    try rename(ending: "", to: ".1")
    rotations += 1
    try release()
    try open(truncate: false)
  }

  /// Renames a file; one that has been removed meanwhile needs no rename.
  private func rename(ending from: String, to next: String) throws(FileError) {
    let code = Descriptor.move(target + from, to: target + next)
    if code != 0, code != FileError.missing { throw FileError(.rename(to: path + next), path: path + from, code: code) }
  }

  private func rename(_ path: String, to next: String) throws(FileError) {
    let code = Descriptor.move(path, to: next)
    if code != 0, code != FileError.missing { throw FileError(.rename(to: next), path: path, code: code) }
  }

  /// Puts the end of a stream behind the last record; has no effect if it is there, and in other files.
  package func end() throws(FileError) {
    try flush()
    guard let end = options.stream?.end, ended < end.count, descriptor >= 0 else { return }
    let before = ended
    let code = end.withUnsafeBytes { Descriptor.put($0, from: &ended, to: descriptor, by: calls.write) }
    size += ended - before
    if code != 0 { throw FileError(.write, path: path, code: code) }
  }

  /// Removes a piece of a stream's end.
  func takeBackEnd() {
    guard ended > 0, ended < options.stream?.end.count ?? 0, Descriptor.plainSize(descriptor) == size else { return }
    _ = calls.truncate(descriptor, size - ended)
  }

  /// Prepares the open, locked file of a stream. False if it was put aside, so that the path leads to no file.
  func goesOn(_ stream: StreamFile, isEmptied: Bool) throws(FileError) -> Bool {
    let numbers = stream.numbers(of: target)
    if let finish = stream.finish, let file = numbers.finished {
      try finish.settle(target, file)
      if Descriptor.exists(file) {
        if isEmptied {
          unlink(file)
        } else if let free = numbers.finished(try numbers.next()) {
          try rename(file, to: free)
          noticed("'\(file)' was there already: it is now '\(free)'")
        }
      }
    }
    guard let length = Descriptor.plainSize(descriptor), length > 0 else { return true }
    switch stream.contents(target) {
    case .whole(let end, let isTorn):
      if isTorn { noticed("'\(path)' ends within a record: \(length - end) bytes are cut off, \(end) stay") }
      let code = end < length ? calls.truncate(descriptor, end) : 0
      if code != 0 { throw FileError(.open, path: path, code: code) }
      return true
    case .strange(let reason):
      noticed("'\(path)' \(reason): it is now '\(try putAside(stream))'")
      try release()
      stream.putAside()
      return false
    }
  }

  /// Gives the file of a stream the next number, and returns its name.
  private func putAside(_ stream: StreamFile) throws(FileError) -> String {
    let numbers = stream.numbers(of: target)
    let next = numbers.stream(try numbers.next())
    try rename(target, to: next)
    return next
  }

  /// Removes the oldest full files, if there are more than are to be kept.
  private func dropOld(_ stream: StreamFile) throws(FileError) {
    let numbers = stream.numbers(of: target)
    let full = try numbers.numbers().filter { numbers.paths($0).contains(where: Descriptor.exists) }
    for number in full.dropLast(options.keep) {
      for path in numbers.paths(number) where files.reader(of: path) == nil { unlink(path) }
    }
  }
}
