internal import LibC
internal import StockbusPlugin
package import StockbusSystem

/// A file that is replaced as a whole: whoever reads it finds the former contents or the whole new ones, also after a crash.
package enum WholeFile {
  /// - Parameter former: a path at which the former file stays; nil if it is not kept.
  package static func replace(_ path: String, with bytes: [UInt8], keepingFormerAt former: String? = nil) throws(FileError) {
    if let (folder, code) = Descriptor.createFolders(above: path) { throw FileError(.createFolder, path: folder, code: code) }
    // A name that cannot be guessed, and is opened so that an existing file or link is never used.
    let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    do throws(FileError) { try write(bytes, to: temporary, as: path) } catch {
      unlink(temporary)
      throw error
    }
    if let former {
      unlink(former)
      // On a file system without hard links nothing is kept.
      _ = link(path, former)
    }
    let code = Descriptor.move(temporary, to: path)
    if code != 0 {
      unlink(temporary)
      throw FileError(.rename(to: path), path: temporary, code: code)
    }
    _ = Descriptor.syncFolder(of: path)
  }

  private static func write(_ bytes: [UInt8], to temporary: String, as path: String) throws(FileError) {
    let file: FileDescriptor
    do throws(Errno) {
      file = try FileDescriptor.opening(temporary, .writeOnly, [.create, .exclusiveCreate, .noFollow], permissions: .ownerReadWrite)
    } catch { throw FileError(.open, path: path, code: error.rawValue) }
    defer { try? file.shut() }
    do throws(Errno) { try file.writeWhole(bytes) } catch { throw FileError(.write, path: path, code: error.rawValue) }
    // The contents have to be on disk before the file gets its name.
    let code = Descriptor.sync(file.rawValue)
    if code != 0 { throw FileError(.sync, path: path, code: code) }
  }
}

/// Files that are read as a whole.
package enum FileBytes {
  /// The bytes of a plain file, at most so many; nil if there is none. Anything else at the path is an error.
  package static func whole(_ path: String, atMost limit: Int) throws(Errno) -> [UInt8]? {
    do throws(Errno) {
      let file = try FileDescriptor.opening(path, .readOnly, .nonBlocking)
      defer { try? file.shut() }
      var status = stat()
      guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw status.st_mode & S_IFMT == S_IFDIR ? Errno.isDirectory : Errno.notSupported
      }
      return try file.readToEnd(atMost: limit)
    } catch {
      if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
      throw error
    }
  }
}
